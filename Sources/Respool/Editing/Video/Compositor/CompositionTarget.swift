import RespoolMedia

/// The format and color in which a composition is rendered, with all values specified.
///
/// Blending uses the pixel components of planar Y'CbCr, in the range and matrix of the target.
/// Frames in other formats are converted first.
struct CompositionTarget: Hashable, Sendable {
  let width: Int
  let height: Int
  let pixelFormat: PixelFormat
  /// The format without alpha, to which opaque layers are converted.
  let opaqueFormat: PixelFormat
  /// The format with alpha, to which layers with alpha are converted.
  let alphaFormat: PixelFormat
  let depth: Int
  let log2ChromaWidth: Int
  let log2ChromaHeight: Int
  let hasAlpha: Bool
  /// The color tags of rendered frames, unspecified if the sources leave them unspecified.
  let tag: ColorDescription
  /// The color tags with matrix, range and chroma location filled in.
  let color: ColorDescription

  private static let families = ["420p", "422p", "444p"]

  /// Returns `true` if a format is planar Y'CbCr of 8 or 10 bits, with or without alpha.
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
        "the render size is \(width)x\(height); each side must be 1 to 32768")
    }
    guard let layout = pixelFormat.layout, let formats = Self.formats(pixelFormat) else {
      throw MediaError(
        .unsupported,
        "a composition cannot be rendered as \(pixelFormat), only as planar Y'CbCr with 8 or "
          + "10 bits")
    }
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    (opaqueFormat, alphaFormat) = formats
    depth = layout.depth
    log2ChromaWidth = layout.log2ChromaWidth
    log2ChromaHeight = layout.log2ChromaHeight
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

  /// Returns the color of a source with all values filled in that are needed to interpret its pixels.
  static func completeColor(of videoFormat: VideoFormat) -> ColorDescription {
    guard videoFormat.pixelFormat.layout?.family == .yuv else { return videoFormat.color }
    let matrix =
      ColorResolution.matrix(videoFormat.color.matrix)
      ?? videoFormat.assumedMatrix
    return complete(videoFormat.color, matrix: matrix)
  }

  /// The format of rendered frames.
  var videoFormat: VideoFormat {
    VideoFormat(pixelFormat: pixelFormat, width: width, height: height, color: tag)
  }

  /// Bytes of a pixel component.
  var sampleSize: Int { depth > 8 ? 2 : 1 }
  var greatestCode: Int { (1 << depth) - 1 }

  /// Returns the distance of the components of a plane in pixels, as powers of two.
  func shifts(ofPlane plane: Int) -> (x: Int, y: Int) {
    plane == 1 || plane == 2 ? (log2ChromaWidth, log2ChromaHeight) : (0, 0)
  }

  /// Returns the location of the first component of a plane, in pixels from the edge of the frame.
  ///
  /// One half for luma; for chroma as in H.273 figure 10.
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
    // 4:2:2 has a horizontal chroma location only; its rows are those of luma.
    return (
      log2ChromaWidth == 0 || atLeft ? 0.5 : 1, log2ChromaHeight == 0 ? 0.5 : vertical
    )
  }

  /// Returns the size of a plane in components.
  func size(ofPlane plane: Int) -> (width: Int, height: Int) {
    let shift = shifts(ofPlane: plane)
    return (
      (width + (1 << shift.x) - 1) >> shift.x, (height + (1 << shift.y) - 1) >> shift.y
    )
  }
}
