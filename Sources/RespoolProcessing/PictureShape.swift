public import RespoolMedia

/// Everything about a picture but its samples: what a conversion goes from and to.
public struct PictureShape: Hashable, Sendable {
  public var pixelFormat: PixelFormat
  /// 1 to 32,768.
  public var width: Int
  /// 1 to 32,768.
  public var height: Int
  public var color: ColorDescription
  /// Whether odd and even rows were taken at different times: the fields are then scaled apart.
  public var isInterlaced: Bool

  public init(
    pixelFormat: PixelFormat, width: Int, height: Int, color: ColorDescription = .unspecified,
    isInterlaced: Bool = false
  ) {
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
    self.color = color
    self.isInterlaced = isInterlaced
  }

  /// The shape of `frame`.
  public init(_ frame: Frame) {
    self.init(
      pixelFormat: frame.pixelFormat, width: frame.width, height: frame.height, color: frame.color,
      isInterlaced: frame.flags.contains(.interlaced))
  }
}

extension PictureShape {
  /// The matrix of pictures of this size that do not state one.
  package var usualMatrix: UInt8 { ColorDescription.usual(width: width, height: height).matrix }
}

extension PictureShape: CustomStringConvertible {
  public var description: String { "\(pixelFormat) \(width)x\(height)" }
}

/// How new samples are made from old ones when the size changes.
public enum ScalingFilter: String, Hashable, Sendable, CaseIterable {
  case point, bilinear, bicubic, spline16, spline36, spline64
  /// Three lobes: the sharpest.
  case lanczos
}

/// What hides the steps when a picture gets fewer bits.
public enum Dithering: String, Hashable, Sendable, CaseIterable {
  case none
  /// A Bayer pattern: fast, and the same from picture to picture, so that it costs few bits.
  case ordered
  /// Floyd-Steinberg: the least visible, several times slower.
  case errorDiffusion
}
