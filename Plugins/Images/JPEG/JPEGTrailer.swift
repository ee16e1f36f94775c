import RespoolPlugin

/// The bytes after the end of a JPEG image, where cameras put more.
struct JPEGTrailer {
  private let bytes: ArraySlice<UInt8>

  /// Finds the bytes after the end marker of the first image (ITU-T T.81 B.1.1).
  init(_ file: [UInt8]) {
    var place = 2
    while place + 1 < file.count {
      guard file[place] == 0xFF else {
        place = file[place...].firstIndex(of: 0xFF) ?? file.count
        continue
      }
      switch file[place + 1] {
      case 0xD9:
        bytes = file[(place + 2)...]
        return
      case 0xFF: place += 1
      // Escaped bytes and restart markers.
      case 0, 1, 0xD0...0xD8: place += 2
      default:
        guard place + 3 < file.count else {
          bytes = []
          return
        }
        place += 2 + (Int(file[place + 2]) << 8 | Int(file[place + 3]))
      }
    }
    bytes = []
  }

  /// Names of contents that no muxer writes and the segments do not name.
  func others(_ segments: JPEGSegments) -> [String] {
    var others: [String] = []
    if hasMovie { others.append("video of the motion photo") }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]), !segments.hasMoreImages {
      others.append("further images of the file")
    }
    return others
  }

  /// `true` if there is the first box of an MP4 file (ISO/IEC 14496-12 4.3).
  private var hasMovie: Bool {
    let type = Array("ftyp".utf8)
    var rest = bytes
    while let start = rest.firstIndex(of: type[0]) {
      rest = rest[start...]
      if rest.starts(with: type) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
