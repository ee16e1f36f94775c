import RespoolPlugin

/// FLAC: compares the number of samples in STREAMINFO with the number of the last frame (RFC 9639 9.1).
enum FLACExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    let start = try ID3Prefix.end(in: source)
    let info = try FLACStreamInfo(try source.readExactly(at: start, count: 42))
    let declared = Int64(info.sampleCount)
    guard declared > 0 else { return nil }
    let count = min(size - start, Int64(max(2 * Int(info.maximumFrameSize), 1 << 17)))
    // Padding, since the last frame may be shorter than the longest header.
    let tail =
      try source.read(at: size - count, count: Int(count)) + [UInt8](repeating: 0, count: 16)
    let block = Int(info.maximumBlockSize)
    guard let last = lastFrame(in: tail, block, atMost: declared) else { return nil }
    if last.end < declared {
      return "STREAMINFO declares \(declared.counting("sample")), but \(last.end) are present"
    }
    return isWhole(tail.dropLast(16)[last.start...]) ? nil : "the last frame is cut off"
  }

  /// Returns `true` if the bytes begin with a frame that ends with its checksum, or may be a frame and tags.
  ///
  /// The CRC-16 over a frame and its checksum is 0 (RFC 9639 9.3).
  private static func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
    var sum: UInt16 = 0
    var end = bytes.endIndex
    // ID3v1 has 128 bytes; other tags begin with their names.
    if bytes.count > 128, bytes[(end - 128)...].starts(with: Array("TAG".utf8)) { end -= 128 }
    if bytes[..<end].suffix(32).starts(with: Array("APETAGEX".utf8)) { return true }
    for byte in bytes[..<end] {
      sum ^= UInt16(byte) << 8
      for _ in 0..<8 { sum = sum & 0x8000 == 0 ? sum << 1 : sum << 1 ^ 0x8005 }
    }
    // Zero padding after the last frame is not part of it.
    return sum == 0 || bytes[..<end].suffix(64).allSatisfy { $0 == 0 }
  }

  /// Returns the end in samples and the position of the last frame with a valid header.
  private static func lastFrame(in tail: [UInt8], _ largest: Int, atMost: Int64) -> (
    end: Int64, start: Int
  )? {
    var index = tail.count - 16
    while index >= 0 {
      defer { index -= 1 }
      guard tail[index] == 0xFF, tail[index + 1] & 0xFE == 0xF8 else { continue }
      if let header = FLACFrameHeader(tail[index..<index + 16]),
        let end = header.end(largestBlock: largest), end <= atMost
      {
        return (end, index)
      }
    }
    return nil
  }
}

/// Ogg: checks that the last page ends its stream and is complete (RFC 3533 6).
enum OggExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    guard let last = try OggPage.last(in: source, size: size) else { return nil }
    guard let page = last.page else {
      return DeclaredExtent.sentence(
        "the last page", declares: Int64(last.declared), there: Int64(last.present))
    }
    return page.isLastOfStream ? nil : "the last page does not end its stream"
  }
}
