extension MediaDescription {
  /// Plain name of the container, such as `mp4`, `mov`, `m4a`, `3gp`, `mkv`, `webm` or `wav`.
  ///
  /// ``format`` is a list of names for families such as ISO Base Media. The brand or the document type of the file
  /// decides between them.
  package var containerName: String {
    switch format {
    case Self.isoFormat:
      // Files of QuickTime may have no brand (QuickTime File Format, "File type compatibility").
      guard let brand = metadata.first(where: { $0.name == "major_brand" })?.value else {
        return "mov"
      }
      return Self.containerName(brand: brand)
    case "matroska,webm":
      return sideData[.documentType] == Array("webm".utf8) ? "webm" : "mkv"
    default: return Self.plainContainerName(format)
    }
  }

  private static let isoFormat = "mov,mp4,m4a,3gp,3g2,mj2"

  /// Returns the container of a brand (https://mp4ra.org/registered-types/brands).
  private static func containerName(brand: String) -> String {
    switch brand.lowercased() {
    case "qt  ": "mov"
    case "m4a ", "m4b ", "m4p ": "m4a"
    case "mjp2", "mj2s": "mj2"
    case "mif1", "msf1", "heic", "heix", "hevc", "hevx": "heif"
    case "avif", "avis": "avif"
    case let brand where brand.hasPrefix("3gp") || brand.hasPrefix("3gs") || brand.hasPrefix("3gr"):
      "3gp"
    case let brand where brand.hasPrefix("3g2"): "3g2"
    default: "mp4"
    }
  }

  /// Returns the plain name for a name that FFmpeg or a user writes.
  package static func plainContainerName(_ name: String) -> String {
    let name = name.lowercased()
    if let plain = plainNames[name] { return plain }
    let first = name.prefix { $0 != "," }
    return String(first.hasSuffix("_pipe") ? first.dropLast(5) : first)
  }

  private static let plainNames = [
    "matroska": "mkv", "quicktime": "mov", "ipod": "m4a", "mpegts": "ts", "m2ts": "ts",
    "mpeg": "mpg", "yuv4mpegpipe": "y4m", "mpc8": "mpc",
  ]
}
