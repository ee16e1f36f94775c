import CAVFormat
import RespoolPlugin

/// A damage check for GIF, whose image data libavcodec decodes as far as it can.
struct GIFCheck: DamageCheck {
  private var blocks: GIFBlocks?
  private var imageCount = 0

  init(_ source: ByteSource) throws(MediaError) {
    blocks = try GIFBlocks(source, checksData: true)
  }

  /// Checks one image per call, as each packet has one.
  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String? {
    try problemOfNextImage()
  }

  mutating func problemAtEnd() throws(MediaError) -> String? {
    while blocks != nil {
      if let problem = try problemOfNextImage() { return problem }
    }
    return nil
  }

  /// Reads blocks up to the end of the next image.
  private mutating func problemOfNextImage() throws(MediaError) -> String? {
    while let block = try blocks?.next() {
      switch block {
      case .extension: continue
      case .image(let image):
        imageCount += 1
        return image.problem.map { "image \(imageCount) at offset \(image.offset) \($0)" }
      case .trailer, .cutOff: blocks = nil
      case .unknown(let byte):
        let offset = blocks?.offset ?? 0
        blocks = nil
        return "the byte \(byte) at offset \(offset) begins no block"
      }
    }
    return nil
  }

  mutating func reset() { blocks = nil }
}
