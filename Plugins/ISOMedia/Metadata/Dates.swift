/// Dates of ISO files, counted in seconds from 1904-01-01 UTC.
enum Dates {
  /// FFmpeg's `creation_time`, nil where the file does not tell.
  static func text(_ seconds: UInt64) -> String? {
    // Some writers count from 1970.
    guard seconds > 0, seconds < 1 << 40 else { return nil }
    let unix = seconds >= 2_082_844_800 ? Int(seconds) - 2_082_844_800 : Int(seconds)
    let (days, rest) = unix.quotientAndRemainder(dividingBy: 86400)
    let (year, month, day) = civil(days)
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(rest / 3600, 2))"
      + ":\(pad(rest / 60 % 60, 2)):\(pad(rest % 60, 2)).000000Z"
  }

  private static func pad(_ value: Int, _ digits: Int) -> String {
    let text = "\(value)"
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// Year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
  private static func civil(_ days: Int) -> (Int, Int, Int) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let ofEra = shifted % 146_097
    let year = (ofEra - ofEra / 1460 + ofEra / 36524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * year + year / 4 - year / 100)
    let month = (5 * ofYear + 2) / 153
    let day = ofYear - (153 * month + 2) / 5 + 1
    let civilMonth = month < 10 ? month + 3 : month - 9
    return (year + era * 400 + (civilMonth <= 2 ? 1 : 0), civilMonth, day)
  }
}
