import RespoolPlugin

/// MPEG program streams: checks that the last packet is complete (ISO/IEC 13818-1 2.5.3).
enum ProgramStreamExtent {
  /// Bytes at the end of a file that are searched for a pack; packets have at most 65,541 bytes.
  private static let searchedSize: Int64 = 1 << 18

  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    let start = max(0, size - searchedSize)
    let bytes = try source.readExactly(at: start, count: Int(size - start))
    var position = 0
    while let pack = self.pack(in: bytes, from: position) {
      position = pack
      while let length = length(in: bytes, at: position) {
        guard length <= bytes.count - position else {
          // A packet of audio or video that follows a pack.
          guard position > pack else { break }
          return DeclaredExtent.sentence(
            "the last packet", declares: Int64(length), there: Int64(bytes.count - position))
        }
        position += length
        if position == bytes.count { return nil }
      }
      position = max(position, pack + 4)
    }
    return nil
  }

  /// Returns the index of the next pack header.
  private static func pack(in bytes: [UInt8], from start: Int) -> Int? {
    var index = start
    while index + 4 < bytes.count {
      if bytes[index + 2] > 1 {
        index += 3
      } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1,
        bytes[index + 3] == 0xBA
      {
        return index
      } else {
        index += 1
      }
    }
    return nil
  }

  /// Returns the length of a pack header, a packet or the end code; `nil` for other bytes.
  private static func length(in bytes: [UInt8], at index: Int) -> Int? {
    guard index + 14 <= bytes.count else {
      return bytes[index...].elementsEqual([0, 0, 1, 0xB9]) ? 4 : nil
    }
    guard bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 else { return nil }
    switch bytes[index + 3] {
    case 0xB9: return 4
    case 0xBA:
      // MPEG-2 has stuffing after the header; MPEG-1 has a shorter header.
      return bytes[index + 4] >> 6 == 1 ? 14 + Int(bytes[index + 13] & 7) : 12
    case 0xBB...: return 6 + Int(bytes[index + 4]) << 8 + Int(bytes[index + 5])
    default: return nil
    }
  }
}
