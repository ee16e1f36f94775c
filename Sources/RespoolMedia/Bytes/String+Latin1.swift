extension String {
  /// Makes text of Latin-1.
  public init(latin1 bytes: some Sequence<UInt8>) {
    self.init()
    for byte in bytes { unicodeScalars.append(Unicode.Scalar(byte)) }
  }

  /// Makes text of UTF-8, or of Latin-1 where the bytes are not that.
  public init(utf8OrLatin1 bytes: some Collection<UInt8>) {
    self = String(validating: bytes, as: UTF8.self) ?? String(latin1: bytes)
  }
}
