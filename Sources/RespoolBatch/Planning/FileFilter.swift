import Glibc
import RespoolMedia

/// Rules by which files of the input folders are left out of a batch.
///
/// Files that the user names as inputs are never left out.
public struct FileFilter: Sendable {
  /// Patterns of fnmatch(3); a file must match one of them if there are any.
  ///
  /// A pattern without a slash applies to the name, one with a slash to the path below the input, which `/` or `./` may
  /// precede. `*` also matches slashes. Upper and lower case are equal. A folder that matches stands for all in it.
  public var include: [String] = []
  /// Patterns of files and folders that are left out, in the same form.
  public var exclude: [String] = []
  /// Least size in bytes.
  ///
  /// 0 for no limit.
  public var leastSize: Int64 = 0
  /// Modification time that a file must be later than, in nanoseconds since 1970.
  ///
  /// `nil` for no limit.
  public var newerThan: Int64?

  public init() {}

  /// `true` if no file is left out.
  var isEmpty: Bool { include.isEmpty && exclude.isEmpty && leastSize <= 0 && newerThan == nil }

  /// Returns the reason to leave out a file; `nil` if it belongs to the batch.
  func reason(againstFile name: String, _ relative: String, size: Int64, modified: Int64)
    -> String?
  {
    if let reason = reason(againstFolder: name, relative) { return reason }
    if !include.isEmpty, !include.contains(where: { Self.matchesAny($0, relative) }) {
      return "excluded: no pattern of --include matches"
    }
    if size < leastSize { return "excluded: smaller than --min-size" }
    if let newerThan, modified <= newerThan { return "excluded: not modified since --newer-than" }
    return nil
  }

  /// Returns the reason not to enter a folder; `nil` if its files may belong to the batch.
  func reason(againstFolder name: String, _ relative: String) -> String? {
    exclude.first { Self.matches($0, name, relative) }.map { "excluded by --exclude \($0)" }
  }

  /// Returns `true` if a pattern matches the file with a path below the input, or a folder on the way to it.
  private static func matchesAny(_ pattern: String, _ relative: String) -> Bool {
    var path = relative
    while path != "." {
      if matches(pattern, PathName.last(path), path) { return true }
      path = PathName.folder(path)
    }
    return false
  }

  private static func matches(_ pattern: String, _ name: String, _ relative: String) -> Bool {
    // `Trash/` is the folder Trash.
    var text = pattern.hasSuffix("/") ? String(pattern.dropLast()) : pattern
    let subject = text.contains("/") ? relative : name
    for start in ["./", "/"] where text.hasPrefix(start) { text.removeFirst(start.count) }
    let before = uselocale(characters)
    defer { uselocale(before) }
    return PathName.withSystemPath(text) { text in
      PathName.withSystemPath(subject) { fnmatch(text, $0, foldsCase) == 0 }
    }
  }

  /// FNM_CASEFOLD of fnmatch.h, an extension of GNU.
  private static let foldsCase: Int32 = 1 << 4

  /// Locale in which `?` is a character and not a byte; that of C if it does not exist.
  // Never freed or changed, so that every thread may use it.
  nonisolated(unsafe) private static let characters = newlocale(
    Int32(1 << LC_CTYPE), "C.UTF-8", nil)
}

/// A number of bytes as people write it: `800`, `1.5M`, `2 GiB`.
public struct ByteCount: Sendable {
  public let bytes: Int64

  /// `nil` unless the text is a number of 0 or more with a unit of B, k, M, G or T, or Ki, Mi, Gi or Ti.
  ///
  /// Units without an i are powers of 1000 (IEC 80000-13). A B at the end and spaces before the unit are allowed.
  public init?(_ text: String) {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    var unit = text[digits.endIndex...].drop { $0 == " " }.lowercased()
    if unit.hasSuffix("b") { unit.removeLast() }
    let isBinary = unit.hasSuffix("i")
    if isBinary { unit.removeLast() }
    guard let power = ["", "k", "m", "g", "t"].firstIndex(of: unit), !(isBinary && power == 0),
      let number = Double(digits)
    else { return nil }
    let value = (0..<power).reduce(number) { value, _ in value * (isBinary ? 1024 : 1000) }
    guard let bytes = Int64(exactly: value.rounded()) else { return nil }
    self.bytes = bytes
  }

  /// Returns a size such as `12 MB`, with at most three digits before the unit.
  package static func text(_ bytes: Int64) -> String {
    var (value, units) = (Double(bytes), ["B", "kB", "MB", "GB", "TB", "PB"][...])
    while value >= 999.5, units.count > 1 {
      value /= 1000
      units.removeFirst()
    }
    let text =
      value < 9.95 && bytes >= 1000 ? "\((value * 10).rounded() / 10)" : "\(Int(value.rounded()))"
    return "\(text) \(units.first ?? "B")"
  }
}

/// A moment as people write it: a date, a date with a time, or an age.
public struct Moment: Sendable {
  /// Nanoseconds since 1970; the least or the greatest number if the time is beyond.
  public let nanoseconds: Int64

  /// `nil` unless the text is `2026-01-31`, `2026-01-31 12:30`, `2026-01-31T12:30:59` in local time, or an age such as
  /// `36h`, `7d`, `2w`.
  public init?(_ text: String) {
    if let age = Age(text) {
      nanoseconds = (Int64(time(nil)) - age.seconds).multipliedClamped(by: 1_000_000_000)
      return
    }
    let words = text.split(
      separator: text.contains("T") ? "T" : " ", omittingEmptySubsequences: false)
    guard words.count <= 2, let date = Self.numbers(words[0], by: "-"), date.count == 3,
      let clock = words.count == 2 ? Self.numbers(words[1], by: ":") : [0, 0],
      (2...3).contains(clock.count)
    else { return nil }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday) = (date[0] - 1900, date[1] - 1, date[2])
    (parts.tm_hour, parts.tm_min, parts.tm_sec) = (
      clock[0], clock[1], clock.count > 2 ? clock[2] : 0
    )
    parts.tm_isdst = -1
    let wanted = parts
    let moment = mktime(&parts)
    // mktime turns 31 February into a day of March.
    guard moment != -1, parts.tm_mday == wanted.tm_mday, parts.tm_mon == wanted.tm_mon,
      parts.tm_min == wanted.tm_min, parts.tm_sec == wanted.tm_sec, wanted.tm_hour < 24
    else { return nil }
    nanoseconds = Int64(moment).multipliedClamped(by: 1_000_000_000)
  }

  /// Returns numbers of at most four digits; `nil` if the text has anything else.
  private static func numbers(_ text: Substring, by separator: Character) -> [Int32]? {
    var numbers: [Int32] = []
    for part in text.split(separator: separator, omittingEmptySubsequences: false) {
      guard (1...4).contains(part.count), part.allSatisfy({ $0.isASCII && $0.isNumber }),
        let number = Int32(part)
      else { return nil }
      numbers.append(number)
    }
    return numbers
  }
}

/// A length of time as people write it: `90m`, `36h`, `7d`, `2w`.
public struct Age: Sendable {
  public let seconds: Int64

  /// `nil` unless the text is a number up to 1,000,000 with a unit.
  public init?(_ text: String) {
    let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400, "w": 604_800]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
      (0...1_000_000).contains(count)
    else { return nil }
    seconds = count * unit
  }
}
