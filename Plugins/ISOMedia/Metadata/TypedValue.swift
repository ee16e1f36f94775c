import RespoolPlugin

/// A value of QuickTime metadata: its bytes and their well-known type (QuickTime File Format, "Well-known
/// types").
struct TypedValue: Equatable {
  var type: UInt32
  var bytes: [UInt8]

  init(type: UInt32, bytes: [UInt8]) {
    self.type = type
    self.bytes = bytes
  }

  /// Creates the value of a tag.
  ///
  /// `nil` if the tag's text does not fit its kind.
  ///
  /// Text is UTF-8. Integers and real numbers have 32 bits if that is exact.
  init?(_ tag: NativeTag) {
    switch tag.kind {
    case .text: self.init(type: 1, bytes: Array(tag.value.utf8))
    case .integer:
      guard let number = Int64(tag.value) else { return nil }
      if let small = Int32(exactly: number) {
        self.init(type: 67, bytes: small.bigEndianBytes)
      } else {
        self.init(type: 74, bytes: number.bigEndianBytes)
      }
    case .real:
      guard let number = Double(tag.value) else { return nil }
      if Double(Float(number)) == number {
        self.init(type: 23, bytes: Float(number).bitPattern.bigEndianBytes)
      } else {
        self.init(type: 24, bytes: number.bitPattern.bigEndianBytes)
      }
    case .data:
      guard let bytes = tag.bytes else { return nil }
      self.init(type: tag.dataType ?? 0, bytes: bytes)
    }
  }

  /// Returns the value as a tag: text and numbers as such, everything else as data.
  func tag(keySpace: String, key: String, language: String?) -> NativeTag {
    func tag(_ value: String, _ kind: NativeTag.Kind) -> NativeTag {
      NativeTag(
        keySpace: keySpace, key: key, name: key, value: value, kind: kind, dataType: type,
        language: language)
    }
    let bits = bytes.count <= 8 ? bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) } : 0
    let size = Self.sizes[type]
    switch type {
    case 1:
      if let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0) {
        return tag(text, .text)
      }
    case 23 where bytes.count == 4:
      return tag("\(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))", .real)
    case 24 where bytes.count == 8: return tag("\(Double(bitPattern: bits))", .real)
    case 22, 75, 76, 77, 78:
      if size.map({ $0 == bytes.count }) ?? (1...8).contains(bytes.count),
        let number = Int64(exactly: bits)
      {
        return tag("\(number)", .integer)
      }
    case 21, 65, 66, 67, 74:
      if size.map({ $0 == bytes.count }) ?? (1...8).contains(bytes.count) {
        let shift = UInt64(64 - 8 * bytes.count)
        return tag("\(Int64(bitPattern: bits << shift) >> Int64(shift))", .integer)
      }
    default: break
    }
    return NativeTag(
      keySpace: keySpace, key: key, name: key, bytes: bytes, dataType: type, language: language)
  }

  /// Sizes in bytes of the integer types with a fixed size.
  private static let sizes: [UInt32: Int] = [
    65: 1, 66: 2, 67: 4, 74: 8, 75: 1, 76: 2, 77: 4, 78: 8,
  ]
}
