import RespoolMedia

extension MediaBuffer {
  /// Returns a buffer of some of the bytes; it keeps the memory of all of them alive.
  func part(_ range: Range<Int>) -> MediaBuffer {
    guard let base = bytes.baseAddress else { return self }
    return view(of: base + range.lowerBound, count: range.count)
  }

  /// Returns a buffer of memory that is valid as long as this buffer; the buffer itself if it is exactly that memory.
  func view(of base: UnsafeMutableRawPointer, count: Int) -> MediaBuffer {
    if base == bytes.baseAddress, count == self.count { return self }
    return MediaBuffer(borrowing: UnsafeMutableRawBufferPointer(start: base, count: count)) {
      withExtendedLifetime(self) {}
    }
  }
}
