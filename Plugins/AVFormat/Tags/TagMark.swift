/// The bytes that tags of sound files begin with: ID3v1, ID3v2, APEv2 and Lyrics3.
enum TagMark {
  private static let marks = ["TAG", "ID3", "APETAGEX", "LYRICSBEGIN"].map { Array($0.utf8) }
  /// Bytes of the longest mark.
  static let longest = 11

  /// `true` if bytes begin with a tag.
  static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
    marks.contains { bytes.starts(with: $0) }
  }
}
