import RespoolMedia

extension MediaBuffer {
  /// A buffer of some of the bytes, which keeps all of them.
  func part(_ range: Range<Int>) -> MediaBuffer {
    guard let base = bytes.baseAddress else { return self }
    return view(of: base + range.lowerBound, count: range.count)
  }

  /// A buffer of memory that is valid as long as this one lives; itself if it is just that memory.
  func view(of base: UnsafeMutableRawPointer, count: Int) -> MediaBuffer {
    if base == bytes.baseAddress, count == self.count { return self }
    return MediaBuffer(borrowing: UnsafeMutableRawBufferPointer(start: base, count: count)) {
      withExtendedLifetime(self) {}
    }
  }
}
