import RespoolPlugin

/// Dolby TrueHD and MLP: checks that the last access unit is complete, as there is no header.
enum TrueHDExtent {
  /// Bytes at the end of a file that are searched: an access unit with a major sync comes at least every 128.
  private static let searchedSize: Int64 = 1 << 18
  /// Signatures of a major sync, 4 bytes after the start of its access unit.
  private static let majorSyncs: [[UInt8]] = [[0xF8, 0x72, 0x6F, 0xBA], [0xF8, 0x72, 0x6F, 0xBB]]
  private static let shortest = 4

  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    let first = max(0, size - searchedSize)
    let bytes = try source.readExactly(at: first, count: Int(size - first))
    let start = bytes.indices.first { isMajorSync(bytes, at: $0) }
    guard var position = start else { return nil }
    while position + shortest <= bytes.count {
      // The length in words of 16 bits, below four bits of parity.
      let length = (Int(bytes[position] & 0x0F) << 8 | Int(bytes[position + 1])) * 2
      guard length >= shortest else { return nil }
      guard position + length <= bytes.count else {
        return DeclaredExtent.sentence(
          "the last access unit", declares: Int64(length), there: Int64(bytes.count - position))
      }
      position += length
    }
    return position < bytes.count ? "the file ends within the header of an access unit" : nil
  }

  private static func isMajorSync(_ bytes: [UInt8], at position: Int) -> Bool {
    guard position + 8 <= bytes.count, bytes[position + 4] == majorSyncs[0][0] else { return false }
    return majorSyncs.contains { bytes[(position + 4)...].starts(with: $0) }
  }
}
