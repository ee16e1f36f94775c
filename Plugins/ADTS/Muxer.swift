import ID3
import RespoolPlugin

/// A muxer for AAC files of ADTS frames (ISO/IEC 14496-3 annex 1.A.3.2), with an ID3 tag in front.
///
/// The format stores no times, and neither the delay of the encoder nor the padding at the end.
final class ADTSMuxer: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .muxer, name: "adts", longName: "AAC in ADTS, with ID3 tags")
    description.tier = .preferred
    description.flags = [.needsBytes, .keepsChapters, .presentsDelay]
    description.aliases = ["aac"]
    description.extensions = ["aac", "adts"]
    description.mimeTypes = ["audio/aac", "audio/aacp"]
    description.codecs = ["aac"] + FileTag.pictureCodecs
    description.channelCounts = 1...8
    description.options = [FileTag.option]
    return description
  }

  /// Frames that wait for covers: a missing cover must not hold back more than some seconds of audio.
  private static let earlyLimit = 1000

  private let sink: ByteSink
  private let audio: Int
  private let timeBase: Rational
  /// The header without the length of the frame; `nil` if packets have headers.
  private let header: ADTSFrameHeader?
  private var tag: FileTag
  private var early: [MediaBuffer] = []
  private var hasTag = false

  static func check(_ track: TrackDescription) throws(MediaError) {
    guard track.kind == .audio else { return try FileTag.check(track, "adts") }
    guard track.codec == "aac" else {
      throw MediaError(.unsupported, "adts carries aac, not \(track.codec)")
    }
    _ = try header(of: track)
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    for track in media.tracks { try Self.check(track) }
    audio = try FileTag.audioTrack(of: media, "adts")
    let track = media.tracks[audio]
    header = try Self.header(of: track)
    timeBase = Rational(1, Int32(clamping: max(1, track.sampleRate)))
    self.sink = sink
    tag = FileTag(media, audio: audio, settings: settings)
  }

  private static func header(of track: TrackDescription) throws(MediaError) -> ADTSFrameHeader? {
    guard !track.extradata.isEmpty else { return nil }
    return try ADTSFrameHeader(AudioSpecificConfiguration(track.extradata))
  }

  func timeBase(ofTrack track: Int) -> Rational {
    track == audio ? timeBase : Rational(1, 1000)
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard let buffer = packet.buffer else {
      throw MediaError(.invalidArgument, "adts needs the bytes of a packet, not a range")
    }
    if packet.track != audio {
      tag.take(packet, buffer)
    } else if hasTag {
      try append(buffer)
    } else {
      early.append(buffer)
    }
    if !hasTag, tag.isComplete || early.count >= Self.earlyLimit { try writeEarly() }
  }

  private func writeEarly() throws(MediaError) {
    guard !hasTag else { return }
    hasTag = true
    let bytes = tag.bytes
    if !bytes.isEmpty { try sink.write(bytes) }
    for buffer in early { try append(buffer) }
    early = []
  }

  private func append(_ buffer: MediaBuffer) throws(MediaError) {
    let bytes = Array(buffer.readOnly)
    if let header {
      try sink.write(header.bytes(frameSize: bytes.count) + bytes)
      return
    }
    // A frame that its source has cut off stays so.
    guard let own = try? ADTSHeader(bytes.prefix(9)), own.frameLength >= bytes.count else {
      throw MediaError(
        .malformed,
        "a packet of \(bytes.count.counting("byte")) is not a frame with an ADTS header",
        track: audio)
    }
    try sink.write(bytes)
  }

  func finish(_ media: MediaDescription) throws(MediaError) { try writeEarly() }
}
