import RespoolPlugin

/// The MD5 of all audio of a stream, to compare with the one in STREAMINFO.
struct AudioHash {
  private let expected: [UInt8]
  private let expectedCount: Int64
  private var hash = MD5()
  private var sampleCount: Int64 = 0

  /// Creates a hash without audio; `nil` if STREAMINFO states no MD5 or no number of audio samples.
  init?(_ info: FLACStreamInfo) {
    guard info.sampleCount > 0, info.md5.contains(where: { $0 != 0 }) else { return nil }
    expected = info.md5
    expectedCount = Int64(info.sampleCount)
  }

  mutating func update(_ bytes: [UInt8], sampleCount: Int) {
    bytes.withUnsafeBytes { hash.update($0) }
    self.sampleCount += Int64(sampleCount)
  }

  /// Returns `false` if the audio is complete and its MD5 is another one.
  ///
  /// Audio that was seeked in or cut cannot be compared.
  mutating func matches() -> Bool {
    sampleCount != expectedCount || hash.finalize() == expected
  }
}
