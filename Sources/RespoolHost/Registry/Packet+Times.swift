package import RespoolMedia

extension Packet {
  /// Greatest distance of a time from the start of a movie, in seconds: 68 years.
  ///
  /// In every time base, such a time fits into 62 bits, so that sums of a few of them fit into 64.
  package static let latestSecond: Int64 = 1 << 31

  /// Returns `latestSecond` in units of a time base.
  package static func latest(in timeBase: Rational) -> Int64 {
    min(Rational(1, 1).convert(latestSecond, to: timeBase), 1 << 62)
  }

  /// Checks the times of a packet, because damaged files contain impossible ones.
  ///
  /// Durations and trims out of range are set to 0, as if unknown. Throws `malformed` for other times.
  mutating func checkTimes(in timeBase: Rational) throws(MediaError) {
    guard timeBase.isPositive else { return }
    let seconds = Rational(1, 1)
    let latest = Self.latest(in: timeBase)
    let allowed = -latest...latest
    for time in [pts, dts] {
      guard let time, !allowed.contains(time) else { continue }
      throw MediaError(
        .malformed,
        "a packet at \(timeBase.convert(time, to: seconds)) seconds is "
          + "outside the limits of ±\(Self.latestSecond) seconds", track: track)
    }
    if !(0...latest).contains(duration) { duration = 0 }
    if !(0...latest).contains(trimStart) { trimStart = 0 }
    if !(0...latest).contains(trimEnd) { trimEnd = 0 }
  }
}
