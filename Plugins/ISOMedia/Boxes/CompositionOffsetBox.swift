import RespoolPlugin

/// `ctts`: offsets from decoding times to composition times (ISO/IEC 14496-12 8.6.1.3).
///
/// Offsets are read as signed in both versions: QuickTime and many others write negative ones into version 0,
/// where no valid file has values of 2^31 or more.
struct CompositionOffsetBox: Box {
  static let type: FourCC = "ctts"

  struct Run: Hashable, Sendable {
    var count: UInt32
    var offset: Int32
  }

  var runs: [Run]

  init(runs: [Run]) { self.runs = runs }

  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    let count = Int(try reader.big(UInt32.self))
    let words = try reader.words(count * 2)
    runs = (0..<count).map {
      Run(count: words[2 * $0], offset: Int32(bitPattern: words[2 * $0 + 1]))
    }
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(runs.contains { $0.offset < 0 } ? 1 : 0)
    writer.u32(UInt32(runs.count))
    for run in runs {
      writer.u32(run.count)
      writer.i32(run.offset)
    }
  }

  /// Appends the offset of one sample.
  mutating func append(_ offset: Int32) {
    if let last = runs.indices.last, runs[last].offset == offset, runs[last].count < .max {
      runs[last].count += 1
    } else {
      runs.append(Run(count: 1, offset: offset))
    }
  }
}
