/// The color description of a frame: code points of ITU-T H.273 (ISO/IEC 23091-2).
///
/// 2 is unspecified. ``primariesName``, ``transferName`` and ``matrixName`` are the names of the others.
public struct ColorDescription: Hashable, Sendable {
  /// Range of code values: 8-bit luma is 16 to 235 if limited, 0 to 255 if full.
  public enum Range: UInt8, Hashable, Sendable { case unspecified = 0, limited, full }
  /// Position of chroma samples: H.273 figure 10, `chroma_sample_loc_type` + 1.
  public enum ChromaLocation: UInt8, Hashable, Sendable {
    case unspecified = 0, left, center, topLeft, top, bottomLeft, bottom
  }

  public var primaries: UInt8
  public var transfer: UInt8
  public var matrix: UInt8
  public var range: Range
  public var chromaLocation: ChromaLocation

  public init(
    primaries: UInt8 = 2, transfer: UInt8 = 2, matrix: UInt8 = 2, range: Range = .unspecified,
    chromaLocation: ChromaLocation = .unspecified
  ) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.range = range
    self.chromaLocation = chromaLocation
  }

  /// `true` if the transfer function is PQ (SMPTE ST 2084) or HLG (ARIB STD-B67).
  public var isHighDynamicRange: Bool {
    transfer == H273.Transfer.pq || transfer == H273.Transfer.hlg
  }

  /// `true` if the transfer function is a gamma curve of a camera or display with standard dynamic range.
  ///
  /// `false` if it is unspecified, and for linear and logarithmic transfer, which may be either.
  public var isStandardDynamicRange: Bool {
    switch transfer {
    // BT.709, BT.470, SMPTE 170M and 240M; xvYCC, BT.1361, sRGB and BT.2020.
    case 1, 4...7, 11...15: true
    default: false
    }
  }

  /// Returns the description with unspecified values taken from another, such as a container's from its samples.
  ///
  /// Matrix, range and chroma location apply to Y'CbCr only, so they are completed only if `isYUV`.
  public func completed(by other: ColorDescription, isYUV: Bool) -> ColorDescription {
    var color = self
    if primaries == H273.unspecified { color.primaries = other.primaries }
    if transfer == H273.unspecified { color.transfer = other.transfer }
    guard isYUV else { return color }
    if matrix == H273.unspecified, other.matrix != H273.Matrix.identity {
      color.matrix = other.matrix
    }
    if range == .unspecified { color.range = other.range }
    if chromaLocation == .unspecified { color.chromaLocation = other.chromaLocation }
    return color
  }

  /// BT.709 with the range and chroma location of this description.
  public var asBT709: ColorDescription {
    var color = Self.bt709
    if matrix == H273.Matrix.identity { color.matrix = matrix }
    (color.range, color.chromaLocation) = (range, chromaLocation)
    return color
  }

  /// Returns the color of video that does not state its own, by its size in pixels.
  ///
  /// BT.709 from 1280 pixels on the long side or 720 on the short one, else BT.601. A cropped film of 1280x534
  /// is BT.709, as are upright frames of the same sizes. Everything that has to guess a matrix uses this.
  public static func assumed(width: Int, height: Int) -> ColorDescription {
    if max(width, height) >= 1280 || min(width, height) >= 720 { return .bt709 }
    return height == 576 || height == 288 ? .bt601PAL : .bt601NTSC
  }

  public static let unspecified = ColorDescription()
  /// BT.709 with limited range: high definition video.
  public static let bt709 = ColorDescription(
    primaries: H273.Primaries.bt709, transfer: H273.Transfer.bt709, matrix: H273.Matrix.bt709,
    range: .limited)
  /// BT.601 with 525 lines (SMPTE 170M), limited range.
  public static let bt601NTSC = ColorDescription(
    primaries: H273.Primaries.smpte170M, transfer: H273.Transfer.smpte170M,
    matrix: H273.Matrix.smpte170M, range: .limited)
  /// BT.601 with 625 lines (BT.470 BG), limited range.
  public static let bt601PAL = ColorDescription(
    primaries: H273.Primaries.bt470BG, transfer: H273.Transfer.smpte170M,
    matrix: H273.Matrix.bt470BG, range: .limited)
}
