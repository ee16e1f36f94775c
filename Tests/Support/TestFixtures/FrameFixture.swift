package import RespoolMedia

/// Frames with known pixel components, and functions that read them.
package enum FrameFixture {
  /// Creates a frame whose bytes count up from `seed` and differ in every plane and row.
  package static func counting(_ format: PixelFormat, _ width: Int, _ height: Int, seed: Int = 0)
    throws
    -> Frame
  {
    guard let frame = Frame(pixelFormat: format, width: width, height: height, pts: 7) else {
      throw FixtureError("no memory or no layout")
    }
    guard let layout = format.layout else { throw FixtureError("no memory or no layout") }
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
  package static func flat(_ format: PixelFormat, _ width: Int, _ height: Int, _ values: [UInt8])
    throws
    -> Frame
  {
    guard let frame = Frame(pixelFormat: format, width: width, height: height) else {
      throw FixtureError("no memory or no layout")
    }
    guard let layout = format.layout else { throw FixtureError("no memory or no layout") }
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
  package static func packed(_ format: PixelFormat, _ width: Int, _ height: Int, _ bytes: [UInt8])
    throws
    -> Frame
  {
    guard let frame = Frame(pixelFormat: format, width: width, height: height) else {
      throw FixtureError("no memory or no layout")
    }
    guard let count = format.layout?.rowBytes(ofPlane: 0, for: width) else {
      throw FixtureError("no layout")
    }
    guard bytes.count == count * height else { throw FixtureError("\(bytes.count) bytes") }
    for row in 0..<height {
      bytes[(row * count)..<((row + 1) * count)].withUnsafeBytes {
        (frame.planes[0].base + row * frame.planes[0].stride).copyMemory(
          from: $0.baseAddress ?? UnsafeRawPointer(frame.planes[0].base), byteCount: count)
      }
    }
    return frame
  }

  /// Returns the rows of a plane without padding.
  package static func bytes(_ frame: Frame, plane: Int = 0) -> [UInt8] {
    guard let layout = frame.pixelFormat.layout else { return [] }
    return (0..<layout.height(ofPlane: plane, for: frame.height)).flatMap { row in
      [UInt8](
        UnsafeRawBufferPointer(
          start: frame.planes[plane].base + row * frame.planes[plane].stride,
          count: layout.rowBytes(ofPlane: plane, for: frame.width)))
    }
  }

  package static func allBytes(_ frame: Frame) -> [UInt8] {
    (0..<(frame.pixelFormat.layout?.planeCount ?? 0)).flatMap { bytes(frame, plane: $0) }
  }

  /// Creates a frame from the pixel components that `value` returns for plane, column and row.
  package static func computed(
    _ format: PixelFormat, _ width: Int, _ height: Int, color: ColorDescription = .bt709,
    _ value: (_ plane: Int, _ x: Int, _ y: Int) -> Int
  ) throws -> Frame {
    guard var frame = Frame(pixelFormat: format, width: width, height: height),
      let layout = format.layout
    else { throw FixtureError("no memory or no layout") }
    frame.color = color
    for plane in 0..<layout.planeCount {
      for y in 0..<layout.height(ofPlane: plane, for: height) {
        let row = frame.planes[plane].base + y * frame.planes[plane].stride
        for x in 0..<layout.width(ofPlane: plane, for: width) {
          let sample = value(plane, x, y)
          if layout.depth > 8 {
            row.storeBytes(of: UInt16(sample), toByteOffset: x * 2, as: UInt16.self)
          } else {
            row.storeBytes(of: UInt8(sample), toByteOffset: x, as: UInt8.self)
          }
        }
      }
    }
    return frame
  }

  /// Creates a frame with one pixel component in each plane.
  package static func flat(
    _ format: PixelFormat, _ width: Int, _ height: Int, components: [Int],
    color: ColorDescription = .bt709
  ) throws -> Frame {
    try computed(format, width, height, color: color) { plane, _, _ in components[plane] }
  }

  /// Returns the pixel components of a plane, row by row.
  package static func plane(_ frame: Frame, _ plane: Int) throws -> Plane {
    guard let layout = frame.pixelFormat.layout else { throw FixtureError("no layout") }
    let (width, height) = (
      layout.width(ofPlane: plane, for: frame.width),
      layout.height(ofPlane: plane, for: frame.height)
    )
    let source = frame.planes[plane]
    var samples: [Int] = []
    for y in 0..<height {
      for x in 0..<width {
        let row = source.base + y * source.stride
        samples.append(
          layout.depth > 8
            ? Int(row.load(fromByteOffset: x * 2, as: UInt16.self))
            : Int(row.load(fromByteOffset: x, as: UInt8.self)))
      }
    }
    withExtendedLifetime(frame) {}
    return Plane(width: width, height: height, samples: samples)
  }

  /// The pixel components of a plane.
  package struct Plane: Equatable {
    package var width: Int
    package var height: Int
    package var samples: [Int]

    package init(width: Int, height: Int, samples: [Int]) {
      (self.width, self.height, self.samples) = (width, height, samples)
    }

    package subscript(x: Int, y: Int) -> Int { samples[y * width + x] }
  }
}
