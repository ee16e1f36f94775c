import RespoolMedia

/// How a layer comes to lie on the canvas.
struct LayerPlacement {
  enum Way {
    /// Upright or turned by quarters, with edges on whole pixels: `visible` becomes `bounds`.
    case whole(visible: PixelBounds, DisplayMatrix.Orientation, PixelBounds)
    /// Everything else.
    case sampled(crop: Rectangle, Transform)
  }

  let way: Way

  /// Nil where nothing of the picture is shown.
  ///
  /// - Parameters:
  ///   - transform: from the frame's pixels to those of the canvas.
  ///   - crop: in the frame's pixels.
  ///   - isChanging: whether the transform is on its way to another. A picture that is scaled is
  ///     then always sampled, so that it does not look now sharper, now softer.
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
      // Far beyond the canvas, scaling all of it would cost more than sampling what is seen.
      let isSmall = to.x.count <= 2 * target.width + 64 && to.y.count <= 2 * target.height + 64
      if !isScaled || (isSmall && !isChanging) {
        way = .whole(visible: from, orientation, to)
        return
      }
    }
    way = .sampled(crop: visible, transform)
  }

  /// The quarter turn that is in a transform; nil where there is another.
  private static func orientation(_ transform: Transform) -> DisplayMatrix.Orientation? {
    let (a, b, c, d) = (transform.a, transform.b, transform.c, transform.d)
    let greatest = max(abs(a), abs(b), abs(c), abs(d))
    let slack = greatest * 1e-9
    let isUpright = abs(b) <= slack && abs(c) <= slack
    guard greatest > 0, isUpright || (abs(a) <= slack && abs(d) <= slack) else { return nil }
    func unit(_ value: Double) -> Int32 { abs(value) <= slack ? 0 : value < 0 ? -65536 : 65536 }
    return DisplayMatrix(a: unit(a), b: unit(b), c: unit(c), d: unit(d)).orientation
  }

  /// The rectangle in whole pixels that chroma can follow; nil where an edge is not on one.
  private static func pixels(
    _ rectangle: Rectangle, _ layout: PixelLayout?, within size: (width: Int, height: Int)
  ) -> PixelBounds? {
    guard let layout else { return nil }
    // Packed 4:2:2 has pixels in pairs too.
    let (alignX, alignY) = (1 << layout.chromaShiftX, 1 << layout.chromaShiftY)
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
  /// A part of a picture that shares its memory; the part lies on whole chroma samples.
  ///
  /// Nil for formats that pack several pixels, unless it is the whole picture.
  func part(_ bounds: PixelBounds) -> Frame? {
    if bounds == PixelBounds(x: 0..<width, y: 0..<height) { return self }
    guard let layout = pixelFormat.layout, layout.family != .palette,
      !layout.steps.contains(0), layout.family != .yuv || layout.steps.count > 1
    else { return nil }
    var frame = self
    for plane in 0..<layout.planeCount where plane < planes.count {
      let isChroma = layout.width(ofPlane: plane, for: 4096) < 4096
      let isLow = layout.height(ofPlane: plane, for: 4096) < 4096
      let x = bounds.x.lowerBound >> (isChroma ? layout.chromaShiftX : 0)
      let y = bounds.y.lowerBound >> (isLow ? layout.chromaShiftY : 0)
      frame.planes[plane].base += y * planes[plane].stride + x * layout.steps[plane]
    }
    frame.width = bounds.x.count
    frame.height = bounds.y.count
    return frame
  }
}
