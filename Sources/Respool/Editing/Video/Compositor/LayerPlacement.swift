import RespoolMedia

/// The placement of a layer on the canvas.
struct LayerPlacement {
  /// The way in which the pixels of a layer are computed.
  enum Method {
    /// Rotated by a multiple of 90°, with edges on whole pixels: `visible` becomes `bounds`.
    case aligned(visible: PixelBounds, DisplayMatrix.Orientation, PixelBounds)
    /// Everything else.
    case sampled(crop: Rectangle, Transform)
  }

  let method: Method

  /// Creates a placement, or `nil` if no part of the frame is shown.
  ///
  /// - Parameters:
  ///   - transform: From the frame's pixels to those of the canvas.
  ///   - crop: In the frame's pixels.
  ///   - isChanging: `true` if the transform is in a ramp. A scaled frame is
  ///     then always sampled, so that its sharpness does not vary.
  init?(
    _ frame: Frame, _ transform: Transform, crop: Rectangle?, isChanging: Bool,
    _ target: CompositionTarget
  ) {
    let all = Rectangle(x: 0, y: 0, width: Double(frame.width), height: Double(frame.height))
    guard let visible = all.intersection(crop ?? all), transform.isUsable else { return nil }
    let bounds = transform.bounds(of: visible)
    let canvas = Rectangle(
      x: 0, y: 0, width: Double(target.width), height: Double(target.height))
    guard bounds.intersection(canvas) != nil else { return nil }
    if let orientation = Self.orientation(transform),
      let from = Self.pixels(
        visible, frame.pixelFormat.layout, within: (frame.width, frame.height)),
      let to = Self.pixels(bounds, target.pixelFormat.layout, within: (target.width, target.height))
    {
      let (width, height) =
        orientation.swapsAxes ? (from.y.count, from.x.count) : (from.x.count, from.y.count)
      let isScaled = width != to.x.count || height != to.y.count
      // If the frame extends far beyond the canvas, scaling all of it would cost more than sampling the visible part.
      let isSmall = to.x.count <= 2 * target.width + 64 && to.y.count <= 2 * target.height + 64
      if !isScaled || (isSmall && !isChanging) {
        method = .aligned(visible: from, orientation, to)
        return
      }
    }
    method = .sampled(crop: visible, transform)
  }

  /// Returns the rotation of a transform, or `nil` if it is not a multiple of 90°.
  private static func orientation(_ transform: Transform) -> DisplayMatrix.Orientation? {
    let (a, b, c, d) = (transform.a, transform.b, transform.c, transform.d)
    let greatest = max(abs(a), abs(b), abs(c), abs(d))
    let slack = greatest * 1e-9
    let isUpright = abs(b) <= slack && abs(c) <= slack
    guard greatest > 0, isUpright || (abs(a) <= slack && abs(d) <= slack) else { return nil }
    func unit(_ value: Double) -> Int32 { abs(value) <= slack ? 0 : value < 0 ? -65536 : 65536 }
    return DisplayMatrix(a: unit(a), b: unit(b), c: unit(c), d: unit(d)).orientation
  }

  /// Returns the rectangle in whole pixels aligned to chroma, or `nil` if an edge is not aligned.
  private static func pixels(
    _ rectangle: Rectangle, _ layout: PixelLayout?, within size: (width: Int, height: Int)
  ) -> PixelBounds? {
    guard let layout else { return nil }
    // Packed 4:2:2 has pixels in pairs too.
    let (alignX, alignY) = (1 << layout.log2ChromaWidth, 1 << layout.log2ChromaHeight)
    func side(_ from: Double, _ to: Double, _ align: Int, _ end: Int) -> Range<Int>? {
      guard abs(from) < 1e6, abs(to) < 1e6 else { return nil }
      let (first, last) = (from.rounded(), to.rounded())
      guard abs(first - from) < 1e-4, abs(last - to) < 1e-4, first < last,
        Int(first) & (align - 1) == 0, Int(last) & (align - 1) == 0 || Int(last) == end
      else { return nil }
      return Int(first)..<Int(last)
    }
    guard let x = side(rectangle.x, rectangle.maxX, alignX, size.width),
      let y = side(rectangle.y, rectangle.maxY, alignY, size.height)
    else { return nil }
    return PixelBounds(x: x, y: y)
  }
}

extension Frame {
  /// Returns a part of a frame that shares its memory; the part must be aligned to chroma.
  ///
  /// `nil` for formats that pack several pixels, unless the part is the whole frame.
  func part(_ bounds: PixelBounds) -> Frame? {
    if bounds == PixelBounds(x: 0..<width, y: 0..<height) { return self }
    guard let layout = pixelFormat.layout, layout.family != .palette,
      !layout.bytesPerPixel.contains(0), layout.family != .yuv || layout.bytesPerPixel.count > 1
    else { return nil }
    var frame = self
    for plane in 0..<layout.planeCount where plane < planes.count {
      let isChroma = layout.width(ofPlane: plane, for: 4096) < 4096
      let isLow = layout.height(ofPlane: plane, for: 4096) < 4096
      let x = bounds.x.lowerBound >> (isChroma ? layout.log2ChromaWidth : 0)
      let y = bounds.y.lowerBound >> (isLow ? layout.log2ChromaHeight : 0)
      frame.planes[plane].base += y * planes[plane].stride + x * layout.bytesPerPixel[plane]
    }
    frame.width = bounds.x.count
    frame.height = bounds.y.count
    return frame
  }
}
