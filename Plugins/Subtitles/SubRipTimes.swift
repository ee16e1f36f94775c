import RespoolPlugin

/// The line of a SubRip file with the times of a cue.
///
/// Writers differ, so that it is read as FFmpeg and mkvmerge do, whichever accepts more: spaces between numbers, points
/// for commas, hours of any length, arrows with one hyphen. Digits after the comma are a decimal fraction, as in
/// mkvmerge; FFmpeg takes `1,5` for 1.005 s.
struct SubRipTimes {
  /// Times in milliseconds, which may be negative or reversed.
  private(set) var start: Int64 = 0
  private(set) var end: Int64 = 0
  /// The part of the line after the times.
  private(set) var rest: CueLines.Line

  /// Reads a line; `nil` if it has no times.
  init?(_ line: CueLines.Line) {
    rest = line
    guard let first = time(), isArrow(), let last = time() else { return nil }
    (start, end) = (first, last)
  }

  /// Text of a cue that follows its times on the same line; empty for coordinates and settings, such as `X1:40`.
  var text: CueLines.Line {
    let words = rest.split { $0 == 32 || $0 == 9 }
    guard let first = words.first, let last = words.last,
      !first.dropLast().contains(UInt8(ascii: ":"))
    else { return [] }
    return rest[first.startIndex..<last.endIndex]
  }

  /// Reads a time of hours, minutes and seconds, or of minutes, seconds and a fraction.
  private mutating func time() -> Int64? {
    skipSpaces()
    let isNegative = take("-")
    guard let first = number(), take(":"), let second = number() else { return nil }
    var total = first.value * 60 + second.value
    let hasHours = take(":")
    if hasHours {
      guard let third = number() else { return nil }
      total = total * 60 + third.value
    }
    total *= 1000
    if take(",") || take(".") || hasHours && take(":") {
      guard let fraction = number() else { return nil }
      var (value, digits) = fraction
      while digits < 3 { (value, digits) = (value * 10, digits + 1) }
      while digits > 3 { (value, digits) = (value / 10, digits - 1) }
      total += value
    } else if !hasHours {
      return nil
    }
    return isNegative ? -total : total
  }

  private mutating func isArrow() -> Bool {
    skipSpaces()
    guard take("-") else { return false }
    while take("-") || take(" ") {}
    return take(">")
  }

  /// Reads a number of at most nine digits, after spaces.
  private mutating func number() -> (value: Int64, digits: Int)? {
    skipSpaces()
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...9).contains(digits.count) else { return nil }
    rest = rest.dropFirst(digits.count)
    return (digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }, digits.count)
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func skipSpaces() { rest = rest.drop { $0 == 32 || $0 == 9 } }
}
