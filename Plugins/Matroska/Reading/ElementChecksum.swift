import CDeflate
import RespoolPlugin

/// The checksum of a master element: a CRC-32 element that is its first child (RFC 8794 11.3.1).
enum ElementChecksum {
  /// Bytes of the CRC-32 element: identifier, size, and the checksum of all data after it.
  private static let byteCount: Int64 = 6
  private static let step: Int64 = 1 << 20

  /// Returns an error if the checksum of an element in the file is wrong; `nil` if it is right or there is none.
  ///
  /// An element that the end of the file cuts off has no checksum. Throws `io` and `cancelled`.
  static func fault(of path: String, in payload: Range<Int64>, _ source: ByteSource)
    throws(MediaError) -> MediaError?
  {
    guard payload.upperBound <= source.size ?? .max,
      payload.count >= byteCount,
      let stored = checksum(
        in: try source.read(at: payload.lowerBound, count: Int(byteCount))[...])
    else { return nil }
    var position = payload.lowerBound + byteCount
    var sum: UInt32 = 0
    while position < payload.upperBound {
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      let bytes = try source.read(
        at: position, count: Int(min(step, payload.upperBound - position)))
      guard !bytes.isEmpty else { return nil }
      sum = bytes.withUnsafeBytes { zlib_crc(sum, $0.baseAddress, $0.count) }
      position += Int64(bytes.count)
    }
    return sum == stored ? nil : error(path, at: payload.lowerBound)
  }

  /// Returns an error if the checksum of an element in memory is wrong; `nil` if it is right or there is none.
  static func fault(_ element: EBMLElement) -> MediaError? {
    var reader = element.payload
    let start = reader.offset
    guard let bytes = try? reader.take(reader.remaining), let stored = checksum(in: bytes)
    else { return nil }
    let sum = bytes.dropFirst(Int(byteCount)).withUnsafeBytes {
      zlib_crc(0, $0.baseAddress, $0.count)
    }
    return sum == stored ? nil : error(element.path, at: start)
  }

  /// Returns the stored checksum at the start of an element; `nil` if there is none.
  private static func checksum(in bytes: ArraySlice<UInt8>) -> UInt32? {
    let head = bytes.prefix(Int(byteCount))
    guard head.count == byteCount, head.starts(with: [0xBF, 0x84]) else { return nil }
    return head.suffix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func error(_ path: String, at offset: Int64) -> MediaError {
    MediaError(.malformed, "the checksum of the element is wrong", offset: offset, path: path)
  }
}
