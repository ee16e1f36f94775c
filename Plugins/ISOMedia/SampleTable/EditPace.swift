import RespoolPlugin

/// The mapping of an edit's media to the presentation, at the edit's rate (ISO/IEC 14496-12 8.6.6).
///
/// Times are laid out at normal speed first, in units of the media. The time base of a track with rates has
/// several units for each of these, so that all times stay whole numbers.
struct EditPace: Hashable {
  /// Start of the edit in the presentation, in units of the media.
  var origin: Int64 = 0
  /// Speed of the media: 2 halves its duration.
  var rate = EditPace.normal
  /// Number of units of the track's time base in a unit of the media.
  var multiple: Int64 = 1

  static let normal = Rational(1, 1)

  /// Returns the presentation time of a time at normal speed.
  func time(_ time: Int64) -> Int64 {
    if self == EditPace(origin: origin) { return time }
    return Self.clamped(Int128(origin) * Int128(multiple) + scaled(Int128(time) - Int128(origin)))
  }

  /// Returns the presented duration of a duration of the media.
  func length(_ duration: Int64) -> Int64 {
    if self == EditPace(origin: origin) { return duration }
    return Self.clamped(scaled(Int128(duration)))
  }

  /// Moves the times of a packet, which are at normal speed, into the presentation.
  func apply(to packet: inout Packet) {
    packet.pts = packet.pts.map(time)
    packet.dts = packet.dts.map(time)
    packet.duration = length(packet.duration)
    packet.trimStart = length(packet.trimStart)
    packet.trimEnd = length(packet.trimEnd)
  }

  private func scaled(_ units: Int128) -> Int128 {
    units * Int128(multiple) * Int128(rate.denominator) / Int128(rate.numerator)
  }

  private static func clamped(_ time: Int128) -> Int64 {
    Int64(min(max(-Int128(MediaEdit.latest), time), Int128(MediaEdit.latest)))
  }

  /// Returns the lowest multiple with which times at these rates are whole numbers.
  ///
  /// 1 if `timeScale` does not allow it; times are rounded then.
  static func multiple(for rates: some Sequence<Rational>, timeScale: Int64) -> Int64 {
    var multiple: Int64 = 1
    for rate in rates where rate.isPositive {
      let factor = Int64(rate.numerator)
      multiple = multiple / multiple.greatestCommonDivisor(factor) * factor
      guard multiple <= Int64(Int32.max) / max(1, timeScale) else { return 1 }
    }
    return multiple
  }
}
