import RespoolMedia

/// A conversion from red, green and blue to Y'CbCr of a target, in fractions of a code value.
struct ColorCoder: Sendable {
  private let red: Double
  private let blue: Double
  private let lumaOffset: Double
  private let lumaScale: Double
  private let chromaOffset: Double
  private let chromaScale: Double
  private let light: GraphicsLight

  init(_ target: CompositionTarget) {
    // ITU-T H.273 table 4.
    (red, blue) =
      switch target.color.matrix {
      case 1: (0.2126, 0.0722)
      case 4: (0.30, 0.11)
      case 7: (0.212, 0.087)
      case 9, 10: (0.2627, 0.0593)
      default: (0.299, 0.114)
      }
    light = GraphicsLight(transfer: target.color.transfer, primaries: target.color.primaries)
    let unit = Double(1 << (target.depth - 8))
    let isFull = target.color.range == .full
    lumaOffset = isFull ? 0 : 16 * unit
    lumaScale = isFull ? Double(target.greatestCode) : 219 * unit
    chromaOffset = 128 * unit
    chromaScale = isFull ? Double(target.greatestCode) : 224 * unit
  }

  /// Returns the code values of a graphics color with components from 0 to 1.
  func codes(_ red: Double, _ green: Double, _ blue: Double) -> (y: Double, cb: Double, cr: Double)
  {
    let (r, g, b) = light.convert(red, green, blue)
    let y = self.red * r + (1 - self.red - self.blue) * g + self.blue * b
    return (
      lumaOffset + lumaScale * y, chromaOffset + chromaScale * (b - y) / (2 * (1 - self.blue)),
      chromaOffset + chromaScale * (r - y) / (2 * (1 - self.red))
    )
  }
}

extension CompositionTarget {
  /// Returns the code value of a color in each plane; the fourth is alpha.
  func samples(of color: VideoColor) -> [Int] {
    func part(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, 0), 1) }
    let codes = ColorCoder(self).codes(part(color.red), part(color.green), part(color.blue))
    return [codes.y, codes.cb, codes.cr, part(color.alpha) * Double(greatestCode)].map {
      min(max(Int($0.rounded()), 0), greatestCode)
    }
  }
}

extension CompositionTarget {
  /// Creates the target of a composition over sources.
  ///
  /// It has ten bits if a source has more than eight, and alpha if a background is transparent. The color is the
  /// composition's if it is set, otherwise the color in which the compositor gets the first source.
  init(
    _ composition: VideoComposition, sources: [VideoCompositionSource],
    compositor: (any VideoCompositing)?, pixelFormat: PixelFormat?
  ) throws(MediaError) {
    let state = composition.configuration
    guard state.renderScale.isFinite, state.renderScale > 0 else {
      throw MediaError(
        .invalidArgument, "the render scale is \(state.renderScale); it must be above 0")
    }
    func scaled(_ side: Int) -> Int {
      state.renderScale == 1
        ? side : Int(min(max(Double(side) * state.renderScale, 0).rounded(), 1e6))
    }
    let (width, height) = (scaled(state.renderSize.width), scaled(state.renderSize.height))
    let isDeep = sources.contains {
      guard let layout = $0.pixelFormat.layout else { return false }
      return layout.depth > 8
    }
    // Instructions for a custom compositor need not have a background.
    let isTransparent = state.instructions.contains {
      guard let instruction = $0 as? VideoCompositionInstruction else { return false }
      return instruction.backgroundColor.alpha < 1
    }
    let format =
      isTransparent
      ? (isDeep ? PixelFormat.yuva420p10le : .yuva420p) : (isDeep ? .yuv420p10le : .yuv420p)

    let first = sources.first
    var tag = first?.color ?? .unspecified
    if compositor.getsStandardRange(insteadOf: tag) { tag = tag.asBT709 }
    if let layout = first?.pixelFormat.layout, layout.family != .yuv {
      tag.range = .unspecified
      tag.chromaLocation = .unspecified
    }
    tag.primaries = state.colorPrimaries ?? tag.primaries
    tag.transfer = state.colorTransferFunction ?? tag.transfer
    let assumed = ColorDescription.assumed(width: width, height: height).matrix
    let known = ColorResolution.matrix(state.colorYCbCrMatrix ?? tag.matrix)
    let guess = first.map { source in
      source.pixelFormat.layout.map { $0.family == .yuv } ?? true
        ? source.assumedMatrix
        : assumed
    }
    let matrix = known ?? guess ?? assumed
    // Players guess by the size of the output. The matrix is written if that guess would be wrong.
    tag.matrix = known ?? (matrix == assumed ? H273.unspecified : matrix)
    try self.init(
      width: width, height: height, pixelFormat: pixelFormat ?? format, tag: tag, matrix: matrix)
  }
}
