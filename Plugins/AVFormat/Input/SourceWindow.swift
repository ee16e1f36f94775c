import RespoolPlugin

/// A window of a source for small reads that move forward.
struct SourceWindow {
  let source: ByteSource
  private var bytes: [UInt8] = []
  private var start: Int64 = 0

  private static let size = 1 << 16

  init(_ source: ByteSource) { self.source = source }

  /// Returns bytes of the file; fewer at its end.
  ///
  /// Throws `io` and `cancelled`.
  mutating func bytes(at offset: Int64, count: Int) throws(MediaError) -> ArraySlice<UInt8> {
    if offset < start || offset + Int64(count) > start + Int64(bytes.count) {
      bytes = try source.read(at: offset, count: max(count, Self.size))
      start = offset
    }
    return bytes.dropFirst(Int(offset - start)).prefix(count)
  }
}
