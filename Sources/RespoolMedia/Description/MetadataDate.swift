/// Conversion of the ISO 8601 dates in tags.
public enum MetadataDate {
  /// Name of the tag with the time of recording, as FFmpeg spells it.
  ///
  /// Containers that have a field for it (`mvhd`, `DateUTC`) store it there and not among their tags.
  public static let creationTime = "creation_time"

  /// Returns seconds since the beginning of 1970, UTC; `nil` if the text is not a date.
  public static func seconds(_ text: String) -> Double? {
    var rest = text.utf8[...]
    guard let year = number(&rest, 4) else { return nil }
    guard skip(&rest, "-") else { return rest.isEmpty ? at(year, 1, 1) : nil }
    guard let month = number(&rest, 2), (1...12).contains(month) else { return nil }
    guard skip(&rest, "-") else { return rest.isEmpty ? at(year, month, 1) : nil }
    guard let day = number(&rest, 2), (1...31).contains(day) else { return nil }
    let start = at(year, month, day)
    if rest.isEmpty { return start }
    guard skip(&rest, "T") || skip(&rest, " "), let hour = number(&rest, 2), hour <= 24,
      skip(&rest, ":"), let minute = number(&rest, 2), minute < 60
    else { return nil }
    var second = 0.0
    if skip(&rest, ":") {
      guard let whole = number(&rest, 2), whole <= 60 else { return nil }
      second = Double(whole) + fraction(&rest)
    }
    guard let zone = zone(&rest), rest.isEmpty else { return nil }
    return start + Double(hour * 3600 + minute * 60) + second - zone
  }

  /// Returns the difference of two dates in whole seconds; `nil` if one of the texts is not a date.
  public static func distance(_ one: String, _ other: String) -> Int? {
    guard let one = seconds(one), let other = seconds(other) else { return nil }
    return Int(exactly: abs(one - other).rounded(.down))
  }

  /// Returns a time as FFmpeg writes `creation_time`, in UTC.
  ///
  /// `microseconds` counts from the beginning of 1970.
  ///
  /// `nil` for times before the year 1 and after the year 9999.
  public static func text(microseconds: Int64) -> String? {
    let (seconds, fraction) = divide(Int(microseconds), by: 1_000_000)
    let (days, second) = divide(seconds, by: secondsPerDay)
    let (year, month, day) = date(daysSince1970: days)
    guard (1...9999).contains(year) else { return nil }
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(second / 3600, 2))"
      + ":\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2)).\(pad(fraction, 6))Z"
  }

  private static func pad(_ value: Int, _ digits: Int) -> String {
    let text = "\(value)"
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  private static func number(_ text: inout Substring.UTF8View, _ digits: Int) -> Int? {
    let part = text.prefix(digits)
    guard part.count == digits, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    text = text.dropFirst(digits)
    return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private static func skip(_ text: inout Substring.UTF8View, _ sign: Unicode.Scalar) -> Bool {
    guard text.first == UInt8(ascii: sign) else { return false }
    text = text.dropFirst()
    return true
  }

  private static func fraction(_ text: inout Substring.UTF8View) -> Double {
    guard skip(&text, ".") else { return 0 }
    var (value, unit) = (0.0, 0.1)
    while let digit = number(&text, 1) { (value, unit) = (value + Double(digit) * unit, unit / 10) }
    return value
  }

  /// Reads `Z`, `+01:00`, `+0100`, `+01` or nothing, and returns the offset from UTC in seconds.
  private static func zone(_ text: inout Substring.UTF8View) -> Double? {
    if text.isEmpty || skip(&text, "Z") { return 0 }
    let sign: Double
    if skip(&text, "+") { sign = 1 } else if skip(&text, "-") { sign = -1 } else { return nil }
    guard let hours = number(&text, 2) else { return nil }
    _ = skip(&text, ":")
    return sign * Double(hours * 3600 + (number(&text, 2) ?? 0) * 60)
  }

  /// Returns the beginning of a day of the Gregorian calendar, in seconds since the beginning of 1970.
  private static func at(_ year: Int, _ month: Int, _ day: Int) -> Double {
    let (cycle, year) = divide(month <= 2 ? year - 1 : year, by: yearsPerCycle)
    let dayOfYear = firstDay(ofMonth: month > 2 ? month - 3 : month + 9) + day - 1
    let dayOfCycle = year * 365 + year / 4 - year / 100 + dayOfYear
    return Double((cycle * daysPerCycle + dayOfCycle - daysBefore1970) * secondsPerDay)
  }

  /// Returns the date of the Gregorian calendar that a number of days after 1970-01-01 has.
  private static func date(daysSince1970 days: Int) -> (year: Int, month: Int, day: Int) {
    let (cycle, dayOfCycle) = divide(days + daysBefore1970, by: daysPerCycle)
    // Days without the leap days before them.
    let leapDays = dayOfCycle / 1460 - dayOfCycle / 36524 + dayOfCycle / 146_096
    let year = (dayOfCycle - leapDays) / 365
    let dayOfYear = dayOfCycle - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    let isNextYear = month >= 10
    return (
      cycle * yearsPerCycle + year + (isNextYear ? 1 : 0), isNextYear ? month - 9 : month + 3,
      dayOfYear - firstDay(ofMonth: month) + 1
    )
  }

  private static let secondsPerDay = 86400
  // The Gregorian calendar repeats after 400 years. Years are counted here from March, so that a leap day is the last
  // day of its year (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms").
  private static let yearsPerCycle = 400
  private static let daysPerCycle = 146_097
  /// Days from 0000-03-01 to 1970-01-01.
  private static let daysBefore1970 = 719_468

  /// Returns the day of the year, from 0, on which a month begins; March is month 0.
  ///
  /// Any five months from March or August on have 153 days.
  private static func firstDay(ofMonth month: Int) -> Int { (153 * month + 2) / 5 }

  /// Divides and rounds down.
  private static func divide(_ value: Int, by divisor: Int) -> (quotient: Int, remainder: Int) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
