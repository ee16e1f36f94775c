package import RespoolMedia

/// Rotates and mirrors frames to their display orientation without resampling.
///
/// Every pixel component is kept. A rotation by 90 or 270 degrees exchanges the directions of chroma
/// subsampling, so 4:2:2 becomes 4:4:0. If there is no such format (4:1:1, 4:2:2 with alpha or of 9, 14 or 16
/// bits), the frame is converted to 4:4:4 first. Formats that pack two or more pixels are unpacked first.
/// Usable from one thread at a time.
package final class FrameRotator {
  package let orientation: DisplayMatrix.Orientation
  /// Format of the input frames.
  package let source: VideoFormat
  /// Format of the output frames.
  package let target: VideoFormat

  /// Unpacks formats that cannot be rotated directly.
  private let unpacking: FrameConverter?
  private let layout: PixelLayout
  private let pool: FramePool

  /// Prepares a rotation.
  ///
  /// Throws `unsupported` for an unknown format.
  package init(
    from source: VideoFormat, orientation: DisplayMatrix.Orientation,
    pool: FramePool = FramePool()
  ) throws(MediaError) {
    guard source.pixelFormat.layout != nil else {
      throw MediaError(.unsupported, "frames of \(source.pixelFormat) cannot be rotated")
    }
    self.source = source
    self.orientation = orientation
    self.pool = pool
    var rotated = source
    let work =
      orientation.isUpright
      ? source.pixelFormat : Self.workFormat(source.pixelFormat, swaps: orientation.swapsAxes)
    if work == source.pixelFormat {
      unpacking = nil
    } else {
      rotated.pixelFormat = work
      let unpacking = try FrameConverter(from: source, to: rotated, filter: .bicubic, pool: pool)
      rotated = unpacking.target
      self.unpacking = unpacking
    }
    guard let layout = work.layout else {
      throw MediaError(.internal, "frames of \(work) cannot be rotated")
    }
    self.layout = layout
    if orientation.swapsAxes {
      (rotated.width, rotated.height) = (rotated.height, rotated.width)
      rotated.isInterlaced = false
      rotated.pixelFormat = Self.swapped(work) ?? work
    }
    rotated.color.chromaLocation = Self.rotated(rotated.color.chromaLocation, orientation)
    target = rotated
  }

  /// Returns the rotated frame, or `frame` itself if the orientation is upright.
  ///
  /// Throws `invalidArgument` for a frame of another format.
  package func rotate(_ frame: Frame) throws(MediaError) -> Frame {
    guard frame.kind == .video, frame.pixelFormat == source.pixelFormat,
      frame.width == source.width, frame.height == source.height,
      frame.planes.count >= (source.pixelFormat.layout?.planeCount ?? .max)
    else {
      throw MediaError(
        .invalidArgument, "received a frame of \(VideoFormat(frame)); expected \(source)")
    }
    if orientation.isUpright { return frame }
    let upright = try unpacking?.convert(frame) ?? frame
    guard
      var result = pool.video(
        pixelFormat: target.pixelFormat, width: target.width, height: target.height,
        pts: frame.pts)
    else { throw MediaError(.internal, "no memory for a frame of \(target)") }
    for plane in 0..<layout.planeCount {
      if layout.family == .palette && plane == 1 {
        result.planes[1].base.copyMemory(from: upright.planes[1].base, byteCount: 1024)
        continue
      }
      rotatePlane(
        upright.planes[plane], width: layout.width(ofPlane: plane, for: source.width),
        height: layout.height(ofPlane: plane, for: source.height),
        step: layout.bytesPerPixel[plane],
        into: result.planes[plane], orientation)
    }
    result.duration = frame.duration
    result.flags = frame.flags
    result.sideData = frame.sideData
    if orientation.swapsAxes { result.flags.subtract([.interlaced, .topFieldFirst]) }
    result.sampleAspect =
      orientation.swapsAxes && frame.sampleAspect.isPositive
      ? frame.sampleAspect.inverse : frame.sampleAspect
    result.color = target.color
    return result
  }

  /// Returns the format in which every element of a plane can be moved separately.
  private static func workFormat(_ format: PixelFormat, swaps: Bool) -> PixelFormat {
    guard let layout = format.layout else { return format }
    switch format {
    case .monowhite, .monoblack: return .gray
    case .yuyv422, .uyvy422, .yvyu422: return .yuv422p
    case .nv16 where swaps: return .yuv422p
    case .p210le where swaps: return .yuv422p10le
    default: break
    }
    guard swaps, layout.family == .yuv, layout.log2ChromaWidth != layout.log2ChromaHeight,
      swapped(format) == nil
    else { return format }
    let bits = layout.depth == 8 ? "" : "\(layout.depth)le"
    return PixelFormat(name: "yuv\(layout.hasAlpha ? "a" : "")444p\(bits)") ?? format
  }

  /// Returns the format with horizontal and vertical chroma subsampling exchanged, or `nil` if it does not exist.
  private static func swapped(_ format: PixelFormat) -> PixelFormat? {
    guard let layout = format.layout else { return nil }
    if layout.log2ChromaWidth == layout.log2ChromaHeight { return format }
    if layout.name.hasPrefix("yuv422p") {
      return PixelFormat(name: "yuv440p\(layout.name.dropFirst(7))")
    }
    if layout.name.hasPrefix("yuv440p") {
      return PixelFormat(name: "yuv422p\(layout.name.dropFirst(7))")
    }
    return nil
  }

  /// Returns the chroma location after the rotation; unspecified if H.273 has no name for it.
  private static func rotated(
    _ location: ColorDescription.ChromaLocation, _ orientation: DisplayMatrix.Orientation
  ) -> ColorDescription.ChromaLocation {
    let places: [(ColorDescription.ChromaLocation, x: Int, y: Int)] = [
      (.left, 0, 1), (.center, 1, 1), (.topLeft, 0, 0), (.top, 1, 0), (.bottomLeft, 0, 2),
      (.bottom, 1, 2),
    ]
    guard var (_, x, y) = places.first(where: { $0.0 == location }) else { return .unspecified }
    if orientation.mirrored { x = 2 - x }
    for _ in 0..<((orientation.clockwiseDegrees % 360 + 360) % 360 / 90) { (x, y) = (2 - y, x) }
    return places.first { $0.x == x && $0.y == y }?.0 ?? .unspecified
  }
}
