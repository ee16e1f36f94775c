import RespoolMedia

/// Comparison of the declared durations of an intact file with the times of its packets.
struct DurationCheck {
  let file: ReadFile
  /// `true` if the demuxer derives durations from the size of the file, because the file states none.
  let isEstimate: Bool

  /// Throws if a declared duration is not that of the packets.
  func run() throws(Finding) -> String {
    guard !file.media.endsEarly else { throw .skipped("the file ends early") }
    var whole: Extent?
    // Subtitles may end after the media, and count or not.
    var endOfOthers = 0.0
    for (index, track) in file.media.tracks.enumerated() {
      guard let extent = Extent(file.packets(of: index), track.timeBase) else { continue }
      guard track.isMovingPicture || track.kind == .audio else {
        endOfOthers = max(endOfOthers, extent.longest)
        continue
      }
      if let declared = track.duration {
        try compare(
          Double(declared) * track.timeBase.doubleValue, extent, "\(TrackNumber(index: index))")
      }
      whole = whole.map { $0.joined(with: extent) } ?? extent
    }
    guard let declared = file.statedDuration, var whole else {
      throw .skipped(
        file.statedDuration == nil
          ? "no duration is stated" : "no track has two packets with times")
    }
    whole.longest = max(whole.longest, endOfOthers)
    let seconds = Double(declared) / 1e9
    try compare(seconds, whole, "the file")
    return "\(seconds) s"
  }

  private func compare(_ declared: Double, _ extent: Extent, _ what: String) throws(Finding) {
    // An estimate is computed from a bit rate, which may vary by a factor of two.
    let isRight =
      isEstimate
      ? declared > 0 && declared >= extent.shortest / 2 - 1 && declared <= extent.longest * 2 + 1
      : declared >= extent.shortest - extent.tolerance
        && declared <= extent.longest + extent.tolerance
    guard !isRight else { return }
    throw Finding(
      "the duration of \(what) is stated as \(declared) s; its packets end at \(extent.longest) s",
      cause: "a stated duration is not that of the packets")
  }
}

/// Durations that the packets of a track justify, in seconds.
private struct Extent {
  /// Duration without the time before a track that starts late.
  var shortest: Double
  /// Duration with the time before a track that starts late, and with media before 0.
  var longest: Double
  /// Greatest duration of a packet or distance of pts and dts, and 10 ms for units of containers.
  ///
  /// The last packet has no duration in some containers. Headers may have the sum of all durations, which ends with the
  /// last decode time instead of the last presentation time.
  var tolerance: Double

  /// `nil` if there are fewer than two packets with times.
  init?(_ packets: [Packet], _ timeBase: Rational) {
    let shown = packets.filter { !$0.flags.contains(.discard) && $0.pts != nil }
    guard shown.count > 1, timeBase.isPositive else { return nil }
    let starts = shown.compactMap(\.pts).sorted()
    let first = shown.map { ($0.pts ?? 0) + $0.trimStart }.min() ?? 0
    let end = shown.map { ($0.pts ?? 0) + max(0, $0.duration - $0.trimEnd) }.max() ?? 0
    let gap = zip(starts, starts.dropFirst()).map { $1 - $0 }.max() ?? 0
    let longestPacket = max(gap, shown.map(\.duration).max() ?? 0)
    let unit = timeBase.doubleValue
    shortest = Double(min(end, end - first)) * unit
    longest = Double(max(end, end - first)) * unit
    let reordering = shown.map { ($0.pts ?? 0) - ($0.dts ?? $0.pts ?? 0) }.max() ?? 0
    tolerance = Double(max(longestPacket, reordering)) * unit + 0.01
  }

  /// Returns the extent of both tracks together.
  func joined(with other: Extent) -> Extent {
    var both = self
    both.shortest = max(shortest, other.shortest)
    both.longest = max(longest, other.longest)
    both.tolerance = max(tolerance, other.tolerance)
    return both
  }
}
