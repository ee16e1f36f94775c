import PluginHost
import RespoolMedia

@testable import ISOMedia
@testable import RespoolPlugin

/// A small movie with reordered video frames and audio with an encoder delay.
struct SyntheticMovie {
  var media = MediaDescription(format: "mp4")
  var packets: [Packet] = []

  init(pictures: Int = 30, sounds: Int = 48, lateBy late: Int64 = 0) {
    var video = TrackDescription(kind: .video, codec: "mpeg4", timeBase: Rational(1, 12800))
    (video.width, video.height) = (64, 48)
    video.frameRate = Rational(25, 1)
    video.extradata = [0, 0, 1, 0xB0, 1]
    video.displayMatrix = DisplayMatrix(clockwiseDegrees: 90)
    video.sampleAspect = Rational(4, 3)
    video.color = .bt709
    var sound = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48000))
    sound.sampleRate = 48000
    sound.channelLayout = .stereo
    sound.extradata = [0x11, 0x90]
    sound.frameSize = 1024
    sound.language = "deu"
    media.tracks = [video, sound]
    media.metadata = [
      MetadataEntry("title", "A título"), MetadataEntry("track", "3/12"),
      MetadataEntry("mine", "kept"),
    ]
    media.chapters = [
      .init(id: 0, start: 0, end: 500_000_000, title: "One"),
      .init(id: 1, start: 500_000_000, end: 1_000_000_000, title: "Two"),
    ]
    // Decode order I P B, presentation order I B P.
    for number in 0..<pictures {
      let shown = number % 3 == 0 ? number : number % 3 == 1 ? number + 1 : number - 1
      packets.append(
        Packet(
          track: 0, pts: late + Int64(shown) * 512, dts: late + Int64(number - 1) * 512,
          duration: 512, flags: number % 12 == 0 ? .key : [],
          payload: .bytes(MediaBuffer(Self.payload(number, 40 + number)))))
    }
    for number in 0..<sounds {
      packets.append(
        Packet(
          track: 1, pts: Int64(number - 1) * 1024, dts: Int64(number - 1) * 1024, duration: 1024,
          flags: .key, payload: .bytes(MediaBuffer(Self.payload(number + 100, 20 + number % 7)))))
    }
    let times = media.tracks.map(\.timeBase.doubleValue)
    packets.sort {
      Double($0.dts ?? 0) * times[$0.track] < Double($1.dts ?? 0) * times[$1.track]
    }
  }

  private static func payload(_ seed: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: seed &* 31 &+ $0 &* 7) }
  }

  /// Returns the movie as a file.
  func file(
    _ type: any Muxer.Type = MP4Muxer.self, options: [PluginOption] = [],
    set: (inout MuxerSettings) -> Void = { _ in }
  ) throws -> MemoryFile {
    let file = MemoryFile()
    var settings = MuxerSettings(options: options)
    settings.tracks = Array(repeating: .init(), count: media.tracks.count)
    set(&settings)
    let muxer = try type.init(media: media, sink: file.byteSink, settings: settings)
    for packet in packets { try muxer.write(packet) }
    try muxer.finish(media)
    return file
  }
}

/// Returns the description of a file and every packet with its bytes.
func packets(of file: MemoryFile, timing: PacketTiming = []) throws
  -> (MediaDescription, [(Packet, [UInt8])])
{
  let demuxer = try ISOMediaDemuxer(
    source: file.byteSource, settings: DemuxerSettings(timing: timing))
  var result: [(Packet, [UInt8])] = []
  while let packet = try demuxer.read() {
    switch packet.payload {
    case .range(let offset, let length):
      result.append((packet, Array(file.bytes[Int(offset)..<Int(offset + length)])))
    case .bytes(let buffer): result.append((packet, Array(buffer.readOnly)))
    }
  }
  return (demuxer.media, result)
}
