package import RespoolMedia

/// Source and target of a color conversion, with all relevant properties resolved.
package struct ColorResolution: Equatable {
  /// Color of the source or target, as numbers of ITU-T H.273; 2 is unspecified.
  package struct Side: Equatable {
    package var matrix = 2
    package var transfer = 2
    package var primaries = 2
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
    if output.primaries == 2 { output.primaries = from.color.primaries }
    if output.transfer == 2 { output.transfer = from.color.transfer }

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
      source.matrix = 0
      target.matrix = 0
      output.matrix = 0
    case (.rgb, _):
      let matrix = wanted ?? to.usualMatrix
      source.matrix = 0
      target.matrix = Int(matrix)
      output.matrix = matrix
    case (_, .rgb):
      source.matrix = Int(known ?? from.usualMatrix)
      target.matrix = 0
      output.matrix = 0
    case (.yuv, .yuv):
      guard let wanted else {
        output.matrix = from.color.matrix
        return
      }
      let actual = known ?? from.usualMatrix
      if Self.canonical(actual) != Self.canonical(wanted) {
        source.matrix = Int(actual)
        target.matrix = Int(wanted)
      }
    default:
      // Between gray and video: luma is the gray value, whatever the matrix.
      if wanted == nil { output.matrix = from.color.matrix == 0 ? 2 : from.color.matrix }
    }
  }

  /// Changes transfer and primaries only if source and target both specify them.
  private mutating func resolveLight(
    _ from: VideoFormat, _ to: VideoFormat, _ s: Model, _ t: Model
  ) {
    let transfers: Set<UInt8> = [1, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16, 18]
    let primaries: Set<UInt8> = [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22]
    // BT.709, BT.601 and BT.2020 have one curve (H.273 table 3).
    func curve(_ transfer: UInt8) -> UInt8 { [6, 14, 15].contains(transfer) ? 1 : transfer }
    func gamut(_ primaries: UInt8) -> UInt8 { primaries == 7 ? 6 : primaries }
    let (a, b) = (from.color, to.color)
    let curveChanges =
      transfers.contains(a.transfer) && transfers.contains(b.transfer)
      && curve(a.transfer) != curve(b.transfer)
    let gamutChanges =
      primaries.contains(a.primaries) && primaries.contains(b.primaries)
      && gamut(a.primaries) != gamut(b.primaries)
    guard curveChanges || gamutChanges, s != .gray, t != .gray else { return }
    func transfer(_ value: UInt8, or other: UInt8) -> UInt8 {
      transfers.contains(value) ? value : transfers.contains(other) ? other : 1
    }
    source.transfer = Int(transfer(a.transfer, or: b.transfer))
    target.transfer = Int(transfer(b.transfer, or: a.transfer))
    if gamutChanges {
      source.primaries = Int(a.primaries)
      target.primaries = Int(b.primaries)
    }
    // Both conversions pass through linear RGB, so the matrices must be known too.
    if s == .yuv && t == .yuv {
      let known = Self.matrix(a.matrix) ?? from.usualMatrix
      source.matrix = Int(known)
      target.matrix = Int(Self.matrix(b.matrix) ?? known)
    }
  }

  /// Returns the matrix, or `nil` if it is unspecified (2) or invalid for video (0: RGB itself).
  package static func matrix(_ value: UInt8) -> UInt8? {
    [1, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14].contains(value) ? value : nil
  }

  private static func canonical(_ matrix: UInt8) -> UInt8 { matrix == 5 ? 6 : matrix }
}
