import RespoolPlugin

/// The first bytes of tags in audio files: ID3v1, ID3v2, APEv2 and Lyrics3.
enum TagMark {
  private static let marks = ["TAG", "ID3", "APETAGEX", "LYRICSBEGIN"].map { Array($0.utf8) }
  /// Size of the longest mark in bytes.
  static let longest = 11

  /// Returns `true` if the bytes begin with a tag.
  static func begins(_ bytes: some Sequence<UInt8>) -> Bool {
    marks.contains { bytes.starts(with: $0) }
  }

  /// Returns `true` if a Lyrics3 tag, which is not read, is in the last 64 KiB.
  ///
  /// Lyrics3 2.00: its text ends with a mark, and an ID3v1 or APEv2 tag may follow.
  static func hasLyrics3(_ source: ByteSource) throws(MediaError) -> Bool {
    guard source.isSeekable, let end = source.size else { return false }
    let start = max(0, end - 1 << 16)
    let bytes = try source.read(at: start, count: Int(end - start))
    let marks = ["LYRICS200", "LYRICSEND"].map { Array($0.utf8) }
    return bytes.indices.contains { position in
      bytes[position] == marks[0][0] && marks.contains { bytes[position...].starts(with: $0) }
    }
  }
}
