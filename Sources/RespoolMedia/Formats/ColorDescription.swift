/// The color description of a frame: code points of ITU-T H.273 (ISO/IEC 23091-2).
///
/// 2 is unspecified.
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
  public var isHighDynamicRange: Bool { transfer == 16 || transfer == 18 }

  /// `true` if the transfer function is a gamma curve of a camera or display with standard dynamic range.
  ///
  /// `false` if it is unspecified, and for linear and logarithmic transfer, which may be either.
  public var isStandardDynamicRange: Bool {
    [1, 4, 5, 6, 7, 11, 12, 13, 14, 15].contains(transfer)
  }

  /// Returns the description with unspecified values taken from another, such as a container's from its samples.
  ///
  /// Matrix, range and chroma location apply to Y'CbCr only, so they are completed only if `isYUV`.
  public func completed(by other: ColorDescription, isYUV: Bool) -> ColorDescription {
    var color = self
    if primaries == 2 { color.primaries = other.primaries }
    if transfer == 2 { color.transfer = other.transfer }
    guard isYUV else { return color }
    if matrix == 2, other.matrix != 0 { color.matrix = other.matrix }
    if range == .unspecified { color.range = other.range }
    if chromaLocation == .unspecified { color.chromaLocation = other.chromaLocation }
    return color
  }

  /// BT.709 with the range and chroma location of this description.
  public var asBT709: ColorDescription {
    ColorDescription(
      primaries: 1, transfer: 1, matrix: matrix == 0 ? 0 : 1, range: range,
      chromaLocation: chromaLocation)
  }

  /// Returns the color of video that does not state its own, by its size in pixels.
  ///
  /// BT.709 from 1280 pixels on the long side or 720 on the short one, else BT.601. A cropped film of 1280x534
  /// is BT.709, as are upright pictures of the same sizes. Everything that has to guess a matrix uses this.
  public static func usual(width: Int, height: Int) -> ColorDescription {
    if max(width, height) >= 1280 || min(width, height) >= 720 { return .bt709 }
    return height == 576 || height == 288 ? .bt601PAL : .bt601NTSC
  }

  public static let unspecified = ColorDescription()
  /// BT.709 with limited range: high definition video.
  public static let bt709 = ColorDescription(primaries: 1, transfer: 1, matrix: 1, range: .limited)
  /// BT.601 with 525 lines (SMPTE 170M), limited range.
  public static let bt601NTSC = ColorDescription(
    primaries: 6, transfer: 6, matrix: 6, range: .limited)
  /// BT.601 with 625 lines (BT.470 BG), limited range.
  public static let bt601PAL = ColorDescription(
    primaries: 5, transfer: 6, matrix: 5, range: .limited)
}
