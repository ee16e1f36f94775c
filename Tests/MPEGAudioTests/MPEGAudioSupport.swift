import PluginHost
import RespoolPlugin
import Testing

/// Frames of MP3, each with other bytes, and the files that the muxers make of them.
enum MPEGAudioSupport {
  static func track(
    _ codec: String = "mp3", rate: Int = 44100, extradata: [UInt8] = []
  ) -> TrackDescription {
    var track = TrackDescription(kind: .audio, codec: codec, timeBase: Rational(1, Int32(rate)))
    track.sampleRate = rate
    track.channelLayout = .stereo
    track.extradata = extradata
    return track
  }

  /// Returns a frame of 128 kbit/s with a number in it; `code` is the code of another bit rate.
  static func frame(_ number: Int, code: UInt8 = 9, rate: Int = 44100) throws -> [UInt8] {
    let second: UInt8 = rate >= 32000 ? 0xFB : 0xF3
    let head: [UInt8] = [0xFF, second, code << 4, 0x40]
    let header = try #require(MPEGAudioHeader(head))
    return head
      + (4..<header.frameLength).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0 &* 7) & 0x7F }
  }

  /// Returns packets of one frame each from `start` on.
  static func packets(_ count: Int, from start: Int64, rate: Int = 44100) throws -> [Packet] {
    let length: Int64 = rate >= 32000 ? 1152 : 576
    return try (0..<count).map { index in
      let time = start + Int64(index) * length
      return Packet(
        track: 0, pts: time, dts: time, duration: length, flags: .key,
        payload: .bytes(MediaBuffer(try frame(index, rate: rate))))
    }
  }

  static func file(
    _ media: MediaDescription, _ packets: [Packet], format: String = "mp3",
    options: [PluginOption] = [], isStream: Bool = false
  ) throws -> [UInt8] {
    let file = MemoryFile(name: "test.\(format)")
    file.isStream = isStream
    let muxer = try OpenMuxer(try LoadedPlugin("MPEGAudio"), format, media, file, options: options)
    for packet in packets { try muxer.write(packet) }
    try muxer.finish(media)
    return file.bytes
  }

  static func media(_ tracks: [TrackDescription] = [track()]) -> MediaDescription {
    MediaDescription(format: "mp3", tracks: tracks)
  }

  /// Returns the frames of a file without a tag.
  static func frames(_ bytes: [UInt8]) throws -> [[UInt8]] {
    var frames: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
      let header = try #require(MPEGAudioHeader(bytes[start...]))
      frames.append(Array(bytes[start..<start + header.frameLength]))
      start += header.frameLength
    }
    return frames
  }
}

/// The values of an info frame.
struct ReadInfo {
  var name: String
  var flags: UInt32
  var frameCount: Int
  var byteCount: Int
  var table: [UInt8]
  var encoder: String
  var delay: Int
  var padding: Int
  var musicLength: Int
  var musicChecksum: UInt16
  var tagChecksum: UInt16
  /// The checksum of the bytes before it.
  var computedChecksum: UInt16

  init(_ frame: [UInt8], at start: Int = 36) throws {
    let end = start + 156
    try #require(frame.count >= end)
    func number(_ offset: Int, _ count: Int) -> Int {
      frame[(start + offset)..<(start + offset + count)].reduce(0) { $0 << 8 | Int($1) }
    }
    name = String(decoding: frame[start..<start + 4], as: UTF8.self)
    flags = UInt32(number(4, 4))
    (frameCount, byteCount) = (number(8, 4), number(12, 4))
    table = Array(frame[(start + 16)..<(start + 116)])
    encoder = String(decoding: frame[(start + 120)..<(start + 129)], as: UTF8.self)
    (delay, padding) = (number(141, 3) >> 12, number(141, 3) & 0xFFF)
    musicLength = number(148, 4)
    musicChecksum = UInt16(number(152, 2))
    tagChecksum = UInt16(number(154, 2))
    computedChecksum = Self.checksum(frame[..<(end - 2)])
  }

  /// Returns the CRC-16 by bits, from its definition.
  static func checksum(_ bytes: some Sequence<UInt8>) -> UInt16 {
    bytes.reduce(UInt16(0)) { sum, byte in
      (0..<8).reduce(sum ^ UInt16(byte)) { value, _ in
        value & 1 == 1 ? value >> 1 ^ 0xA001 : value >> 1
      }
    }
  }
}
