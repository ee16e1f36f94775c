/// A text with the styles of its parts.
struct StyledText: Hashable, Sendable {
  /// Style of a part of the text; the player chooses properties that are `nil`, unknown or empty.
  struct Style: Hashable, Sendable {
    var fontWeight = Caption.FontWeight.unknown
    var fontStyle = Caption.FontStyle.unknown
    var decoration: Caption.Decoration = []
    var textColor: VideoColor?
    var backgroundColor: VideoColor?

    static let plain = Style()
  }

  /// Consecutive Unicode scalars of one style.
  private struct Run: Hashable, Sendable {
    var count: Int
    var style: Style
  }

  private(set) var text: String
  /// Number of Unicode scalars of the text.
  private(set) var count: Int
  /// Runs from the start of the text; neighbors differ and none is empty.
  ///
  /// The last run is not plain, and the text after it is. So equal texts have equal runs.
  private var runs: [Run] = []
  /// Number of scalars in the runs.
  private var covered = 0

  init(_ text: String = "") {
    self.text = text
    count = text.unicodeScalars.count
  }

  /// Returns `true` if a part of the text has a decoration.
  func has(_ decoration: Caption.Decoration) -> Bool {
    runs.contains { $0.style.decoration.contains(decoration) }
  }

  /// `true` if a part of the text has a color behind its letters.
  var hasBackground: Bool { runs.contains { $0.style.backgroundColor != nil } }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ piece: some StringProtocol, _ style: Style = .plain) {
    let added = piece.unicodeScalars.count
    guard added > 0 else { return }
    if style != .plain {
      Self.add(Run(count: count - covered, style: .plain), to: &runs)
      Self.add(Run(count: added, style: style), to: &runs)
      covered = count + added
    }
    text += piece
    count += added
  }

  /// Replaces the text; styles keep their positions, and those after the end are removed.
  mutating func replaceText(_ text: String) {
    self.text = text
    count = text.unicodeScalars.count
    change(count..<count) { _ in }
  }

  /// Changes the style of the scalars in `range` that exist.
  mutating func change(_ range: Range<Int>, _ change: (inout Style) -> Void) {
    let range = range.clamped(to: 0..<count)
    var changed: [Run] = []
    for (place, style) in ranges {
      let inner = place.clamped(to: range)
      guard !inner.isEmpty else {
        Self.add(Run(count: place.count, style: style), to: &changed)
        continue
      }
      var other = style
      change(&other)
      Self.add(Run(count: inner.lowerBound - place.lowerBound, style: style), to: &changed)
      Self.add(Run(count: inner.count, style: other), to: &changed)
      Self.add(Run(count: place.upperBound - inner.upperBound, style: style), to: &changed)
    }
    if changed.last?.style == .plain { changed.removeLast() }
    runs = changed
    covered = runs.reduce(0) { $0 + $1.count }
  }

  private static func add(_ run: Run, to runs: inout [Run]) {
    guard run.count > 0 else { return }
    if let last = runs.last, last.style == run.style {
      runs[runs.count - 1].count += run.count
    } else {
      runs.append(run)
    }
  }

  /// Ranges of one style that cover the whole text, in scalars.
  private var ranges: [(Range<Int>, Style)] {
    var ranges: [(Range<Int>, Style)] = []
    var start = 0
    for run in runs where start < count {
      let end = min(start + run.count, count)
      ranges.append((start..<end, run.style))
      start = end
    }
    if start < count { ranges.append((start..<count, .plain)) }
    return ranges
  }

  /// The text divided into parts of one style.
  var pieces: [(text: Substring, style: Style)] {
    var index = text.startIndex
    return ranges.map { range, style in
      let end = text.unicodeScalars.index(index, offsetBy: range.count)
      defer { index = end }
      return (text[index..<end], style)
    }
  }

  /// Returns one property of the style of the scalar at `offset`, and the range around it with the same value.
  func value<Value: Equatable>(_ part: KeyPath<Style, Value>, at offset: Int)
    -> (Value, Range<Int>)
  {
    let ranges = ranges
    guard let place = ranges.firstIndex(where: { $0.0.contains(offset) }) else {
      return (Style.plain[keyPath: part], count..<count)
    }
    let value = ranges[place].1[keyPath: part]
    var (first, last) = (place, place)
    while first > 0, ranges[first - 1].1[keyPath: part] == value { first -= 1 }
    while last + 1 < ranges.count, ranges[last + 1].1[keyPath: part] == value { last += 1 }
    return (value, ranges[first].0.lowerBound..<ranges[last].0.upperBound)
  }
}
