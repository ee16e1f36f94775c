import RespoolPlugin

/// Detection of ISO media and QuickTime files from their first bytes.
enum ISOMediaProbe {
  /// Brands of files that hold only still images and no movie.
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
  /// `true` if sample descriptions of audio may be in QuickTime's format.
  ///
  /// Also `true` for files without `ftyp`, which are older than brands.
  var isQuickTime: Bool {
    guard let fileType else { return true }
    return fileType.majorBrand == "qt  " || fileType.compatibleBrands.contains("qt  ")
  }
}
