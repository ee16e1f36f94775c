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
    let (days, rest) = microseconds.quotientAndRemainder(dividingBy: 86_400_000_000)
    let day = rest < 0 ? days - 1 : days
    let ofDay = rest < 0 ? rest + 86_400_000_000 : rest
    let (year, month, dayOfMonth) = civil(Int(day))
    guard (1...9999).contains(year) else { return nil }
    let second = Int(ofDay / 1_000_000)
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(dayOfMonth, 2))T\(pad(second / 3600, 2))"
      + ":\(pad(second / 60 % 60, 2)):\(pad(second % 60, 2)).\(pad(Int(ofDay % 1_000_000), 6))Z"
  }

  private static func pad(_ value: Int, _ digits: Int) -> String {
    let text = "\(value)"
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// Converts a number of days since 1970-01-01 to year, month and day of the Gregorian calendar.
  private static func civil(_ days: Int) -> (Int, Int, Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let ofEra = shifted - era * 146_097
    let year = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    let day = ofYear - (153 * month + 2) / 5 + 1
    let civilMonth = month < 10 ? month + 3 : month - 9
    return (year + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, day)
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
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let ofEra = shifted - era * 400
    let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let days = era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    return Double(days) * 86400
  }
}
