import RespoolPlugin

/// Subtitles of Blu-ray discs as pictures: segments of presentation graphics, each after a header with its times.
///
/// The form is that of BDSup2Sub and FFmpeg (`supenc.c`); there is no public standard.
struct PresentationGraphicsFile: SubtitleWriting {
  static let name = "sup"
  static let longName = "presentation graphics of Blu-ray"
  static let extensions = ["sup"]
  static let mimeTypes: [String] = []
  static let codecs = ["hdmv_pgs_subtitle"]
  static let timeBase = Rational(1, 90_000)

  init(_ track: TrackDescription) {}

  mutating func add(_ event: SubtitleEvent) throws(MediaError) -> [UInt8] {
    var reader = ByteReader(event.bytes)
    var bytes: [UInt8] = []
    while !reader.isAtEnd {
      let start = reader.position
      try reader.skip(1)
      let size = Int(try reader.big(UInt16.self))
      try reader.skip(size)
      // Times have 32 bits; the second one, of decoding, may be 0.
      bytes += Array("PG".utf8) + UInt32(truncatingIfNeeded: event.start).bigEndianBytes
      bytes += [0, 0, 0, 0] + event.bytes[start..<reader.position]
    }
    return bytes
  }
}
