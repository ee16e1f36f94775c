import Glibc
import Respool
import RespoolMedia

/// Detection of files among media that are not media, by their first bytes.
///
/// Some demuxers take such a file for damaged media, which would make every batch fail.
enum ForeignFile {
  /// Returns a noun for the kind of file; `nil` if it may be media.
  ///
  /// Without `trustsText`, text counts only if the file's extension is one of text.
  static func kind(_ path: String, trustsText: Bool = true) -> String? {
    guard let source = try? FileSource(path: path),
      let head = try? source.bytes(at: 0, count: min(512, source.size))
    else { return nil }
    let kind = kind(of: head)
    guard kind == text, !trustsText else { return kind }
    let suffix = PathName.splitExtension(PathName.last(path)).extension
    return textExtensions.contains(suffix) ? kind : nil
  }

  /// The kind of files that have no control characters.
  static let text = "text"
  private static let raw = "a raw photo of a camera; develop it first with a program for raw photos"
  private static let textExtensions: Set<String> = [
    "c", "cfg", "conf", "css", "csv", "cue", "h", "htm", "html", "ini", "js", "json", "log", "md",
    "nfo", "pl", "py", "rtf", "sh", "tex", "toml", "tsv", "txt", "url", "xml", "yaml", "yml",
  ]

  static func kind(of head: [UInt8]) -> String? {
    if let found = magics.first(where: { head.dropFirst($0.offset).starts(with: $0.bytes) }) {
      return found.noun
    }
    return isText(head) ? text : nil
  }

  private static let magics: [(offset: Int, bytes: [UInt8], noun: String)] = [
    (0, [0x50, 0x4B, 0x03, 0x04], "a ZIP archive"), (0, [0x50, 0x4B, 0x05, 0x06], "a ZIP archive"),
    (0, [0x1F, 0x8B], "a gzip archive"), (0, Array("BZh".utf8), "a bzip2 archive"),
    (0, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], "an xz archive"),
    (0, [0x28, 0xB5, 0x2F, 0xFD], "a Zstandard archive"),
    (0, [0x04, 0x22, 0x4D, 0x18], "an LZ4 archive"), (0, Array("LZIP".utf8), "an lzip archive"),
    (0, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], "a 7z archive"),
    (0, Array("Rar!".utf8) + [0x1A, 0x07], "a RAR archive"),
    (257, Array("ustar".utf8), "a tar archive"), (0, Array("!<arch>\n".utf8), "an archive"),
    (0, Array("%PDF-".utf8), "a PDF document"),
    (0, [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1], "an Office document"),
    (0, Array("SQLite format 3".utf8) + [0], "a SQLite database"),
    (0, [0x7F, 0x45, 0x4C, 0x46], "a program"), (0, Array("#!".utf8), "a script"),
    // Raw photos of Canon (CR3, CRW), Fujifilm, Sigma and Minolta; the plugin for TIFF knows those that are TIFF files.
    (4, Array("ftypcrx ".utf8), raw), (6, Array("HEAPCCDR".utf8), raw),
    (0, Array("FUJIFILMCCD-RAW".utf8), raw), (0, Array("FOVb".utf8), raw),
    (0, [0] + Array("MRM".utf8), raw),
  ]

  /// Returns `true` for UTF-8 without control characters; `head` may end within a character.
  private static func isText(_ head: [UInt8]) -> Bool {
    guard !head.isEmpty, !head.contains(where: { $0 < 0x09 || (0x0E..<0x20).contains($0) }) else {
      return false
    }
    return (0...3).contains {
      String(validating: head.dropLast($0), as: UTF8.self) != nil
    }
  }
}
