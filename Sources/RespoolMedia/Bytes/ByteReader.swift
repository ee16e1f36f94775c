/// Reads numbers from bytes in memory, checking every step; nothing here traps.
///
/// A reader is a value: a copy is a bookmark. `offset` in errors is counted from `origin`, the place of
/// the first byte in its file.
public struct ByteReader {
  public let bytes: ArraySlice<UInt8>
  /// Place of the first byte in the file, for errors.
  public let origin: Int64
  /// Index of the next byte, from 0.
  public private(set) var position = 0

  public init(_ bytes: ArraySlice<UInt8>, origin: Int64 = 0) {
    self.bytes = bytes
    self.origin = origin
  }

  public init(_ bytes: [UInt8], origin: Int64 = 0) {
    self.init(bytes[...], origin: origin)
  }

  public var count: Int { bytes.count }
  public var remaining: Int { bytes.count - position }
  public var isAtEnd: Bool { position >= bytes.count }
  /// Place of the next byte in the file.
  public var offset: Int64 { origin + Int64(position) }

  /// Fails unless `count` more bytes are there.
  public func require(_ count: Int) throws(MediaError) {
    guard count >= 0, count <= remaining else {
      throw MediaError(
        .malformed, "\(count.counting("byte", "is", "are")) needed, but only \(remaining) are left",
        offset: offset)
    }
  }

  public mutating func skip(_ count: Int) throws(MediaError) {
    try require(count)
    position += count
  }

  /// Goes to `index`, from 0 to `count`.
  public mutating func seek(to index: Int) throws(MediaError) {
    guard index >= 0, index <= bytes.count else {
      throw MediaError(
        .malformed, "position \(index) is outside \(count.counting("byte"))", offset: offset)
    }
    position = index
  }

  public mutating func take(_ count: Int) throws(MediaError) -> ArraySlice<UInt8> {
    try require(count)
    let start = bytes.startIndex + position
    position += count
    return bytes[start..<start + count]
  }

  /// A reader of the next `count` bytes, which are skipped here.
  public mutating func sub(_ count: Int) throws(MediaError) -> ByteReader {
    let start = offset
    return ByteReader(try take(count), origin: start)
  }

  public mutating func u8() throws(MediaError) -> UInt8 {
    try require(1)
    defer { position += 1 }
    return bytes[bytes.startIndex + position]
  }

  /// A big-endian number.
  public mutating func big<T: FixedWidthInteger>(_: T.Type = T.self) throws(MediaError) -> T {
    T(bigEndian: try load())
  }

  /// A little-endian number.
  public mutating func little<T: FixedWidthInteger>(_: T.Type = T.self) throws(MediaError) -> T {
    T(littleEndian: try load())
  }

  /// A big-endian number of 1 to 8 bytes.
  public mutating func big(bytes count: Int) throws(MediaError) -> UInt64 {
    var value: UInt64 = 0
    for byte in try take(count) { value = value << 8 | UInt64(byte) }
    return value
  }

  private mutating func load<T: FixedWidthInteger>() throws(MediaError) -> T {
    let size = MemoryLayout<T>.size
    try require(size)
    let start = position
    position += size
    return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: T.self) }
  }

  /// `count` bytes as text: UTF-8 with wrong bytes replaced.
  public mutating func text(_ count: Int) throws(MediaError) -> String {
    String(decoding: try take(count), as: UTF8.self)
  }
}
