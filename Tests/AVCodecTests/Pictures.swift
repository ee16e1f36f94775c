import RespoolPlugin

enum Pictures {
  /// Returns a frame whose bytes, masked with `mask`, differ from row to row and from `pts` to `pts`.
  static func gradient(
    _ format: PixelFormat, width: Int, height: Int, pts: Int64, mask: UInt8 = 255
  ) -> Frame {
    guard let frame = Frame(pixelFormat: format, width: width, height: height, pts: pts),
      let layout = format.layout
    else {
      return Frame(kind: .video, pts: pts, planes: [], buffer: MediaBuffer(count: 0))
    }
    for (plane, memory) in frame.planes.enumerated() {
      for row in 0..<layout.height(ofPlane: plane, for: height) {
        for byte in 0..<layout.rowBytes(ofPlane: plane, for: width) {
          (memory.base + row * memory.stride + byte).storeBytes(
            of: mask & UInt8(truncatingIfNeeded: row * 3 + byte + plane * 40 + Int(pts) * 5),
            as: UInt8.self)
        }
      }
    }
    return frame
  }
}
