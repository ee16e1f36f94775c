/// Chapters in comments: `CHAPTER001=00:01:02.500` and `CHAPTER001NAME=...`
/// (https://wiki.xiph.org/Chapter_Extension).
extension VorbisComments {
  /// The fields that do not belong to chapters.
  public var fieldsWithoutChapters: [MetadataEntry] {
    let numbers = Set(starts.keys)
    return fields.filter { field in
      guard let (number, part) = Self.chapter(field.name) else { return true }
      return !numbers.contains(number) || !["", "NAME"].contains(part)
    }
  }

  /// Returns the chapters, sorted by start.
  ///
  /// `duration` is the end of the last one, in nanoseconds.
  public func chapters(duration: Int64?) -> [MediaDescription.Chapter] {
    var titles: [Int: String] = [:]
    for field in fields {
      if let (number, part) = Self.chapter(field.name), part == "NAME" {
        titles[number] = field.value
      }
    }
    let sorted = starts.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    return sorted.enumerated().map { index, chapter in
      let end = index + 1 < sorted.count ? sorted[index + 1].value : duration ?? chapter.value
      return MediaDescription.Chapter(
        id: Int64(chapter.key), start: chapter.value, end: max(chapter.value, end),
        title: titles[chapter.key] ?? "")
    }
  }

  /// Creates the fields of chapters; empty for more than 999 chapters.
  public static func fields(_ chapters: [MediaDescription.Chapter]) -> [MetadataEntry] {
    guard chapters.count <= 999 else { return [] }
    return chapters.sorted { $0.start < $1.start }.enumerated().flatMap { index, chapter in
      let number = "CHAPTER" + padded(Int64(index + 1), 3)
      let milliseconds = max(0, chapter.start) / 1_000_000
      let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
      let time =
        "\(padded(seconds / 3600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
        + ".\(padded(rest, 3))"
      return [
        MetadataEntry(number, time), MetadataEntry(number + "NAME", chapter.title),
      ]
    }
  }

  /// Starts in nanoseconds by the numbers of the chapters.
  private var starts: [Int: Int64] {
    var starts: [Int: Int64] = [:]
    for field in fields {
      guard let (number, part) = Self.chapter(field.name), part.isEmpty,
        let time = Self.nanoseconds(field.value)
      else { continue }
      starts[number] = starts[number] ?? time
    }
    return starts
  }

  /// Splits the name of a chapter's field into its number and what follows; `nil` for other fields.
  private static func chapter(_ name: String) -> (number: Int, part: String)? {
    let name = name.uppercased()
    guard name.hasPrefix("CHAPTER"), name.utf8.count >= 10 else { return nil }
    let digits = name.dropFirst(7).prefix(3)
    guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(digits) else {
      return nil
    }
    return (number, String(name.dropFirst(10)))
  }

  /// Reads `HH:MM:SS.fff`.
  private static func nanoseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hours = Int64(parts[0]), let minutes = Int64(parts[1]),
      let seconds = Double(parts[2]), (0..<100_000).contains(hours), (0..<60).contains(minutes),
      seconds >= 0, seconds < 61
    else { return nil }
    return (hours * 3600 + minutes * 60) * 1_000_000_000 + Int64((seconds * 1e9).rounded())
  }

  private static func padded(_ number: Int64, _ count: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
  }
}
