import RespoolPlugin

/// A read buffer for small parts of the source, so that one read serves many elements.
final class SourceWindow {
  let source: ByteSource
  private var start: Int64 = 0
  private var buffer: [UInt8] = []
  /// Size in bytes of the next read.
  ///
  /// It grows while reads are consecutive, so that frames are not read needlessly.
  private var step = Window.smallest

  private enum Window {
    static let smallest = 1 << 10
    static let largest = 1 << 17
  }

  init(_ source: ByteSource) { self.source = source }

  /// Returns up to `count` bytes from `offset`, fewer at the end of the source.
  func bytes(at offset: Int64, count: Int) throws(MediaError) -> ArraySlice<UInt8> {
    let (begin, isBefore) = offset.subtractingReportingOverflow(start)
    if !isBefore, begin >= 0, begin <= buffer.count, count <= buffer.count - Int(begin) {
      return buffer[Int(begin)..<Int(begin) + count]
    }
    guard count < Window.largest else {
      return try source.read(at: offset, count: count)[...]
    }
    let follows = !isBefore && begin >= 0 && begin <= Int64(buffer.count) + 256
    step = follows ? min(step * 4, Window.largest) : Window.smallest
    buffer = try source.read(at: offset, count: max(count, step))
    start = offset
    return buffer.prefix(count)
  }

  /// Parses the header of the element at `offset`.
  ///
  /// `nil` at the end of the source.
  ///
  /// Throws `malformed` if no element begins there or the source ends inside the header.
  func header(at offset: Int64) throws(MediaError) -> EBMLHeader? {
    let bytes = try bytes(at: offset, count: EBMLHeader.longest)
    if bytes.isEmpty { return nil }
    var reader = ByteReader(bytes, origin: offset)
    return try EBMLHeader(from: &reader)
  }
}
