import RespoolPlugin

/// `stts`: durations of the samples in decoding order, run-length coded (ISO/IEC 14496-12 8.6.1.2).
struct TimeToSampleBox: Box {
  static let type: FourCC = "stts"

  struct Run: Hashable, Sendable {
    var count: UInt32
    var duration: UInt32
  }

  var runs: [Run]

  init(runs: [Run]) { self.runs = runs }

  init(from reader: inout ByteReader) throws(MediaError) {
    _ = try reader.versionAndFlags()
    let count = Int(try reader.big(UInt32.self))
    let words = try reader.words(count * 2)
    runs = (0..<count).map { Run(count: words[2 * $0], duration: words[2 * $0 + 1]) }
  }

  func write(to writer: inout BoxWriter) {
    writer.versionAndFlags(0)
    writer.u32(UInt32(runs.count))
    for run in runs {
      writer.u32(run.count)
      writer.u32(run.duration)
    }
  }

  /// Appends the duration of one sample.
  mutating func append(_ duration: UInt32) {
    if let last = runs.indices.last, runs[last].duration == duration, runs[last].count < .max {
      runs[last].count += 1
    } else {
      runs.append(Run(count: 1, duration: duration))
    }
  }
}
