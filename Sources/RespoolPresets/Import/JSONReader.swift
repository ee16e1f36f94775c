import RespoolHost
import RespoolMedia

/// Reader of JSON (RFC 8259) that comes from other programs.
///
/// `null` is a number that is not finite. Nesting and the number of values are limited.
struct JSONReader {
  private let bytes: [UInt8]
  private let file: String
  private var position = 0
  private var count = 0

  private static let maximumDepth = 32
  private static let maximumCount = 100_000

  /// Returns the value of a whole text.
  ///
  /// Throws `malformed` or `limitExceeded` with the byte offset.
  static func read(_ text: String, file: String) throws(MediaError) -> JSON {
    var reader = JSONReader(bytes: Array(text.utf8), file: file)
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.position == reader.bytes.count else {
      throw reader.malformed("text follows the JSON document")
    }
    return value
  }

  private init(bytes: [UInt8], file: String) { (self.bytes, self.file) = (bytes, file) }

  private func malformed(_ message: String) -> MediaError {
    MediaError(.malformed, "not valid JSON at byte \(position): \(message)", file: file)
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { position += 1 }
  }

  private mutating func take(_ byte: Character) -> Bool {
    guard next == byte.asciiValue else { return false }
    position += 1
    return true
  }

  private mutating func value(depth: Int) throws(MediaError) -> JSON {
    count += 1
    guard depth <= Self.maximumDepth, count <= Self.maximumCount else {
      throw MediaError(
        .limitExceeded,
        "the JSON has \(depth > Self.maximumDepth ? "more than \(Self.maximumDepth) levels" : "more than \(Self.maximumCount) values") at byte \(position)",
        file: file)
    }
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return try object(depth)
    case UInt8(ascii: "["): return try array(depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .number(.nan))
    default: return try number()
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSON) throws(MediaError) -> JSON {
    let text = Array("\(word)".utf8)
    guard bytes[position...].starts(with: text) else { throw malformed("a value is expected") }
    position += text.count
    return value
  }

  private mutating func number() throws(MediaError) -> JSON {
    let start = position
    while let byte = next, (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte) {
      position += 1
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if let integer = Int64(text) { return .integer(integer) }
    if let number = Double(text), number.isFinite { return .number(number) }
    position = start
    throw malformed(text.isEmpty ? "a value is expected" : "\(text.prefix(40)) is not a number")
  }

  private mutating func array(_ depth: Int) throws(MediaError) -> JSON {
    position += 1
    var values: [JSON] = []
    skipSpace()
    if take("]") { return .array([]) }
    repeat {
      values.append(try value(depth: depth + 1))
      skipSpace()
    } while take(",")
    guard take("]") else { throw malformed("] is expected") }
    return .array(values)
  }

  private mutating func object(_ depth: Int) throws(MediaError) -> JSON {
    position += 1
    var members: [JSON.Member] = []
    var names: Set<String> = []
    skipSpace()
    if take("}") { return .object([JSON.Member]()) }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw malformed("a name is expected") }
      let name = try string()
      guard names.insert(name).inserted else { throw malformed("a name appears twice") }
      skipSpace()
      guard take(":") else { throw malformed(": is expected") }
      members.append(.init(name: name, value: try value(depth: depth + 1)))
      skipSpace()
    } while take(",")
    guard take("}") else { throw malformed("} is expected") }
    return .object(members)
  }

  private mutating func string() throws(MediaError) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte = next, byte != UInt8(ascii: "\"") {
      position += 1
      guard byte >= 0x20 else { throw malformed("a control character is in a text") }
      if byte == UInt8(ascii: "\\") { text += try escape() } else { text.append(byte) }
    }
    guard take("\"") else { throw malformed("a text does not end") }
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func escape() throws(MediaError) -> [UInt8] {
    guard let byte = next else { throw malformed("a text does not end") }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): return [0x0A]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "r"): return [0x0D]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0C]
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "u"):
      var units = [try unit()]
      if UTF16.isLeadSurrogate(units[0]), bytes[position...].starts(with: "\\u".utf8) {
        position += 2
        units.append(try unit())
      }
      // Half of a pair becomes the replacement character.
      return Array(String(decoding: units, as: UTF16.self).utf8)
    default: throw malformed("an escape is unknown")
    }
  }

  private mutating func unit() throws(MediaError) -> UInt16 {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw malformed("four hexadecimal digits are expected") }
    position += 4
    return unit
  }
}

extension JSON {
  subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  var string: String? { if case .string(let text) = self { text } else { nil } }
  var elements: [JSON] { if case .array(let values) = self { values } else { [] } }
  var members: [Member] { if case .object(let members) = self { members } else { [] } }

  /// A finite number.
  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value.isFinite ? value : nil
    default: nil
    }
  }

  /// `true` for true and for numbers other than 0, as older versions of HandBrake write them.
  var isTrue: Bool {
    if case .bool(let value) = self { return value }
    return double.map { $0 != 0 } ?? false
  }

  /// Short text for messages.
  var shortText: String {
    let text = string ?? compactText
    return text.count > 60 ? "\(text.prefix(57))..." : text
  }
}
