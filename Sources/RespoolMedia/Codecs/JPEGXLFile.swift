/// A JPEG XL file: a codestream (ISO/IEC 18181-1) alone or in boxes (ISO/IEC 18181-2 clause 9).
package struct JPEGXLFile {
  /// The first box of a file with boxes.
  package static let signature: [UInt8] =
    [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]

  /// The codestream without boxes.
  package private(set) var codestream: [UInt8] = []
  /// Names of parts that no muxer writes.
  package private(set) var others: [String] = []

  /// Reads the boxes of a file.
  ///
  /// Throws `malformed` if there is no codestream.
  package init(_ bytes: [UInt8]) throws(MediaError) {
    var reader = ByteReader(bytes)
    if bytes.starts(with: [0xFF, 0x0A]) {
      codestream = bytes
      return
    }
    while reader.remaining >= 8 {
      let start = reader.position
      var size = UInt64(try reader.big(UInt32.self))
      let type = try reader.text(4)
      if size == 1 { size = try reader.big(UInt64.self) }
      let length = size == 0 ? reader.remaining : Int(clamping: size) - (reader.position - start)
      // A file that was cut off has a part of its codestream, which the decoder names.
      try take(type, reader.sub(max(0, min(length, reader.remaining))))
    }
    guard !codestream.isEmpty else {
      throw MediaError(.malformed, "the file has no codestream")
    }
  }

  private mutating func take(_ type: String, _ box: ByteReader) throws(MediaError) {
    var reader = box
    switch type {
    case "jxlc": codestream += try reader.take(reader.remaining)
    case "jxlp":
      // The number of the part; parts are in order.
      try reader.skip(4)
      codestream += try reader.take(reader.remaining)
    case "brob":
      // Exif data and XMP are decompressed by libjxl.
      let type = try reader.text(4)
      if !["Exif", "xml "].contains(type) { others.append(Self.name(ofMetadata: type)) }
    case "jumb": others.append(Self.name(ofMetadata: type))
    case "jbrd": others.append("data to rebuild a JPEG file (jbrd)")
    default: break
    }
  }

  private static func name(ofMetadata type: String) -> String {
    type == "jumb" ? "records of origin and editing (JUMBF)" : "metadata of the type \(type)"
  }
}
