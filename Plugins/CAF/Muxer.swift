import PCMWriting
import RespoolPlugin

/// A muxer for Core Audio Format files (Apple, Core Audio Format Specification 1.0), whose sizes have 64 bits.
final class CAFMuxer: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .muxer, name: "caf", longName: "Apple Core Audio Format")
    description.tier = .preferred
    description.extensions = ["caf"]
    description.mimeTypes = ["audio/x-caf"]
    description.codecs = AudioDescription.codecs
    description.channelCounts = 1...64
    description.flags = .keepsChapters
    return description
  }

  private let sink: ByteSink
  private let track: TrackDescription
  /// Writer of PCM; `nil` for packets of different sizes.
  private var samples: PCMDataWriter?
  /// Sizes of the packets that were written, without those of PCM.
  private var sizes: [Int] = []
  private var sampleCount: Int64 = 0
  /// Offset of the samples.
  private let dataStart: Int64

  static func check(_ track: TrackDescription) throws(MediaError) {
    guard track.kind == .audio, AudioDescription.codecs.contains(track.codec) else {
      throw MediaError(
        .unsupported,
        "caf does not carry \(track.codec.isEmpty ? "\(track.kind)" : track.codec); it carries "
          + AudioDescription.codecs.joined(separator: ", "))
    }
    let channels = track.channelLayout.channelCount
    guard (1...64).contains(channels), track.sampleRate > 0 else {
      throw MediaError(
        .unsupported,
        "\(channels.counting("channel")) at \(track.sampleRate) Hz; caf takes 1 to 64 at 1 Hz or more"
      )
    }
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    guard media.tracks.count == 1, let track = media.tracks.first else {
      throw MediaError(
        .unsupported, "\(media.tracks.count.counting("track")); caf takes exactly one")
    }
    try Self.check(track)
    guard let coding = AudioDescription(track) else {
      throw MediaError(.malformed, "the configuration of \(track.codec) is missing or damaged")
    }
    (self.sink, self.track) = (sink, track)
    if let bytes = coding.bytesPerSample {
      samples = PCMDataWriter(
        track, 0, bytesPerSample: bytes, silence: coding.silence, format: "caf", to: sink)
    }
    // Version 1 without flags.
    var header = Array("caff".utf8) + UInt16(1).bigEndianBytes + UInt16(0).bigEndianBytes
    header += Chunks.chunk("desc", coding.bytes)
    let layout = track.channelLayout.coreAudioBytes
    if !layout.isEmpty { header += Chunks.chunk("chan", layout) }
    if !coding.cookie.isEmpty { header += Chunks.chunk("kuki", coding.cookie) }
    header += Chunks.texts(media.metadata)
    header += Chunks.markers(media.chapters, sampleRate: track.sampleRate)
    // The size of the last chunk may be unknown, as in a stream. The samples follow a number of edits.
    header += Array("data".utf8) + Int64(-1).bigEndianBytes + UInt32(0).bigEndianBytes
    dataStart = Int64(header.count)
    try sink.write(header)
  }

  func timeBase(ofTrack track: Int) -> Rational {
    Rational(1, Int32(clamping: self.track.sampleRate))
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard samples == nil else {
      try samples?.write(packet)
      return
    }
    guard !packet.flags.contains(.discard) else { return }
    let starts = packet.pts ?? sampleCount
    guard packet.trimStart <= 0, packet.trimEnd <= 0, starts >= 0 else {
      throw MediaError(
        .unsupported, "samples at the start or the end are hidden, which caf does not store here",
        track: 0)
    }
    try sink.write(payloadOf: packet)
    sizes.append(packet.size)
    sampleCount += packet.duration
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    let end = sink.size
    // The table cannot follow a chunk of unknown size.
    guard sink.isSeekable else { return }
    if samples == nil { try sink.write(Chunks.packets(sizes, samples: sampleCount)) }
    try sink.overwrite(at: dataStart - 12, with: (end - dataStart + 4).bigEndianBytes)
  }
}
