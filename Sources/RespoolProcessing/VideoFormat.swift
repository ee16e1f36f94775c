package import RespoolMedia

/// Format of video frames: the properties that a conversion can change.
package struct VideoFormat: Hashable, Sendable {
  package var pixelFormat: PixelFormat
  /// 1 to 32,768.
  package var width: Int
  /// 1 to 32,768.
  package var height: Int
  package var color: ColorDescription
  /// `true` if odd and even rows were captured at different times; the fields are then scaled separately.
  package var isInterlaced: Bool

  package init(
    pixelFormat: PixelFormat, width: Int, height: Int, color: ColorDescription = .unspecified,
    isInterlaced: Bool = false
  ) {
    self.pixelFormat = pixelFormat
    self.width = width
    self.height = height
    self.color = color
    self.isInterlaced = isInterlaced
  }

  /// Creates the format of `frame`.
  package init(_ frame: Frame) {
    self.init(
      pixelFormat: frame.pixelFormat, width: frame.width, height: frame.height, color: frame.color,
      isInterlaced: frame.flags.contains(.interlaced))
  }
}

extension VideoFormat {
  /// Matrix of frames of this size that do not state one.
  package var assumedMatrix: UInt8 { ColorDescription.assumed(width: width, height: height).matrix }
}

extension VideoFormat: CustomStringConvertible {
  package var description: String { "\(pixelFormat) \(width)x\(height)" }
}

/// Filter that computes pixels when the size changes.
package enum ScalingFilter: String, Hashable, Sendable, CaseIterable {
  case point, bilinear, bicubic, spline16, spline36, spline64
  /// Filter of three lobes; the sharpest.
  case lanczos
}

/// Dithering that hides banding when the bit depth is reduced.
package enum Dithering: String, Hashable, Sendable, CaseIterable {
  case none
  /// Bayer pattern: fast and constant from frame to frame, so that it costs few bits.
  case ordered
  /// Floyd-Steinberg: the least visible, several times slower.
  case errorDiffusion
}
