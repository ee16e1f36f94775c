/// The fields of a message as one line: tabs between them, each with its own tabs and line ends escaped.
///
/// Both sides are the same program, so there are no versions, and no names of fields.
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

  /// With its line end.
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

  /// Nothing is written as a minus, something with a plus before it.
  mutating func put(optional text: String?) { fields.append(text.map { "+" + $0 } ?? "-") }

  /// Nil where there is no further field.
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
