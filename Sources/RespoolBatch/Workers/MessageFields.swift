/// The fields of a message as one line, separated by tabs; tabs and line feeds in fields are escaped.
///
/// Both sides are the same program, so fields have no names and there are no versions.
struct MessageFields {
  private var fields: [String] = []
  private var position = 0

  init() {}

  init(line: some Sequence<UInt8>) {
    var field: [UInt8] = []
    var isEscaped = false
    for byte in line {
      switch byte {
      case _ where isEscaped:
        field.append(byte == UInt8(ascii: "t") ? 0x09 : byte == UInt8(ascii: "n") ? 0x0A : byte)
        isEscaped = false
      case UInt8(ascii: "\\"): isEscaped = true
      case 0x09:
        fields.append(String(decoding: field, as: UTF8.self))
        field = []
      default: field.append(byte)
      }
    }
    fields.append(String(decoding: field, as: UTF8.self))
  }

  /// The line with its line feed.
  var line: [UInt8] {
    var bytes: [UInt8] = []
    for (index, field) in fields.enumerated() {
      if index > 0 { bytes.append(0x09) }
      for byte in field.utf8 {
        switch byte {
        case 0x09: bytes += "\\t".utf8
        case 0x0A: bytes += "\\n".utf8
        case UInt8(ascii: "\\"): bytes += "\\\\".utf8
        default: bytes.append(byte)
        }
      }
    }
    return bytes + [0x0A]
  }

  mutating func put(_ text: String) { fields.append(text) }

  mutating func put(_ value: some LosslessStringConvertible) { fields.append(value.description) }

  /// Appends an optional text: `nil` as a minus, other text with a plus before it.
  mutating func put(optional text: String?) { fields.append(text.map { "+" + $0 } ?? "-") }

  /// Returns the next field; `nil` if there is none.
  mutating func text() -> String? {
    guard position < fields.count else { return nil }
    position += 1
    return fields[position - 1]
  }

  mutating func value<Value: LosslessStringConvertible>() -> Value? { text().flatMap(Value.init) }

  mutating func optionalText() -> String? {
    guard let text = text(), text.hasPrefix("+") else { return nil }
    return String(text.dropFirst())
  }
}
