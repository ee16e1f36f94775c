import RespoolMedia

/// Positions and times of the samples of a file's track; cursors move on it.
///
/// A few dozen bytes for each sample; no media is kept.
final class SampleIndex: Sendable {
  /// One sample; times in the track's time base.
  struct Entry: Sendable {
    var presentation: Int64
    var decode: Int64
    var duration: Int64
    /// Byte offset in the file.
    ///
    /// Negative if the bytes are not one range of the file.
    var offset: Int64
    var size: UInt32
    /// Hash of the bytes if they are not a range of the file: after a seek, times alone may match another packet.
    var digest: UInt32
    var flags: UInt8
    /// Index of its sample description in the track.
    var format: UInt16

    /// `true` for a sync sample.
    var isSync: Bool { Packet.Flags(rawValue: UInt32(flags)).contains(.key) }
  }

  /// Maximum number of samples of a track; 97 hours at 24 frames per second.
  static let limit = 1 << 23

  /// In decoding order.
  let entries: [Entry]
  /// Trims of audio samples by sample number; few samples have any.
  let trims: [Int: (start: Int64, end: Int64)]
  /// Samples in presentation order.
  ///
  /// `nil` if that is decoding order.
  private let shown: [Int32]?
  /// Position of each sample in presentation order.
  ///
  /// `nil` if that is decoding order.
  private let ranks: [Int32]?
  let byteCount: Int64
  /// `true` if all samples are sync samples.
  let allAreSync: Bool

  /// Creates the index of samples in decoding order; the keys of `trims` are positions in it.
  init(_ entries: [Entry], trims: [Int: (start: Int64, end: Int64)]) {
    self.entries = entries
    self.trims = trims
    allAreSync = entries.allSatisfy(\.isSync)
    byteCount = entries.reduce(0) { $0 + Int64($1.size) }
    guard zip(entries, entries.dropFirst()).contains(where: { $1.presentation < $0.presentation })
    else {
      (shown, ranks) = (nil, nil)
      return
    }
    let shown = entries.indices.map { Int32($0) }.sorted { a, b in
      let (first, second) = (entries[Int(a)].presentation, entries[Int(b)].presentation)
      return first == second ? a < b : first < second
    }
    var ranks = [Int32](repeating: 0, count: shown.count)
    for (rank, number) in shown.enumerated() { ranks[Int(number)] = Int32(rank) }
    (self.shown, self.ranks) = (shown, ranks)
  }

  /// Returns the sample at a position in presentation order.
  func sample(shownAt rank: Int) -> Int { shown.map { Int($0[rank]) } ?? rank }

  /// Returns the position of a sample in presentation order.
  func rank(of sample: Int) -> Int { ranks.map { Int($0[sample]) } ?? sample }

  /// Returns the last sample presented at or before a time, else the first presented; the index must not be empty.
  func sample(shownAtOrBefore time: Int64) -> Int {
    sample(shownAt: last { entries[sample(shownAt: $0)].presentation <= time })
  }

  /// Returns the last sample decoded at or before a time, else the first.
  func sample(decodedAtOrBefore time: Int64) -> Int { last { entries[$0].decode <= time } }

  /// Returns the last position for which `holds` is true, by binary search; 0 if there is none.
  private func last(_ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }
}
