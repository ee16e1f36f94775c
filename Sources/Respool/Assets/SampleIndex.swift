import RespoolMedia

/// Where the samples of a file's track lie and when they are shown: what cursors move on.
///
/// Some dozen bytes a sample; no media is kept.
final class SampleIndex: Sendable {
  /// One sample; times in the track's time base.
  struct Entry: Sendable {
    var presentation: Int64
    var decode: Int64
    var duration: Int64
    /// Of its bytes in the file; negative where it does not lie there in one piece.
    var offset: Int64
    var size: UInt32
    /// Of the bytes where they are no range of the file: times alone may name another packet after a seek.
    var digest: UInt32
    var flags: UInt8
    /// Of the track's formats.
    var format: UInt16

    /// Whether decoding can start at it.
    var isSync: Bool { Packet.Flags(rawValue: UInt32(flags)).contains(.key) }
  }

  /// Samples of one track that are looked at; 97 hours of 24 pictures a second.
  static let limit = 1 << 23

  /// In decoding order.
  let entries: [Entry]
  /// What is cut off sound, by the sample: few have that.
  let trims: [Int: (start: Int64, end: Int64)]
  /// Samples in the order in which they are shown; nil: that of decoding.
  private let shown: [Int32]?
  /// Where each sample stands in that order.
  private let ranks: [Int32]?
  let byteCount: Int64
  /// Whether decoding can start at each.
  let allAreSync: Bool

  /// Makes the index of samples in decoding order; `trims` are by their places in it.
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

  /// The sample at a place of the order in which they are shown.
  func sample(shownAt rank: Int) -> Int { shown.map { Int($0[rank]) } ?? rank }

  /// The place of a sample in the order in which they are shown.
  func rank(of sample: Int) -> Int { ranks.map { Int($0[sample]) } ?? sample }

  /// The last sample that is shown at or before a time, else the first that is shown; there is one.
  func sample(shownAtOrBefore time: Int64) -> Int {
    sample(shownAt: last { entries[sample(shownAt: $0)].presentation <= time })
  }

  /// The last sample that is decoded at or before a time, else the first.
  func sample(decodedAtOrBefore time: Int64) -> Int { last { entries[$0].decode <= time } }

  /// The last place for which something holds that holds up to some place only; 0 where it never does.
  private func last(_ holds: (Int) -> Bool) -> Int {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }
}
