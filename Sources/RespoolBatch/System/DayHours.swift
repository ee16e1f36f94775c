import Glibc

/// A part of each day in local time, such as 22:00-07:00.
public struct DayHours: Sendable, Hashable {
  /// Minutes since midnight at which it begins and ends; it lasts over midnight if it ends earlier.
  public let begin: Int
  public let end: Int

  /// Creates the hours of a text such as `22:00-07:00`; `nil` if it has another form or both times are equal.
  public init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let begin = Self.minutes(parts[0]), let end = Self.minutes(parts[1]),
      begin != end
    else { return nil }
    (self.begin, self.end) = (begin, end)
  }

  /// Returns the minutes of a time such as 7:05 or 24:00.
  private static func minutes(_ text: Substring) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 2, (1...2).contains(parts[0].utf8.count),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let hours = Int(parts[0]), let minutes = Int(parts[1]), minutes < 60,
      hours < 24 || hours == 24 && minutes == 0
    else { return nil }
    return (hours * 60 + minutes) % 1440
  }

  /// Returns `true` if the minute of the day lies in these hours.
  public func contains(minute: Int) -> Bool {
    begin < end ? (begin..<end).contains(minute) : minute >= begin || minute < end
  }

  /// `true` if these hours are now.
  var areNow: Bool {
    var (now, fields) = (time(nil), tm())
    guard localtime_r(&now, &fields) != nil else { return true }
    return contains(minute: Int(fields.tm_hour) * 60 + Int(fields.tm_min))
  }

  /// The time at which these hours begin, such as 22:00.
  var beginText: String { Self.text(begin) }

  /// Text of which the same hours can be created.
  var text: String { "\(Self.text(begin))-\(Self.text(end))" }

  private static func text(_ minute: Int) -> String {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return "\(two(minute / 60)):\(two(minute % 60))"
  }
}
