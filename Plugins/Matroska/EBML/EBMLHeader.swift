import RespoolPlugin

/// Identifier and size of an EBML element (RFC 8794 5 and 6).
struct EBMLHeader {
  let id: ElementID
  /// Size of the payload in bytes.
  ///
  /// `nil` if unknown.
  let size: Int64?
  /// Size of identifier and size field in bytes.
  let length: Int

  /// Maximum size of a header in bytes: Matroska's identifiers have up to 4 bytes, sizes up to 8.
  static let longest = 12

  /// Parses a header.
  ///
  /// Throws `malformed` if the first byte does not begin an identifier, or the bytes end.
  init(from reader: inout ByteReader) throws(MediaError) {
    let start = reader.position
    let first = try reader.u8()
    let width = first.leadingZeroBitCount + 1
    guard width <= 4 else {
      throw MediaError(
        .malformed, "an element begins with the byte \(first); identifiers have 1 to 4 bytes",
        offset: reader.offset - 1)
    }
    var value = UInt32(first)
    for byte in try reader.take(width - 1) { value = value << 8 | UInt32(byte) }
    id = ElementID(value)
    size = try Self.number(from: &reader)
    length = reader.position - start
  }

  /// Parses a variable-size integer (RFC 8794 4).
  ///
  /// `nil` if all its bits are 1, which means unknown.
  static func number(from reader: inout ByteReader) throws(MediaError) -> Int64? {
    let first = try reader.u8()
    let width = first.leadingZeroBitCount + 1
    guard width <= 8 else {
      throw MediaError(
        .malformed, "a size begins with the byte 0; sizes have 1 to 8 bytes",
        offset: reader.offset - 1)
    }
    var value = UInt64(first) & (1 << UInt64(8 - width) - 1)
    for byte in try reader.take(width - 1) { value = value << 8 | UInt64(byte) }
    return value == 1 << UInt64(7 * width) - 1 ? nil : Int64(value)
  }
}
