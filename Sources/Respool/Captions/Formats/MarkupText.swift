/// A text with nested markup, as it is parsed.
struct MarkupText {
  private(set) var styled = StyledText()
  private(set) var style = StyledText.Style()
  /// Names of markup that was skipped, each once.
  private(set) var skipped: [String] = []
  private var open: [(name: String, before: StyledText.Style)] = []

  /// Maximum depth of nesting; deeper markup is ignored.
  private static let depth = 64

  mutating func append(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty else { return }
    styled.append(String(decoding: bytes, as: UTF8.self), style)
  }

  mutating func append(_ text: String) { styled.append(text, style) }

  /// Changes the style of the text from here on.
  mutating func change(_ change: (inout StyledText.Style) -> Void) { change(&style) }

  mutating func open(_ name: String, _ change: (inout StyledText.Style) -> Void) {
    guard open.count < Self.depth else { return }
    open.append((name, style))
    change(&style)
  }

  /// Ends the innermost open element of that name and all elements within it.
  mutating func close(_ name: String) {
    guard let index = open.lastIndex(where: { $0.name == name }) else { return }
    style = open[index].before
    open.removeSubrange(index...)
  }

  mutating func skip(_ name: String) {
    if skipped.count < 16, !skipped.contains(name) { skipped.append(name) }
  }

  /// Returns the content between the bracket at `index` and `closing`, and the index after it.
  ///
  /// The content has at most 1024 bytes. `nil` if there is no closing bracket within them.
  static func mark(in bytes: [UInt8], at index: Int, closing: Unicode.Scalar) -> (
    content: String, end: Int
  )? {
    let limit = min(bytes.count, index + 1026)
    guard let end = bytes[index + 1..<limit].firstIndex(of: UInt8(ascii: closing)) else {
      return nil
    }
    return (String(decoding: bytes[index + 1..<end], as: UTF8.self), end + 1)
  }
}
