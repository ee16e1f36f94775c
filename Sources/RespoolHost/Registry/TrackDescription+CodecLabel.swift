import RespoolMedia

extension TrackDescription {
  /// Codec for a message: its name, or the container's code for it.
  package var codecLabel: String {
    guard codec.isEmpty else { return codec }
    guard codecTag != 0 else { return "the unknown codec" }
    guard tagLetters.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return "the unknown codec (0x\(String(codecTag, radix: 16)))"
    }
    let name = String(decoding: tagLetters, as: UTF8.self)
    return isProtected
      ? "encrypted media (\"\(name)\")" : "the unknown codec (\"\(name)\")"
  }

  /// `true` if the sample entry indicates encryption.
  package var isProtected: Bool { FourCC(rawValue: codecTag.byteSwapped).isProtectedEntry }

  private var tagLetters: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: codecTag >> ($0 * 8)) }
  }
}
