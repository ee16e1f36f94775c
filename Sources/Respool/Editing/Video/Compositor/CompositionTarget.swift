import RespoolMedia

/// The format and colour that a composition is rendered in, with nothing left open.
///
/// Blending is done on the samples of planar Y'CbCr, in the range and matrix of the target;
/// whatever comes in otherwise is converted first.
struct CompositionTarget: Hashable, Sendable {
  let width: Int
  let height: Int
  let pixelFormat: PixelFormat
  /// The same format without alpha: what opaque layers are converted to.
  let opaqueFormat: PixelFormat
  /// The same format with alpha: what layers with alpha are converted to.
  let alphaFormat: PixelFormat
  let depth: Int
  let chromaShiftX: Int
  let chromaShiftY: Int
  let hasAlpha: Bool
  /// What the pictures are marked with; may leave open what the sources leave open.
  let tag: ColorDescription
  /// The same with matrix, range and place of chroma filled in.
  let color: ColorDescription

  private static let families = ["420p", "422p", "444p"]

  /// Whether a format is planar Y'CbCr of 8 or 10 bits, with or without alpha.
  static func canRender(_ format: PixelFormat) -> Bool { formats(format) != nil }

  private static func formats(_ format: PixelFormat) -> (opaque: PixelFormat, alpha: PixelFormat)? {
    guard let layout = format.layout, layout.depth == 8 || layout.depth == 10,
      let family = families.first(where: {
        layout.name.hasPrefix("yuv\($0)") || layout.name.hasPrefix("yuva\($0)")
      }), case let bits = layout.depth == 8 ? "" : "10le",
      let opaque = PixelFormat(name: "yuv\(family)\(bits)"),
      let alpha = PixelFormat(name: "yuva\(family)\(bits)"),
      format == opaque || format == alpha
    else { return nil }
    return (opaque, alpha)
  }

  /// Throws `unsupported` for a format that is not planar Y'CbCr of 8 or 10 bits, and
  /// `invalidArgument` for a side outside 1 to 32,768.
  init(
    width: Int, height: Int, pixelFormat: PixelFormat, tag: ColorDescription,
    matrix: UInt8
  ) throws(MediaError) {
    guard (1...32768).contains(width), (1...32768).contains(height) else {
      throw MediaError(
        .invalidArgument,
        "a composition is rendered at \(width)x\(height), not with sides from 1 to 32768")
    }
    guard let layout = pixelFormat.layout, let formats = Self.formats(pixelFormat) else {
      throw MediaError(
        .unsupported,
        "a composition cannot be rendered as \(pixelFormat), only as planar Y'CbCr of 8 or 10 bits")
    }
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    (opaqueFormat, alphaFormat) = formats
    depth = layout.depth
    chromaShiftX = layout.chromaShiftX
    chromaShiftY = layout.chromaShiftY
    hasAlpha = layout.hasAlpha
    self.tag = tag
    color = Self.complete(tag, matrix: matrix)
  }

  private static func complete(_ color: ColorDescription, matrix: UInt8) -> ColorDescription {
    var color = color
    color.matrix = matrix
    if color.range == .unspecified { color.range = .limited }
    if color.chromaLocation == .unspecified { color.chromaLocation = .left }
    return color
  }

  /// The colour of a source with everything filled in that decides how its samples are read.
  static func completeColor(of shape: PictureShape) -> ColorDescription {
    guard shape.pixelFormat.layout?.family == .yuv else { return shape.color }
    let matrix =
      ColorResolution.matrix(shape.color.matrix)
      ?? shape.usualMatrix
    return complete(shape.color, matrix: matrix)
  }

  /// Of the pictures that are made.
  var shape: PictureShape {
    PictureShape(pixelFormat: pixelFormat, width: width, height: height, color: tag)
  }

  /// Bytes of a sample.
  var sampleSize: Int { depth > 8 ? 2 : 1 }
  var greatestCode: Int { (1 << depth) - 1 }

  /// The distance of samples of a plane, as powers of two, in pixels.
  func shifts(ofPlane plane: Int) -> (x: Int, y: Int) {
    plane == 1 || plane == 2 ? (chromaShiftX, chromaShiftY) : (0, 0)
  }

  /// Where the first sample of a plane lies, in pixels from the edge of the picture: a half for
  /// luma, and for chroma what H.273 figure 10 shows.
  func origin(ofPlane plane: Int) -> (x: Double, y: Double) {
    guard plane == 1 || plane == 2 else { return (0.5, 0.5) }
    let (atLeft, vertical): (Bool, Double) =
      switch color.chromaLocation {
      case .left, .unspecified: (true, 1)
      case .center: (false, 1)
      case .topLeft: (true, 0.5)
      case .top: (false, 0.5)
      case .bottomLeft: (true, 1.5)
      case .bottom: (false, 1.5)
      }
    // 4:2:2 has its place across only; its rows are those of luma.
    return (
      chromaShiftX == 0 || atLeft ? 0.5 : 1, chromaShiftY == 0 ? 0.5 : vertical
    )
  }

  /// Samples of a plane.
  func size(ofPlane plane: Int) -> (width: Int, height: Int) {
    let shift = shifts(ofPlane: plane)
    return (
      (width + (1 << shift.x) - 1) >> shift.x, (height + (1 << shift.y) - 1) >> shift.y
    )
  }
}
