import ID3
import PCMWriting
import RespoolPlugin

/// A file format of this plugin.
///
/// A type parameter, because a factory describes itself before there is an instance.
protocol AIFFChoice {
  static var name: String { get }
  static var longName: String { get }
  static var extensions: [String] { get }
  /// `true` if every file is AIFF-C, `false` if only those that AIFF cannot store.
  static var isAlwaysCompressed: Bool { get }
}

/// Files for every player: AIFF for integers, AIFF-C for what it cannot store.
enum AIFFName: AIFFChoice {
  static let name = "aiff"
  static let longName = "AIFF with ID3 tags"
  static let extensions = ["aiff", "aif"]
  static let isAlwaysCompressed = false
}

/// Files with an extension that promises AIFF-C.
enum AIFCName: AIFFChoice {
  static let name = "aifc"
  static let longName = "AIFF-C with ID3 tags"
  static let extensions = ["aifc"]
  static let isAlwaysCompressed = true
}

/// A muxer for AIFF (Audio Interchange File Format 1.3) and AIFF-C (draft of 1991-08-26).
///
/// Sizes have 32 bits: a file that gets longer fails.
final class AIFFMuxer<Choice: AIFFChoice>: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .muxer, name: Choice.name, longName: Choice.longName)
    description.tier = .preferred
    description.extensions = Choice.extensions
    description.mimeTypes = ["audio/aiff", "audio/x-aiff"]
    description.codecs = SampleCoding.codecs + FileTag.pictureCodecs
    description.channelCounts = 1...64
    description.flags = .keepsChapters
    description.options = [FileTag.option]
    return description
  }

  private let sink: ByteSink
  private let audio: Int
  private let track: TrackDescription
  private var tag: FileTag
  private var samples: PCMDataWriter
  /// Offset of the number of samples.
  private let countOffset: Int64
  /// Offset of the samples.
  private let dataStart: Int64
  /// Maximum size of a file, which its header states in 32 bits.
  private static var sizeLimit: Int64 { Int64(UInt32.max) }

  static func check(_ track: TrackDescription) throws(MediaError) {
    guard track.kind == .audio else { return try FileTag.check(track, Choice.name) }
    guard SampleCoding(track.codec) != nil else {
      throw MediaError(
        .unsupported,
        "\(Choice.name) does not carry \(track.codec); it carries "
          + SampleCoding.codecs.joined(separator: ", "))
    }
    let channels = track.channelLayout.channelCount
    guard (1...64).contains(channels), (1...Int(Int32.max)).contains(track.sampleRate) else {
      throw MediaError(
        .unsupported,
        "\(channels.counting("channel")) at \(track.sampleRate) Hz; \(Choice.name) takes 1 to 64 "
          + "at 1 Hz or more")
    }
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    for track in media.tracks { try Self.check(track) }
    audio = try FileTag.audioTrack(of: media, Choice.name)
    track = media.tracks[audio]
    guard let coding = SampleCoding(track.codec) else {
      throw MediaError(.internal, "the muxer declares \(track.codec), which has no writer")
    }
    self.sink = sink
    tag = FileTag(media, audio: audio, settings: settings)
    samples = PCMDataWriter(
      track, audio, bytesPerSample: coding.bytes, silence: coding.silence, format: Choice.name,
      to: sink)
    let isCompressed = Choice.isAlwaysCompressed || coding.compression != nil
    // The sizes of a stream stay unknown.
    var header = Array("FORM".utf8) + UInt32.max.bigEndianBytes
    header += Array((isCompressed ? "AIFC" : "AIFF").utf8)
    if isCompressed { header += Chunks.version }
    countOffset = Int64(header.count + Chunks.countOffset)
    header += Chunks.common(track, coding, isCompressed: isCompressed)
    header += Chunks.channels(track.channelLayout)
    header += Chunks.markers(media.chapters, sampleRate: track.sampleRate)
    header += Array("SSND".utf8) + UInt32.max.bigEndianBytes
    // Samples begin at once, and are not in blocks.
    header += UInt32(0).bigEndianBytes + UInt32(0).bigEndianBytes
    dataStart = Int64(header.count)
    try sink.write(header)
  }

  func timeBase(ofTrack track: Int) -> Rational {
    track == audio
      ? Rational(1, Int32(clamping: self.track.sampleRate)) : Rational(1, 1000)
  }

  func write(_ packet: Packet) throws(MediaError) {
    guard packet.track == audio else {
      guard let buffer = packet.buffer else {
        throw MediaError(.invalidArgument, "a cover is a range, not bytes", track: packet.track)
      }
      return tag.take(packet, buffer)
    }
    guard sink.size + Int64(packet.size) <= Self.sizeLimit else {
      throw MediaError(
        .limitExceeded,
        "the audio exceeds 4 GiB, the limit of \(Choice.name) files; wav takes more",
        track: audio)
    }
    try samples.write(packet)
  }

  func finish(_ media: MediaDescription) throws(MediaError) {
    let dataSize = sink.size - dataStart
    if !dataSize.isMultiple(of: 2) { try sink.write([0]) }
    // A tag is after the audio, as covers may arrive late.
    let tag = tag.bytes
    if !tag.isEmpty { try sink.write(Chunks.chunk("ID3 ", tag)) }
    guard sink.isSeekable else { return }
    guard sink.size - 8 <= Self.sizeLimit, samples.count <= Int64(UInt32.max) else {
      throw MediaError(
        .limitExceeded, "the file exceeds 4 GiB, the limit of \(Choice.name) files; wav takes more")
    }
    try sink.overwrite(at: 4, with: UInt32(sink.size - 8).bigEndianBytes)
    try sink.overwrite(at: countOffset, with: UInt32(samples.count).bigEndianBytes)
    try sink.overwrite(at: dataStart - 12, with: UInt32(dataSize + 8).bigEndianBytes)
  }
}
