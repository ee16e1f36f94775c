import RespoolPlugin

/// The tag of 128 bytes at the end of a file (ID3v1.1), which FFmpeg reads only if there is no other tag.
enum ID3v1Tag {
  private static let size = 128
  /// Names, offsets and lengths of the text fields.
  private static let fields = [
    ("title", 3, 30), ("artist", 33, 30), ("album", 63, 30), ("date", 93, 4), ("comment", 97, 28),
  ]

  /// Returns the texts of the tag.
  ///
  /// Empty if there is no tag.
  static func tags(in source: ByteSource) throws(MediaError) -> [NativeTag] {
    guard source.isSeekable, let end = source.size, end >= Int64(size) else { return [] }
    let bytes = try source.read(at: end - Int64(size), count: size)
    guard bytes.count == size, bytes.starts(with: Array("TAG".utf8)) else { return [] }
    var tags = fields.map { name, start, length in
      var text = String(latin1: bytes[start..<start + length].prefix { $0 != 0 })
      while text.last == " " { text.removeLast() }
      return NativeTag(keySpace: "org.id3", key: "ID3v1:\(name)", name: name, value: text)
    }
    tags.removeAll { $0.value.isEmpty }
    // A tag without texts is ignored: its genre 0, Blues, is probably not intended.
    guard !tags.isEmpty else { return [] }
    if bytes[125] == 0, bytes[126] != 0 {
      tags.append(
        NativeTag(keySpace: "org.id3", key: "ID3v1:track", name: "track", value: "\(bytes[126])"))
    }
    let genre = Int(bytes[127])
    if genre < ID3Names.genres.count {
      tags.append(
        NativeTag(
          keySpace: "org.id3", key: "ID3v1:genre", name: "genre", value: ID3Names.genres[genre]))
    }
    return tags
  }
}
