import RespoolPlugin

/// TGA files (Truevision TGA file format specification 2.0).
///
/// They begin with no magic, so that the extension and a plausible header decide.
enum TGAFormat: ImageReading {
  static var reader: FactoryDescription {
    var value = FactoryDescription(
      image: .demuxer, "tga", "TGA image", aliases: ["targa"],
      extensions: ["tga", "icb", "vda", "vst"], mimeTypes: ["image/x-tga"])
    value.magics = []
    return value
  }

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    let hasExtension = reader.extensions.contains { name.lowercased().hasSuffix("." + $0) }
    guard hasExtension, (try? Header(Array(bytes.prefix(18)))) != nil else { return 0 }
    return 60
  }

  static func read(_ source: ByteSource) throws(MediaError) -> Image {
    let bytes = try wholeFile(source)
    let header = try Header(bytes)
    var track = TrackDescription(image: "targa", width: header.width, height: header.height)
    track.pixelFormat = header.pixelFormat
    track.color.range = .full
    if track.pixelFormat.layout?.family == .rgb { track.color.matrix = H273.Matrix.identity }
    return Image(track, .bytes(MediaBuffer(bytes)))
  }

  /// The first 18 bytes of a file (section C.2).
  private struct Header {
    let width: Int
    let height: Int
    private let type: UInt8
    private let depth: UInt8
    private let alphaBits: UInt8

    /// Throws `malformed` for values that the format does not have.
    init(_ bytes: [UInt8]) throws(MediaError) {
      var reader = ByteReader(bytes)
      try reader.skip(1)
      let mapType = try reader.u8()
      type = try reader.u8()
      try reader.skip(9)
      width = Int(try reader.little(UInt16.self))
      height = Int(try reader.little(UInt16.self))
      depth = try reader.u8()
      alphaBits = try reader.u8() & 15
      guard mapType < 2, [1, 2, 3, 9, 10, 11].contains(type),
        [8, 15, 16, 24, 32].contains(depth), width > 0, height > 0
      else { throw MediaError(.malformed, "the file has no header of a TGA image", offset: 0) }
    }

    /// Format that holds the decoded image.
    var pixelFormat: PixelFormat {
      switch (type & 7, depth) {
      case (3, 8): .gray
      case (2, 32): alphaBits > 0 ? .bgra : .rgb24
      default: .rgb24
      }
    }
  }
}
