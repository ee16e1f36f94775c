package import RespoolMedia

extension Packet {
  /// Seconds from the start of a movie that a time may be away: 68 years.
  ///
  /// Within them a time fits into 62 bits in every time base, so that what is computed from a few of
  /// them fits into 64.
  package static let latestSecond: Int64 = 1 << 31

  /// `latestSecond` in units of a time base.
  package static func latest(in timeBase: Rational) -> Int64 {
    min(Rational(1, 1).convert(latestSecond, to: timeBase), 1 << 62)
  }

  /// Refuses times that no media has, which damaged files are full of.
  ///
  /// Lengths that are longer count as not told. Throws `malformed`.
  mutating func checkTimes(in timeBase: Rational) throws(MediaError) {
    guard timeBase.isPositive else { return }
    let seconds = Rational(1, 1)
    let latest = Self.latest(in: timeBase)
    let allowed = -latest...latest
    for time in [pts, dts] {
      guard let time, !allowed.contains(time) else { continue }
      throw MediaError(
        .malformed,
        "a packet at \(timeBase.convert(time, to: seconds)) seconds; "
          + "none is later than \(Self.latestSecond)", track: track)
    }
    if !(0...latest).contains(duration) { duration = 0 }
    if !(0...latest).contains(trimStart) { trimStart = 0 }
    if !(0...latest).contains(trimEnd) { trimEnd = 0 }
  }
}
