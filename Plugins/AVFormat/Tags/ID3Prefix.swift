import RespoolPlugin

/// ID3v2 tags in front of the media.
///
/// A file may have several (ID3 2.4.0 section 5).
enum ID3Prefix {
  private static let most = 16
  /// Maximum size in bytes: a tag with covers has a few MiB.
  private static let largest: Int64 = 64 << 20

  /// Returns the offset after the tags.
  ///
  /// 0 if there are none.
  static func end(in source: ByteSource) throws(MediaError) -> Int64 {
    try ranges(in: source).last?.end ?? 0
  }

  /// Reads the tags.
  static func tags(in source: ByteSource) throws(MediaError) -> [ID3Tag] {
    var tags: [ID3Tag] = []
    for range in try ranges(in: source) {
      let count = Int(min(range.end - range.start, largest))
      tags.append(ID3Tag(try source.read(at: range.start, count: count)))
    }
    return tags
  }

  /// Reads the tag at the end of a file, which has a footer (3.4).
  ///
  /// An ID3v1 tag may follow it.
  static func appendedTag(in source: ByteSource) throws(MediaError) -> ID3Tag? {
    guard source.isSeekable, let size = source.size else { return nil }
    for end in [size, size - 128] where end >= Int64(2 * ID3Tag.headSize) {
      let foot = try source.read(at: end - Int64(ID3Tag.headSize), count: ID3Tag.headSize)
      guard foot.count == ID3Tag.headSize, foot.starts(with: Array("3DI".utf8)) else { continue }
      let length = Int64(2 * ID3Tag.headSize + ID3Frame.syncSafe(foot[6...]))
      guard length <= min(end, largest) else { return nil }
      return ID3Tag(try source.read(at: end - length, count: Int(length)))
    }
    return nil
  }

  private static func ranges(in source: ByteSource) throws(MediaError)
    -> [(start: Int64, end: Int64)]
  {
    var ranges: [(start: Int64, end: Int64)] = []
    var start: Int64 = 0
    while ranges.count < most {
      let head = try source.read(at: start, count: ID3Tag.headSize)
      guard head.count == ID3Tag.headSize, head.starts(with: Array("ID3".utf8)) else { break }
      // A footer repeats the header (3.4).
      let heads = head[5] & 0x10 != 0 ? 2 : 1
      let end = start + Int64(heads * ID3Tag.headSize + ID3Frame.syncSafe(head[6...]))
      ranges.append((start, end))
      start = end
    }
    return ranges
  }
}
