import RespoolPlugin

extension ID3Tag {
  /// `true` for a tag that neither an `INFO` list nor a `bext` chunk has a place for.
  static func isNeeded(for entry: MetadataEntry) -> Bool {
    isWritten(entry) && !InfoList.holds(entry.name)
  }

  private static func isWritten(_ entry: MetadataEntry) -> Bool {
    let name = entry.name.lowercased()
    return !entry.value.isEmpty && !entry.isOfFile && !ofWriter.contains(name)
      && !BroadcastExtension.holds(name)
  }

  /// Makes a tag of version 2.4 in UTF-8; `nil` for nothing.
  static func bytes(_ metadata: [MetadataEntry]) -> [UInt8]? {
    var frames: [UInt8] = []
    for entry in metadata where isWritten(entry) {
      let name = entry.name.lowercased()
      let text = Array(entry.value.utf8)
      // Encoding 3 is UTF-8 (2.4.0 section 4).
      if name == "lyrics" || name.hasPrefix("lyrics-") {
        frames += frame("USLT", [3] + Array("und".utf8) + [0] + text)
        // By which name FFmpeg finds it.
        frames += frame("TXXX", [3] + Array("lyrics".utf8) + [0] + text)
      } else if name == "comment" {
        frames += frame("COMM", [3] + Array("und".utf8) + [0] + text)
      } else if let key = written[name] {
        frames += frame(key, [3] + text)
      } else {
        frames += frame("TXXX", [3] + Array(entry.name.utf8) + [0] + text)
      }
    }
    guard !frames.isEmpty else { return nil }
    return Array("ID3".utf8) + [4, 0, 0] + syncSafe(frames.count) + frames
  }

  /// Tags about the file that was read, not about its content.
  private static let ofWriter: Set<String> = ["encoder", "creation_time"]

  /// Frames by FFmpeg's names.
  private static let written: [String: String] = [
    "title": "TIT2", "artist": "TPE1", "album": "TALB", "date": "TDRC", "genre": "TCON",
    "track": "TRCK", "copyright": "TCOP", "language": "TLAN", "encoded_by": "TENC",
    "album_artist": "TPE2", "performer": "TPE3", "composer": "TCOM", "disc": "TPOS",
    "publisher": "TPUB", "isrc": "TSRC", "compilation": "TCMP", "grouping": "TIT1",
  ]

  private static func frame(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + syncSafe(body.count) + [0, 0] + body
  }

  private static func syncSafe(_ number: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: number >> $0) & 0x7F }
  }
}
