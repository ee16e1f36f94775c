import RespoolMedia

extension MetadataItem.Value {
  /// Decodes a value of a well-known type.
  ///
  /// The result is data for types that are not supported here, and for bytes that are not valid for their type.
  init(_ bytes: [UInt8], code: UInt32) { self = Self.read(bytes, code) ?? .data(bytes) }

  /// Returns the value encoded as a well-known type; `nil` if that type cannot hold the value.
  ///
  /// Data is returned unchanged for every type.
  func bytes(code: UInt32) -> [UInt8]? {
    switch (self, Form(code)) {
    case (.data(let bytes), _): return bytes
    case (.string(let text), .utf8): return Array(text.utf8)
    case (.string(let text), .utf16): return text.utf16.flatMap(\.bigEndianBytes)
    case (.integer(let number), .integer(let isSigned, let size)):
      return Self.bytes(number, isSigned: isSigned, size: size)
    case (.integer(let number), .real(let size)): return Self.bytes([Double(number)], size: size)
    case (.real(let number), .real(let size)): return Self.bytes([number], size: size)
    case (.numbers(let numbers), .reals(let size, let count)):
      let fits = count.map { $0 == numbers.count } ?? numbers.count.isMultiple(of: 2)
      return fits ? Self.bytes(numbers, size: size) : nil
    default: return nil
    }
  }

  /// Encodings of well-known types (QuickTime File Format, "Well-known types").
  private enum Form {
    case utf8, utf16
    /// Integer of `size` bytes.
    ///
    /// `size` is `nil` for any number of bytes.
    case integer(isSigned: Bool, size: Int?)
    case real(size: Int)
    /// Floating-point values, `count` of them.
    ///
    /// `count` is `nil` for points: two values each, any number of points.
    case reals(size: Int, count: Int?)
    case data

    init(_ code: UInt32) {
      switch code {
      case 1: self = .utf8
      case 2: self = .utf16
      case 21: self = .integer(isSigned: true, size: nil)
      case 22: self = .integer(isSigned: false, size: nil)
      case 23: self = .real(size: 4)
      case 24: self = .real(size: 8)
      case 65: self = .integer(isSigned: true, size: 1)
      case 66: self = .integer(isSigned: true, size: 2)
      case 67: self = .integer(isSigned: true, size: 4)
      case 70, 71: self = .reals(size: 4, count: 2)
      case 72: self = .reals(size: 4, count: 4)
      case 74: self = .integer(isSigned: true, size: 8)
      case 75: self = .integer(isSigned: false, size: 1)
      case 76: self = .integer(isSigned: false, size: 2)
      case 77: self = .integer(isSigned: false, size: 4)
      case 78: self = .integer(isSigned: false, size: 8)
      case 79, 83: self = .reals(size: 8, count: 9)
      case 80: self = .reals(size: 4, count: nil)
      default: self = .data
      }
    }
  }

  private static func read(_ bytes: [UInt8], _ code: UInt32) -> Self? {
    switch Form(code) {
    case .utf8: return String(validating: bytes, as: UTF8.self).map { .string($0) }
    case .utf16:
      guard bytes.count.isMultiple(of: 2) else { return nil }
      let units = stride(from: 0, to: bytes.count, by: 2).map {
        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
      }
      return String(validating: units, as: UTF16.self).map { .string($0) }
    case .integer(let isSigned, let size):
      guard (1...8).contains(bytes.count), size ?? bytes.count == bytes.count else { return nil }
      let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard isSigned else { return Int64(exactly: bits).map { .integer($0) } }
      let shift = UInt64(64 - 8 * bytes.count)
      return .integer(Int64(bitPattern: bits << shift) >> Int64(shift))
    case .real(let size):
      guard bytes.count == size else { return nil }
      return reals(bytes, size).first.map { .real($0) }
    case .reals(let size, let count):
      guard bytes.count.isMultiple(of: size),
        count.map({ $0 * size == bytes.count }) ?? bytes.count.isMultiple(of: 2 * size)
      else { return nil }
      return .numbers(reals(bytes, size))
    case .data: return nil
    }
  }

  private static func reals(_ bytes: [UInt8], _ size: Int) -> [Double] {
    stride(from: 0, to: bytes.count, by: size).map { start in
      let bits = bytes[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return size == 8
        ? Double(bitPattern: bits)
        : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    }
  }

  private static func bytes(_ numbers: [Double], size: Int) -> [UInt8] {
    numbers.flatMap {
      size == 8 ? $0.bitPattern.bigEndianBytes : Float($0).bitPattern.bigEndianBytes
    }
  }

  /// Returns the number in `size` bytes; `nil` if it does not fit.
  private static func bytes(_ number: Int64, isSigned: Bool, size: Int?) -> [UInt8]? {
    let size = size ?? 4
    let bits = size * 8 - (isSigned ? 1 : 0)
    let low = isSigned ? (bits >= 63 ? Int64.min : -(1 << Int64(bits))) : 0
    let high = bits >= 63 ? Int64.max : (1 << Int64(bits)) - 1
    guard (low...high).contains(number) else { return nil }
    return number.bigEndianBytes.suffix(size)
  }
}
