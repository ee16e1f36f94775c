import RespoolMedia

/// Text of subtitle files in the old encoding of Windows.
enum WindowsText {
  static let note =
    "the text is not UTF-8 and is taken for Windows-1252; convert the file if that is wrong"

  /// Returns text of a track as UTF-8; `nil` if it is UTF-8 or the track has images.
  static func utf8(_ bytes: [UInt8], of track: TrackDescription) -> [UInt8]? {
    guard track.kind == .subtitle, CaptionFormat(track) != nil,
      String(validating: bytes, as: UTF8.self) == nil
    else { return nil }
    return utf8(windows: bytes)
  }

  /// Returns text in Windows-1252 as UTF-8.
  private static func utf8(windows bytes: [UInt8]) -> [UInt8] {
    var text = String.UnicodeScalarView()
    for byte in bytes {
      let known = (0x80...0x9F).contains(byte) ? extras[Int(byte) - 0x80] : UInt16(byte)
      text.append(Unicode.Scalar(known) ?? "\u{FFFD}")
    }
    return Array(String(text).utf8)
  }

  /// Characters 0x80 to 0x9F of Windows-1252 (Unicode consortium, CP1252.TXT); 0xFFFD where there is none.
  private static let extras: [UInt16] = [
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0xFFFD, 0x017D, 0xFFFD, 0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178,
  ]
}
