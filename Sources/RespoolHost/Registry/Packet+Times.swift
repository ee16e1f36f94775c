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
  /// Durations and trims out of range are set to 0, as if unknown. Returns what is wrong with them as a sentence, also
  /// for trims that are longer than the packet; `nil` if nothing is. Throws `malformed` for other times.
  mutating func checkTimes(in timeBase: Rational) throws(MediaError) -> String? {
    guard timeBase.isPositive else { return nil }
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
    let stated = (duration, trimStart, trimEnd)
    if !(0...latest).contains(duration) { duration = 0 }
    if !(0...latest).contains(trimStart) { trimStart = 0 }
    if !(0...latest).contains(trimEnd) { trimEnd = 0 }
    let isTooShort = duration > 0 && trimStart + trimEnd > duration
    guard isTooShort || stated != (duration, trimStart, trimEnd) else { return nil }
    return
      "a packet has the duration \(stated.0), the trim_start \(stated.1) and the trim_end \(stated.2); "
      + "none may be negative, and the trims must not exceed the duration"
  }
}
