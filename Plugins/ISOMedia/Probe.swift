import RespoolPlugin

/// Whether bytes are the start of an ISO media or QuickTime file.
enum ISOMediaProbe {
  /// Brands of files that hold pictures only, and no movie.
  private static let stillBrands: Set<FourCC> = [
    "heic", "heix", "mif1", "avif", "jp2 ", "jxl ", "jpx ", "crx ",
  ]

  static func score(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    var reader = ByteReader(Array(bytes.prefix(4096)))
    var score = 0
    for _ in 0..<16 {
      guard let header = try? BoxHeader(from: &reader) else { break }
      switch header.type {
      case "ftyp":
        guard var type = try? reader.sub(min(reader.remaining, Int(header.size ?? 0) - 8)),
          let box = try? FileTypeBox(from: &type)
        else { return 50 }
        if stillBrands.contains(box.majorBrand), !box.compatibleBrands.contains("msf1") {
          return score
        }
        return 100
      case "moov", "moof", "styp", "sidx": return 100
      case "mdat": score = max(score, header.size == nil ? 50 : 75)
      case "free", "skip", "wide", "pnot", "junk", "PICT", "uuid": score = max(score, 50)
      default: return score
      }
      guard let size = header.size, let skipped = Int(exactly: size - header.headerSize),
        (try? reader.skip(skipped)) != nil
      else { break }
    }
    return score
  }
}

extension FileLayout {
  /// Whether sound descriptions may be QuickTime's.
  ///
  /// Files without a brand are from before there were brands.
  var isQuickTime: Bool {
    guard let fileType else { return true }
    return fileType.majorBrand == "qt  " || fileType.compatibleBrands.contains("qt  ")
  }
}
