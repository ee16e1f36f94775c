import RespoolPlugin

/// The SEEKTABLE block (RFC 9639 8.5), with a point every 10 seconds as flac writes it.
struct SeekTable {
  private struct Point {
    /// Number of the frame's first audio sample.
    var sample: Int64
    /// Offset of the frame from the first one, in bytes.
    var offset: Int64
    var sampleCount: Int
  }

  private static let seconds: Int64 = 10
  private static let pointSize = 18
  /// Maximum number of points: those of 11 days.
  private static let most = 100_000

  private let interval: Int64
  private var points: [Point] = []
  private var next: Int64 = 0

  init(sampleRate: Int) { interval = Int64(max(1, sampleRate)) * Self.seconds }

  /// Returns the number of points for a duration in nanoseconds; 0 if it is unknown.
  static func pointCount(duration: Int64?) -> Int {
    guard let duration, duration > 0 else { return 0 }
    return Int(min(duration / (seconds * 1_000_000_000) + 1, Int64(most)))
  }

  /// Adds the frame if the next point is in it.
  mutating func add(sample: Int64, offset: Int64, sampleCount: Int) {
    guard next < sample + Int64(sampleCount), points.count < Self.most else { return }
    points.append(Point(sample: sample, offset: offset, sampleCount: sampleCount))
    next = (sample + Int64(sampleCount) + interval - 1) / interval * interval
  }

  var pointCount: Int { points.count }

  /// Returns the body of the block with `count` points.
  ///
  /// If there are more, the table gets some of them in equal distances; if there are fewer, it gets placeholders.
  func block(_ count: Int) -> [UInt8] {
    let shown =
      points.count <= count
      ? points : (0..<count).map { points[$0 * points.count / count] }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count * Self.pointSize)
    for point in shown {
      bytes += point.sample.bigEndianBytes + point.offset.bigEndianBytes
      bytes += UInt16(clamping: point.sampleCount).bigEndianBytes
    }
    let placeholder = [UInt8](repeating: 0xFF, count: 8) + [UInt8](repeating: 0, count: 10)
    for _ in shown.count..<max(shown.count, count) { bytes += placeholder }
    return bytes
  }
}
