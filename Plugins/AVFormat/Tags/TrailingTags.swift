import RespoolPlugin

/// Tags at the end of audio files: ID3v1, APEv2, Lyrics3 and ID3v2 with a footer.
enum TrailingTags {
  private static let most = 16

  /// Returns the offset at which the tags begin; `size` if there are none.
  static func start(in source: ByteSource, size: Int64) throws(MediaError) -> Int64 {
    var end = size
    for _ in 0..<most {
      guard let length = try lengthOfTag(before: end, in: source), length <= end else { break }
      end -= length
    }
    return end
  }

  private static func lengthOfTag(before end: Int64, in source: ByteSource) throws(MediaError)
    -> Int64?
  {
    func bytes(_ distance: Int64, _ count: Int) throws(MediaError) -> [UInt8] {
      distance > end ? [] : try source.read(at: end - distance, count: count)
    }
    if try bytes(128, 3) == Array("TAG".utf8) { return 128 }
    // The enhanced tag precedes ID3v1.
    if try bytes(227, 4) == Array("TAG+".utf8) { return 227 }
    var foot = ByteReader(try bytes(32, 24))
    if (try? foot.take(8))?.elementsEqual("APETAGEX".utf8) == true {
      try foot.skip(4)
      let length = Int64(try foot.little(UInt32.self))
      try foot.skip(4)
      // The length leaves out the header.
      return length + (try foot.little(UInt32.self) >> 31 == 1 ? 32 : 0)
    }
    if try bytes(9, 9) == Array("LYRICS200".utf8) {
      let digits = String(decoding: try bytes(15, 6), as: UTF8.self)
      return Int64(digits).map { $0 + 15 }
    }
    let identifier = try bytes(Int64(ID3Tag.headSize), ID3Tag.headSize)
    if identifier.starts(with: Array("3DI".utf8)) {
      return Int64(2 * ID3Tag.headSize + ID3Frame.syncSafe(identifier[6...]))
    }
    return nil
  }

  /// Bytes at the end of a file that are searched for the start of a tag.
  private static let searchedSize: Int64 = 1 << 16

  /// Returns a sentence if the file ends within a tag; `nil` otherwise.
  static func cutTag(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    guard try start(in: source, size: size) == size else { return nil }
    let first = max(0, size - searchedSize)
    let bytes = try source.readExactly(at: first, count: Int(size - first))
    for index in bytes.indices where bytes[index] == UInt8(ascii: "A") {
      var reader = ByteReader(bytes[index...])
      guard (try? reader.take(8))?.elementsEqual("APETAGEX".utf8) == true,
        let version = try? reader.little(UInt32.self), [1000, 2000].contains(version),
        let length = try? reader.little(UInt32.self), (try? reader.skip(4)) != nil,
        let flags = try? reader.little(UInt32.self)
      else { continue }
      // Bit 29 marks the header, after which the length counts.
      let present = bytes.count - index - 32
      guard flags & 0x2000_0000 != 0, Int(length) > present else { continue }
      return DeclaredExtent.sentence(
        "the APEv2 tag", declares: Int64(length), there: Int64(max(0, present)))
    }
    let mark = Array("TAG".utf8)
    if let index = bytes.indices.suffix(127).first(where: { bytes[$0...].starts(with: mark) }) {
      return DeclaredExtent.sentence(
        "the ID3v1 tag", declares: 128, there: Int64(bytes.count - index))
    }
    return nil
  }
}
