import RespoolMedia

/// The sum of rounding errors in times that a demuxer computes packet by packet, as within a laced block.
private struct Rounding {
  /// Seconds by which the other demuxer's time is later than the own time.
  private(set) var shift = 0.0
  private var count = 0
  /// Maximum number of packets after which an error is no longer explained.
  private static let most = 32
  /// Greatest rounding error of a duration, in seconds: Matroska and Flash Video count milliseconds.
  private static let greatest = 0.001 * 1.01

  /// Adds the rounding error in the time from the packet before `index` to that packet.
  mutating func add(_ own: PeerTrack, _ other: PeerTrack, before index: Int) {
    count += 1
    guard let mine = distance(own, index), let theirs = distance(other, index),
      abs(theirs - mine) <= Self.greatest, count <= Self.most
    else {
      (shift, count) = (0, 0)
      return
    }
    shift += theirs - mine
  }

  private func distance(_ track: PeerTrack, _ index: Int) -> Double? {
    guard let time = track.seconds(track.packets[index]),
      let before = track.seconds(track.packets[index - 1])
    else { return nil }
    return time - before
  }
}

/// Comparison of times, durations, key flags and trims of packets that have the same bytes.
struct PeerTimes {
  let own: PeerTrack
  let other: PeerTrack
  /// Presentation times of the own packets, in order.
  private let starts: [Int64]

  init(own: PeerTrack, other: PeerTrack) {
    (self.own, self.other) = (own, other)
    starts = own.packets.compactMap(\.pts).sorted()
  }

  private var unit: Double { own.tolerance(to: other) }

  func check() throws(Finding) {
    var rounding = Rounding()
    for index in own.packets.indices {
      let (mine, theirs) = (own.packets[index], other.packets[index])
      if index > 0 { rounding.add(own, other, before: index) }
      if let one = own.seconds(mine), let another = other.seconds(theirs),
        min(abs(one - another), abs(another - one - rounding.shift)) > unit
      {
        throw finding(
          "pts \(PeerComparison.text(one)) s", "\(PeerComparison.text(another)) s", index)
      }
      try compareDuration(index, mine, theirs)
      let keys = (mine.flags.contains(.key), theirs.flags.contains(.key))
      guard keys.0 != keys.1, own.track.kind == .video else { continue }
      throw finding(
        keys.0 ? "the key flag" : "no key flag", keys.1 ? "the key flag" : "none", index)
    }
    try compareEnd()
  }

  private func compareDuration(_ index: Int, _ mine: Packet, _ theirs: Packet) throws(Finding) {
    // The last packet has no duration in some containers.
    guard mine.duration > 0, theirs.duration > 0, index + 1 < own.packets.count else { return }
    let durations = (
      Double(mine.duration) * own.track.timeBase.doubleValue,
      Double(theirs.duration) * other.track.timeBase.doubleValue
    )
    guard abs(durations.0 - durations.1) > unit * 2 else { return }
    // A demuxer may estimate it: the time of the next frame decides.
    guard let next = nextStart(after: mine.pts), let start = mine.pts else { return }
    let gap = Double(next - start) * own.track.timeBase.doubleValue
    guard abs(gap - durations.0) > unit * 2, abs(gap - durations.1) <= unit * 2 else { return }
    throw finding(
      "a duration of \(PeerComparison.text(durations.0)) s",
      "\(PeerComparison.text(durations.1)) s", index)
  }

  /// Returns the presentation time of the packet that is shown next.
  private func nextStart(after pts: Int64?) -> Int64? {
    guard let pts, let place = starts.firstIndex(of: pts), place + 1 < starts.count else {
      return nil
    }
    return starts[place + 1]
  }

  /// Compares the ends of audio; what is trimmed from the last packet may not be known.
  private func compareEnd() throws(Finding) {
    guard own.track.kind == .audio, let mine = end(own), let theirs = end(other) else { return }
    let length = max(own.longest, other.longest)
    guard abs(mine - theirs) > unit * 2 + length else { return }
    throw Finding(
      "\(own.name) reads audio up to \(PeerComparison.text(mine)) s, \(other.name) up to "
        + "\(PeerComparison.text(theirs)) s")
  }

  /// Time of the end of the last packet in seconds, without trims; `nil` if it has no time.
  private func end(_ track: PeerTrack) -> Double? {
    guard let last = track.packets.last, let start = track.seconds(last) else { return nil }
    return start + Double(last.duration - last.trimEnd) * track.track.timeBase.doubleValue
  }

  private func finding(_ mine: String, _ theirs: String, _ index: Int) -> Finding {
    Finding(
      "packet \(index): \(own.name) reads \(mine), \(other.name) reads \(theirs)")
  }
}
