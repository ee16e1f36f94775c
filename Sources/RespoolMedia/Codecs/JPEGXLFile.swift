/// A JPEG XL file: a codestream (ISO/IEC 18181-1) alone or in boxes (ISO/IEC 18181-2 clause 9).
package struct JPEGXLFile {
  /// The first box of a file with boxes.
  package static let signature: [UInt8] =
    [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]

  /// The codestream without boxes.
  package private(set) var codestream: [UInt8] = []
  package private(set) var exif: [UInt8]?
  package private(set) var xmp: [UInt8]?
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
    case "Exif":
      try reader.skip(Int(try reader.big(UInt32.self)))
      exif = Array(try reader.take(reader.remaining))
    case "xml ": xmp = Array(try reader.take(reader.remaining))
    case "brob": others.append("compressed metadata (brob)")
    case "jbrd": others.append("data to rebuild a JPEG file (jbrd)")
    default: break
    }
  }

  /// Returns the size of the image from the head of its codestream (ISO/IEC 18181-1 D.2).
  package func imageSize() throws(MediaError) -> (width: Int, height: Int) {
    guard codestream.starts(with: [0xFF, 0x0A]) else {
      throw MediaError(.malformed, "the codestream has no start")
    }
    var place = 16
    func bits(_ count: Int) throws(MediaError) -> Int {
      var value = 0
      for index in 0..<count {
        guard place / 8 < codestream.count else {
          throw MediaError(.malformed, "the codestream ends in its header")
        }
        value |= Int(codestream[place / 8] >> (place % 8) & 1) << index
        place += 1
      }
      return value
    }
    let isShort = try bits(1) == 1
    let lengths = [9, 13, 18, 30]
    func side() throws(MediaError) -> Int {
      if isShort { return (try bits(5) + 1) * 8 }
      return try bits(lengths[try bits(2)]) + 1
    }
    let height = try side()
    let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
    let ratio = try bits(3)
    guard ratio > 0 else { return (try side(), height) }
    return (height * ratios[ratio - 1].0 / ratios[ratio - 1].1, height)
  }
}
