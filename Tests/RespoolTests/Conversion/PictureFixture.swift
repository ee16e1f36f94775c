import RespoolMedia
import Testing

/// Frames with known pixel components, and functions that read them.
enum PictureFixture {
  /// Creates a frame whose bytes count up from `seed` and differ in every plane and row.
  static func counting(_ format: PixelFormat, _ width: Int, _ height: Int, seed: Int = 0) throws
    -> Frame
  {
    let frame = try #require(Frame(pixelFormat: format, width: width, height: height, pts: 7))
    let layout = try #require(format.layout)
    let mask = layout.depth > 8 && layout.depth < 16 ? UInt16(1) << UInt16(layout.depth) - 1 : .max
    for plane in 0..<layout.planeCount {
      for row in 0..<layout.height(ofPlane: plane, for: height) {
        let line = frame.planes[plane].base + row * frame.planes[plane].stride
        for index in 0..<layout.rowBytes(ofPlane: plane, for: width) {
          let value = (seed + plane * 101 + row * 37 + index * 11) & 0xFF
          let part = index & 1 == 0 ? mask & 0xFF : mask >> 8
          line.storeBytes(
            of: UInt8(value) & UInt8(part), toByteOffset: index, as: UInt8.self)
        }
      }
    }
    return frame
  }

  /// Creates a frame with one value in each plane.
  static func flat(_ format: PixelFormat, _ width: Int, _ height: Int, _ values: [UInt8]) throws
    -> Frame
  {
    let frame = try #require(Frame(pixelFormat: format, width: width, height: height))
    let layout = try #require(format.layout)
    for plane in 0..<layout.planeCount {
      for row in 0..<layout.height(ofPlane: plane, for: height) {
        (frame.planes[plane].base + row * frame.planes[plane].stride).initializeMemory(
          as: UInt8.self, repeating: values[plane],
          count: layout.rowBytes(ofPlane: plane, for: width))
      }
    }
    return frame
  }

  /// Creates a frame of a packed format from the given bytes, row by row.
  static func packed(_ format: PixelFormat, _ width: Int, _ height: Int, _ bytes: [UInt8]) throws
    -> Frame
  {
    let frame = try #require(Frame(pixelFormat: format, width: width, height: height))
    let count = try #require(format.layout).rowBytes(ofPlane: 0, for: width)
    try #require(bytes.count == count * height)
    for row in 0..<height {
      bytes[(row * count)..<((row + 1) * count)].withUnsafeBytes {
        (frame.planes[0].base + row * frame.planes[0].stride).copyMemory(
          from: $0.baseAddress ?? UnsafeRawPointer(frame.planes[0].base), byteCount: count)
      }
    }
    return frame
  }

  /// Returns the rows of a plane without padding.
  static func bytes(_ frame: Frame, plane: Int = 0) -> [UInt8] {
    guard let layout = frame.pixelFormat.layout else { return [] }
    return (0..<layout.height(ofPlane: plane, for: frame.height)).flatMap { row in
      [UInt8](
        UnsafeRawBufferPointer(
          start: frame.planes[plane].base + row * frame.planes[plane].stride,
          count: layout.rowBytes(ofPlane: plane, for: frame.width)))
    }
  }

  static func allBytes(_ frame: Frame) -> [UInt8] {
    (0..<(frame.pixelFormat.layout?.planeCount ?? 0)).flatMap { bytes(frame, plane: $0) }
  }
}
