import RespoolPlugin

/// A box that can be parsed into a value and written back (ISO/IEC 14496-12 4.2).
///
/// `init(from:)` and `write(to:)` handle the bytes after size and type.
protocol Box: Hashable, Sendable {
  static var type: FourCC { get }
  init(from reader: inout ByteReader) throws(MediaError)
  func write(to writer: inout BoxWriter)
}

extension Box {
  /// The bytes of the whole box, including size and type.
  var bytes: [UInt8] {
    var writer = BoxWriter()
    writer.write(self)
    return writer.bytes
  }
}

/// The size and type fields in front of the payload of a box.
struct BoxHeader: Hashable {
  var type: FourCC
  /// Header size in bytes: 8, or 16 with a 64-bit size.
  var headerSize: Int64
  /// Size in bytes, including the header.
  ///
  /// `nil` if the box extends to the end of its parent.
  var size: Int64?

  /// Maximum size of a header in bytes.
  static let longest = 16

  init(from reader: inout ByteReader) throws(MediaError) {
    let start = reader.offset
    let size32 = try reader.big(UInt32.self)
    type = FourCC(rawValue: try reader.big(UInt32.self))
    headerSize = 8
    switch size32 {
    case 0: size = nil
    case 1:
      let size64 = try reader.big(UInt64.self)
      headerSize = 16
      guard size64 >= 16, let value = Int64(exactly: size64) else {
        throw MediaError(
          .malformed, "box \"\(type)\" has a size of \(size64); at least 16 is needed",
          offset: start)
      }
      size = value
    default:
      guard size32 >= 8 else {
        throw MediaError(
          .malformed, "box \"\(type)\" has a size of \(size32); at least 8 is needed",
          offset: start)
      }
      size = Int64(size32)
    }
  }
}

extension ByteReader {
  /// Returns the type of the next box and a reader of its payload, or `nil` at the end.
  ///
  /// A box that claims more bytes than its parent has ends with its parent, as in other readers. The list
  /// ends at fewer than 8 bytes, or at a size and a type of zeros (QuickTime's `udta` ends so).
  mutating func nextBox() throws(MediaError) -> (type: FourCC, payload: ByteReader)? {
    guard remaining >= 8 else { return nil }
    var probe = self
    if try probe.big(UInt32.self) == 0, try probe.big(UInt32.self) == 0 { return nil }
    let header = try BoxHeader(from: &self)
    let wanted = (header.size ?? .max) - header.headerSize
    return (header.type, try sub(Int(clamping: min(wanted, Int64(remaining)))))
  }

  /// Reads version and flags of a full box (ISO/IEC 14496-12 4.2).
  mutating func versionAndFlags() throws(MediaError) -> (version: UInt8, flags: UInt32) {
    let word = try big(UInt32.self)
    return (UInt8(word >> 24), word & 0xFF_FFFF)
  }

  /// Reads a 32-bit number, or a 64-bit one if the version of the box is 1.
  mutating func number(version: UInt8) throws(MediaError) -> UInt64 {
    version == 1 ? try big(UInt64.self) : UInt64(try big(UInt32.self))
  }

  /// Reads `count` big-endian 32-bit words.
  ///
  /// Memory is allocated only if all bytes are present.
  mutating func words(_ count: Int) throws(MediaError) -> [UInt32] {
    let (size, overflow) = count.multipliedReportingOverflow(by: 4)
    guard !overflow else {
      throw MediaError(.malformed, "a table of \(count) numbers is too large", offset: offset)
    }
    let bytes = try take(size)
    return [UInt32](unsafeUninitializedCapacity: count) { words, initialized in
      bytes.withUnsafeBytes { raw in
        for index in 0..<count {
          words[index] = UInt32(
            bigEndian: raw.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
      }
      initialized = count
    }
  }

  /// Returns the payload of the first child with the given type.
  func firstBox(_ type: FourCC) throws(MediaError) -> ByteReader? {
    var reader = self
    while let box = try reader.nextBox() {
      if box.type == type { return box.payload }
    }
    return nil
  }
}
