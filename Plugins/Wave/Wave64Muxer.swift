import PCMWriting
import RespoolPlugin

/// A muxer for Sony Wave64 files, whose sizes have 64 bits.
///
/// Sony Pictures Digital, Wave64 file format specification: chunks begin with a GUID and a size that counts the header,
/// and are aligned to eight bytes.
final class Wave64Muxer: Muxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .muxer, name: "w64", longName: "Sony Wave64")
    description.tier = .preferred
    description.extensions = ["w64"]
    description.mimeTypes = ["audio/x-w64"]
    description.codecs = WaveMuxer.audioCodecs
    description.channelCounts = 1...64
    return description
  }

  /// GUIDs of chunks as stored, by the names of the same chunks in RIFF.
  private enum Identifier {
    static let riff = Array("riff".utf8) + ofForm
    static let wave = Array("wave".utf8) + ofChunk
    static let format = Array("fmt ".utf8) + ofChunk
    static let count = Array("fact".utf8) + ofChunk
    static let data = Array("data".utf8) + ofChunk
    /// Texts by the names of an `INFO` list.
    static let summary: [UInt8] = [
      0xBC, 0x94, 0x5F, 0x92, 0x5A, 0x52, 0xD2, 0x11, 0x86, 0xDC, 0x00, 0xC0, 0x4F, 0x8E, 0xDB,
      0x8A,
    ]
    private static let ofForm: [UInt8] = [
      0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6, 0x28, 0xDB, 0x04, 0xC1, 0x00, 0x00,
    ]
    private static let ofChunk: [UInt8] = [
      0xF3, 0xAC, 0xD3, 0x11, 0x8C, 0xD1, 0x00, 0xC0, 0x4F, 0x8E, 0xDB, 0x8A,
    ]
  }

  /// Bytes of a GUID and a size.
  private static let headerSize = 24

  private let sink: ByteSink
  private let track: TrackDescription
  private var samples: PCMDataWriter
  /// Offset of the number of samples.
  private let countOffset: Int64
  /// Offset of the samples.
  private let dataStart: Int64

  static func check(_ track: TrackDescription) throws(MediaError) {
    try WaveMuxer.check(track, format: "w64")
  }

  init(media: MediaDescription, sink: ByteSink, settings: MuxerSettings) throws(MediaError) {
    guard media.tracks.count == 1, let track = media.tracks.first else {
      throw MediaError(
        .unsupported, "\(media.tracks.count.counting("track")); w64 takes exactly one")
    }
    try Self.check(track)
    guard let coding = WaveCoding(track.codec) else {
      throw MediaError(.internal, "the muxer declares \(track.codec), which has no writer")
    }
    (self.sink, self.track) = (sink, track)
    samples = PCMDataWriter(
      track, 0, bytesPerSample: coding.bytes, silence: coding.silence, format: "w64", to: sink)
    // The sizes of a stream stay unknown.
    var header = LittleEndianBytes()
    header.bytes = Identifier.riff
    header.add(Int64.max)
    header.bytes += Identifier.wave
    header.bytes += Self.chunk(Identifier.format, WaveFormat.chunk(for: track))
    countOffset = Int64(header.bytes.count + Self.headerSize)
    header.bytes += Self.chunk(Identifier.count, [UInt8](repeating: 0, count: 8))
    let texts = InfoList.texts(media.metadata)
    if !texts.isEmpty { header.bytes += Self.summary(texts) }
    header.bytes += Identifier.data
    header.add(Int64.max)
    dataStart = Int64(header.bytes.count)
    try sink.write(header.bytes)
  }

  private static func chunk(_ identifier: [UInt8], _ body: [UInt8]) -> [UInt8] {
    var chunk = LittleEndianBytes()
    chunk.bytes = identifier
    chunk.add(Int64(headerSize + body.count))
    return chunk.bytes + body + padding(after: Int64(body.count))
  }

  private static func padding(after size: Int64) -> [UInt8] {
    [UInt8](repeating: 0, count: Int((8 - size % 8) % 8))
  }

  /// Returns the chunk of texts: their number, and for each a name, a size and UTF-16 with a zero at the end.
  private static func summary(_ texts: [(chunk: String, text: String)]) -> [UInt8] {
    var body = LittleEndianBytes()
    body.add(UInt32(clamping: texts.count))
    for (name, text) in texts {
      body.bytes += Array(name.utf8)
      let units = Array(text.utf16) + [0]
      body.add(UInt32(clamping: units.count * 2))
      for unit in units { body.add(unit) }
    }
    return chunk(Identifier.summary, body.bytes)
  }

  func timeBase(ofTrack track: Int) -> Rational {
    Rational(1, Int32(clamping: self.track.sampleRate))
  }

  func write(_ packet: Packet) throws(MediaError) { try samples.write(packet) }

  func finish(_ media: MediaDescription) throws(MediaError) {
    let end = sink.size
    try sink.write(Self.padding(after: end))
    guard sink.isSeekable else { return }
    try overwrite(at: 16, with: sink.size)
    try overwrite(at: dataStart - 8, with: end - dataStart + Int64(Self.headerSize))
    try overwrite(at: countOffset, with: samples.count)
  }

  private func overwrite(at offset: Int64, with number: Int64) throws(MediaError) {
    var bytes = LittleEndianBytes()
    bytes.add(number)
    try sink.overwrite(at: offset, with: bytes.bytes)
  }
}
