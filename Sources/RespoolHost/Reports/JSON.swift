import RespoolMedia

/// A JSON value for writing only (RFC 8259).
///
/// Objects keep the order of their keys.
///
/// Foundation's encoder would have to be loaded at every start.
package enum JSON: Hashable, Sendable {
  case string(String)
  case integer(Int64)
  /// Written as null if it is not finite.
  case number(Double)
  case bool(Bool)
  case array([JSON])
  case object([Member])

  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSON

    package init(name: String, value: JSON) {
      self.name = name
      self.value = value
    }
  }

  /// Creates an object without the members whose value is `nil`.
  package static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
    .object(members.compactMap { name, value in value.map { Member(name: name, value: $0) } })
  }

  package static func strings(_ values: some Sequence<String>) -> JSON {
    .array(values.map { .string($0) })
  }

  /// JSON text in one line.
  package var compactText: String {
    var text = ""
    write(to: &text, indent: nil)
    return text
  }

  /// JSON text with one line for each member, indented by two spaces.
  package var text: String {
    var text = ""
    write(to: &text, indent: 0)
    return text
  }

  private func write(to text: inout String, indent: Int?) {
    switch self {
    case .string(let value): Self.write(value, to: &text)
    case .integer(let value): text += "\(value)"
    case .number(let value):
      text +=
        !value.isFinite
        ? "null"
        : value == value.rounded() && value.magnitude < 1e15
          ? "\(Int64(value))" : "\(value)"
    case .bool(let value): text += value ? "true" : "false"
    case .array(let values):
      Self.write(values, "[", "]", to: &text, indent) { value, inner, text in
        value.write(to: &text, indent: inner)
      }
    case .object(let members):
      Self.write(members, "{", "}", to: &text, indent) { member, inner, text in
        Self.write(member.name, to: &text)
        text += inner == nil ? ":" : ": "
        member.value.write(to: &text, indent: inner)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element], _ open: String, _ close: String, to text: inout String, _ indent: Int?,
    body: (Element, Int?, inout String) -> Void
  ) {
    text += open
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      if let indent { text += "\n" + String(repeating: " ", count: indent + 2) }
      body(element, indent.map { $0 + 2 }, &text)
    }
    if let indent, !elements.isEmpty { text += "\n" + String(repeating: " ", count: indent) }
    text += close
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      // More than the controls that RFC 8259 requires, because a terminal may show the document.
      case _ where scalar.isTerminalControl:
        let hex = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
