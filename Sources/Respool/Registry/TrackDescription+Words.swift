import RespoolMedia

extension TrackDescription {
  /// The codec for a message: its name, or what the container calls it.
  var codecInWords: String {
    guard codec.isEmpty else { return codec }
    guard codecTag != 0 else { return "a codec that is not known" }
    guard tagLetters.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      return "a codec that is not known (0x\(String(codecTag, radix: 16)))"
    }
    let name = String(decoding: tagLetters, as: UTF8.self)
    return isProtected
      ? "what is encrypted (\"\(name)\")" : "a codec that is not known (\"\(name)\")"
  }

  /// Whether its sample entry says that it is encrypted.
  var isProtected: Bool { Self.encrypted.contains(String(decoding: tagLetters, as: UTF8.self)) }

  private var tagLetters: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: codecTag >> ($0 * 8)) }
  }

  /// Sample entries of protected tracks (ISO/IEC 14496-12 8.12; `drms` is of iTunes).
  private static let encrypted: Set<String> = ["encv", "enca", "enct", "encs", "drmi", "drms"]
}
