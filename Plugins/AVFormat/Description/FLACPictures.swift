import RespoolPlugin

/// Pictures of a FLAC file in formats that libavformat passes over, such as AVIF (RFC 9639 8.8).
enum FLACPictures {
  private static let pictureBlock: UInt8 = 6
  private static let most = 100
  private static let largest = 1 << 24

  /// Returns an attached file for each; what comes behind damage is left out.
  static func attachments(in source: ByteSource) throws(MediaError) -> [TrackDescription] {
    var found: [TrackDescription] = []
    do throws(MediaError) {
      // The first metadata block follows the marker `fLaC`.
      var place = try ID3Length.end(in: source) + 4
      var isLast = false
      for _ in 0..<most where !isLast {
        let head = try source.readExactly(at: place, count: 4)
        isLast = head[0] & 0x80 != 0
        let length = head[1...].reduce(0) { $0 << 8 | Int($1) }
        if head[0] & 0x7F == pictureBlock, length <= largest {
          var reader = ByteReader(try source.readExactly(at: place + 4, count: length))
          if let file = try picture(&reader, number: found.count + 1) { found.append(file) }
        }
        place += 4 + Int64(length)
      }
    } catch {
      if error.code == .cancelled || error.code == .io { throw error }
    }
    return found
  }

  private static func picture(_ reader: inout ByteReader, number: Int) throws(MediaError)
    -> TrackDescription?
  {
    try reader.skip(4)
    let type = try reader.text(Int(try reader.big(UInt32.self)))
    let about = try reader.text(Int(try reader.big(UInt32.self)))
    // Size, depth and number of colors, which the picture's own file states.
    try reader.skip(16)
    let bytes = try reader.take(Int(try reader.big(UInt32.self)))
    return TrackDescription(unknownPicture: bytes, type: type, about: about, number: number)
  }
}

extension TrackDescription {
  /// Describes a picture as an attached file, or nil if libavformat makes a cover of it.
  init?(unknownPicture bytes: ArraySlice<UInt8>, type: String, about: String, number: Int) {
    let known: Set<String> = [
      "image/gif", "image/jpeg", "image/jpg", "image/png", "image/tiff", "image/bmp",
    ]
    let name = type.lowercased()
    guard name.hasPrefix("image/"), !known.contains(name), !bytes.isEmpty else { return nil }
    self.init(kind: .attachment, codec: "bin_data", timeBase: Rational(1, 90_000))
    extradata = Array(bytes)
    metadata = [
      MetadataEntry("filename", "cover\(number).\(name.dropFirst("image/".count))"),
      MetadataEntry("mimetype", type), MetadataEntry("title", about),
    ].filter { !$0.value.isEmpty }
  }
}
