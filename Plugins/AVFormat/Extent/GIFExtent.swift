import RespoolPlugin

/// GIF: checks that the file ends with its trailer (GIF89a specification, section 27).
enum GIFExtent {
  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    guard var blocks = try GIFBlocks(source, checksData: false) else { return nil }
    var imageCount = 0
    while true {
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      switch try blocks.next() {
      case .image: imageCount += 1
      case .extension: continue
      case .trailer, .unknown: return nil
      case .cutOff:
        return blocks.offset < size
          ? "the file ends within the block after image \(imageCount)"
          : "the trailer after \(imageCount.counting("image")) is missing"
      }
    }
  }
}
