import RespoolPlugin

/// `stsc`: the number of samples in each chunk (ISO/IEC 14496-12 8.7.4).
struct SampleToChunkBox: Box {
  static let type: FourCC = "stsc"

  struct Run: Hashable, Sendable {
    /// Counts from 1.
    var firstChunk: UInt32
    var samplesPerChunk: UInt32
    /// Counts from 1.
    var descriptionIndex: UInt32
  }

  var runs: [Run]

  init(runs: [Run]) { self.runs = runs }

  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    let count = Int(try reader.big(UInt32.self))
    let words = try reader.words(count * 3)
    runs = (0..<count).map {
      Run(
        firstChunk: words[3 * $0], samplesPerChunk: words[3 * $0 + 1],
        descriptionIndex: words[3 * $0 + 2])
    }
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(runs.count))
    for run in runs { writer.words([run.firstChunk, run.samplesPerChunk, run.descriptionIndex]) }
  }
}
