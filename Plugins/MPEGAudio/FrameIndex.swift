/// Offsets of frames from which the table for seeking is made, in constant memory.
struct FrameIndex {
  /// Offset of every frame whose number is a multiple of `distance`.
  private var offsets: [Int64] = []
  private var distance = 1
  private(set) var count = 0
  private(set) var byteCount: Int64 = 0

  private static let limit = 8192

  mutating func add(size: Int) {
    if count.isMultiple(of: distance) {
      if offsets.count == Self.limit {
        offsets = stride(from: 0, to: Self.limit, by: 2).map { offsets[$0] }
        distance *= 2
      }
      if count.isMultiple(of: distance) { offsets.append(byteCount) }
    }
    count += 1
    byteCount += Int64(size)
  }

  /// Adds a frame before the others.
  ///
  /// Offsets of every frame stay exact; if only some are kept, they are those of the frame after.
  mutating func insertFirst(size: Int) {
    offsets = (distance == 1 ? [0] : []) + offsets.map { $0 + Int64(size) }
    count += 1
    byteCount += Int64(size)
  }

  /// Returns, for each percent of the duration, the offset in 256ths of all bytes, rounded down.
  ///
  /// `head` is the number of bytes before the first frame to which the table applies too.
  func table(head: Int64) -> [UInt8] {
    let total = byteCount + head
    return (0..<100).map { percent in
      let entry = count * percent / 100 / distance
      guard total > 0, offsets.indices.contains(entry) else { return 0 }
      return UInt8(clamping: (offsets[entry] + head) * 256 / total)
    }
  }
}
