package import RespoolMedia

/// Source and target of a color conversion, with all relevant properties resolved.
package struct ColorResolution: Equatable {
  /// Color of the source or target, as code points of ITU-T H.273.
  package struct Side: Equatable {
    package var matrix = H273.unspecified
    package var transfer = H273.unspecified
    package var primaries = H273.unspecified
    var isFullRange = false
    /// Chroma location as in H.273, one less than `ColorDescription` counts it: 0 is left.
    package var chromaLocation = 0
  }

  package var source = Side()
  package var target = Side()
  /// Color description of the converted frames.
  package var output: ColorDescription

  private enum Model { case yuv, rgb, gray }

  package init(from: VideoFormat, to: VideoFormat) {
    let (s, t) = (Self.model(from), Self.model(to))
    output = to.color
    if output.primaries == H273.unspecified { output.primaries = from.color.primaries }
    if output.transfer == H273.unspecified { output.transfer = from.color.transfer }

    source.isFullRange = Self.isFull(from.color.range, s)
    if to.color.range == .unspecified && s == t {
      target.isFullRange = source.isFullRange
      output.range = from.color.range
    } else {
      target.isFullRange = Self.isFull(to.color.range, t)
      output.range = target.isFullRange ? .full : .limited
    }

    resolveChroma(from, to)
    resolveMatrix(from, to, s, t)
    resolveLight(from, to, s, t)
  }

  private static func model(_ videoFormat: VideoFormat) -> Model {
    switch videoFormat.pixelFormat.layout?.family {
    case .yuv: .yuv
    case .gray: .gray
    default: .rgb
    }
  }

  /// Unspecified range is limited for video and full for RGB and gray, as in FFmpeg.
  private static func isFull(_ range: ColorDescription.Range, _ model: Model) -> Bool {
    range == .unspecified ? model != .yuv : range == .full
  }

  private mutating func resolveChroma(_ from: VideoFormat, _ to: VideoFormat) {
    func zimg(_ location: ColorDescription.ChromaLocation) -> Int {
      location == .unspecified ? 0 : Int(location.rawValue) - 1
    }
    let wasSubsampled = from.pixelFormat.layout.map { $0.log2ChromaWidth + $0.log2ChromaHeight > 0 }
    let isSubsampled = to.pixelFormat.layout.map { $0.log2ChromaWidth + $0.log2ChromaHeight > 0 }
    source.chromaLocation = zimg(from.color.chromaLocation)
    if output.chromaLocation == .unspecified && wasSubsampled == true {
      output.chromaLocation = from.color.chromaLocation
    }
    if isSubsampled != true { output.chromaLocation = .unspecified }
    target.chromaLocation = zimg(output.chromaLocation)
  }

  private mutating func resolveMatrix(
    _ from: VideoFormat, _ to: VideoFormat, _ s: Model, _ t: Model
  ) {
    let (known, wanted) = (Self.matrix(from.color.matrix), Self.matrix(to.color.matrix))
    switch (s, t) {
    case (.rgb, .rgb):
      source.matrix = H273.Matrix.identity
      target.matrix = H273.Matrix.identity
      output.matrix = H273.Matrix.identity
    case (.rgb, _):
      let matrix = wanted ?? to.assumedMatrix
      source.matrix = H273.Matrix.identity
      target.matrix = matrix
      output.matrix = matrix
    case (_, .rgb):
      source.matrix = known ?? from.assumedMatrix
      target.matrix = H273.Matrix.identity
      output.matrix = H273.Matrix.identity
    case (.yuv, .yuv):
      guard let wanted else {
        output.matrix = from.color.matrix
        return
      }
      let actual = known ?? from.assumedMatrix
      if Self.canonical(actual) != Self.canonical(wanted) {
        source.matrix = actual
        target.matrix = wanted
      }
    default:
      // Between gray and video: luma is the gray value, whatever the matrix.
      guard wanted == nil else { return }
      let isRGB = from.color.matrix == H273.Matrix.identity
      output.matrix = isRGB ? H273.unspecified : from.color.matrix
    }
  }

  /// Changes transfer and primaries only if source and target both specify them.
  private mutating func resolveLight(
    _ from: VideoFormat, _ to: VideoFormat, _ s: Model, _ t: Model
  ) {
    // Code points that zimg converts.
    let transfers: Set<UInt8> = [1, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 18]
    let primaries: Set<UInt8> = [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22]
    // BT.709, BT.601 and BT.2020 have one curve (H.273 table 3).
    func curve(_ transfer: UInt8) -> UInt8 {
      [6, 14, 15].contains(transfer) ? H273.Transfer.bt709 : transfer
    }
    func gamut(_ primaries: UInt8) -> UInt8 {
      primaries == H273.Primaries.smpte240M ? H273.Primaries.smpte170M : primaries
    }
    let (a, b) = (from.color, to.color)
    let curveChanges =
      transfers.contains(a.transfer) && transfers.contains(b.transfer)
      && curve(a.transfer) != curve(b.transfer)
    let gamutChanges =
      primaries.contains(a.primaries) && primaries.contains(b.primaries)
      && gamut(a.primaries) != gamut(b.primaries)
    guard curveChanges || gamutChanges, s != .gray, t != .gray else { return }
    func transfer(_ value: UInt8, or other: UInt8) -> UInt8 {
      transfers.contains(value) ? value : transfers.contains(other) ? other : H273.Transfer.bt709
    }
    source.transfer = transfer(a.transfer, or: b.transfer)
    target.transfer = transfer(b.transfer, or: a.transfer)
    if gamutChanges {
      source.primaries = a.primaries
      target.primaries = b.primaries
    }
    // Both conversions pass through linear RGB, so the matrices must be known too.
    if s == .yuv && t == .yuv {
      let known = Self.matrix(a.matrix) ?? from.assumedMatrix
      source.matrix = known
      target.matrix = Self.matrix(b.matrix) ?? known
    }
  }

  /// Returns the matrix, or `nil` if it is unspecified (2) or invalid for video (0: RGB itself).
  package static func matrix(_ value: UInt8) -> UInt8? {
    [1, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14].contains(value) ? value : nil
  }

  /// Returns one code point for the two of BT.601.
  private static func canonical(_ matrix: UInt8) -> UInt8 {
    matrix == H273.Matrix.bt470BG ? H273.Matrix.smpte170M : matrix
  }
}
