package import RespoolMedia

/// Converts video frames from one format to another: pixel format, size, color.
///
/// Properties that are unspecified in the target stay as in the source. If RGB becomes video or video RGB and
/// no matrix is specified, the matrix is ``ColorDescription/assumed(width:height:)``. For unspecified range,
/// video has limited range, RGB and gray have full range. Unspecified chroma location is left. Alpha is kept
/// if the target has an alpha channel. Otherwise the frame is blended over black. Tones are mapped if the
/// source has high dynamic range (PQ, HLG) and the target specifies a transfer of standard dynamic range.
/// Usable from one thread at a time.
package final class FrameConverter {
  /// Format of the input frames.
  package let source: VideoFormat
  /// Format of the output frames, with the color description that they get.
  package let target: VideoFormat

  private struct Pass {
    var graph: ScalingGraph
    var rings: RowRings
    var source: (width: Int, height: Int)
    var target: (width: Int, height: Int)
    var field: Int?
  }

  private let pool: FramePool
  private let sourceArrangement: SampleArrangement
  private let targetArrangement: SampleArrangement
  private let alpha: RowExchange.Alpha
  private let isSourceFullRange: Bool
  /// Passes of the scaler; empty if there is nothing to scale or convert.
  private let passes: [Pass]
  /// Conversion that replaces the passes if tones are mapped.
  ///
  /// `nil` otherwise.
  private let toneMapped: ToneMappedConversion?

  /// Prepares a conversion.
  ///
  /// `dithering` is used only if the target has fewer bits than the source. `peak` is the maximum luminance
  /// of the source in cd/m2, for tone mapping. `nil`: 1,000. Throws `unsupported` if a format or color cannot
  /// be converted and `invalidArgument` for a side outside 1 to 32,768.
  package init(
    from source: VideoFormat, to target: VideoFormat, filter: ScalingFilter = .lanczos,
    dithering: Dithering = .ordered, peak: Double? = nil, pool: FramePool = FramePool()
  ) throws(MediaError) {
    guard let from = SampleArrangement(source.pixelFormat),
      let to = SampleArrangement(target.pixelFormat), to.packing != .palette,
      to.layout.bytesPerPixel[0] != 0
    else {
      throw MediaError(
        .unsupported,
        "frames of \(source.pixelFormat) cannot be converted to \(target.pixelFormat)")
    }
    for side in [source.width, source.height, target.width, target.height]
    where !(1...32768).contains(side) {
      throw MediaError(
        .invalidArgument, "a side of the frame has \(side) pixels; it must have 1 to 32768")
    }
    self.source = source
    toneMapped = try ToneMappedConversion(
      from: source, to: target, filter: filter, dithering: dithering, peak: peak, pool: pool)
    let color = ColorResolution(from: source, to: target)
    self.target =
      toneMapped?.target
      ?? VideoFormat(
        pixelFormat: target.pixelFormat, width: target.width, height: target.height,
        color: color.output, isInterlaced: source.isInterlaced)
    self.pool = pool
    sourceArrangement = from
    targetArrangement = to
    alpha = !from.hasAlpha ? .none : to.hasAlpha ? .kept : .blended
    isSourceFullRange = color.source.isFullRange

    let changesNothing =
      source.pixelFormat == target.pixelFormat && source.width == target.width
      && source.height == target.height && color.source == color.target
    if changesNothing || toneMapped != nil {
      passes = []
      return
    }
    // Fields matter only if the conversion mixes rows.
    let mixesRows =
      source.height != target.height || from.layout.log2ChromaHeight != to.layout.log2ChromaHeight
      || (from.layout.log2ChromaHeight > 0
        && color.source.chromaLocation != color.target.chromaLocation)
    let isByField = source.isInterlaced && mixesRows && min(source.height, target.height) > 1
    let dithering = Self.losesBits(from, to) ? dithering : .none
    var passes: [Pass] = []
    for field in isByField ? [0, 1] : [nil] {
      passes.append(
        try Self.pass(
          from, source, to, target, color, field: field, filter: filter, dithering: dithering,
          alpha: alpha))
    }
    self.passes = passes
  }

  /// `true` if `convert` returns its argument with only the color description changed.
  package var changesNothing: Bool { passes.isEmpty && toneMapped == nil }

  private static func losesBits(_ from: SampleArrangement, _ to: SampleArrangement) -> Bool {
    to.depth < from.depth || (to.packing != .strided && to.layout.depth < from.layout.depth)
  }

  private static func pass(
    _ from: SampleArrangement, _ source: VideoFormat, _ to: SampleArrangement,
    _ target: VideoFormat, _ color: ColorResolution, field: Int?, filter: ScalingFilter,
    dithering: Dithering, alpha: RowExchange.Alpha
  ) throws(MediaError) -> Pass {
    let fields = field == nil ? 1 : 2
    let alignX = 1 << max(from.layout.log2ChromaWidth, to.layout.log2ChromaWidth)
    let alignY = 1 << max(from.layout.log2ChromaHeight, to.layout.log2ChromaHeight)
    func padded(_ videoFormat: VideoFormat) -> (width: Int, height: Int) {
      let rows = (videoFormat.height + fields - 1) / fields
      return (
        (videoFormat.width + alignX - 1) & ~(alignX - 1), (rows + alignY - 1) & ~(alignY - 1)
      )
    }
    let (old, new) = (padded(source), padded(target))
    // The part of the source that the padded target shows. Without scaling, the padding of the source maps to
    // that of the target. With scaling, the true edges of both frames map to each other.
    func region(_ side: Int, _ newSide: Int, _ old: Int, _ new: Int) -> Double {
      side == newSide ? Double(old) : Double(side) * Double(new) / Double(newSide)
    }
    let width = region(source.width, target.width, old.width, new.width)
    let height =
      source.height == target.height
      ? Double(old.height)
      : Double(source.height) * Double(new.height) / Double(target.height)
    let graph = try ScalingGraph(
      from: .init(
        arrangement: from, width: old.width, height: old.height, color: color.source,
        hasAlpha: alpha == .kept, field: field),
      to: .init(
        arrangement: to, width: new.width, height: new.height, color: color.target,
        hasAlpha: alpha == .kept, field: field),
      region: (width, height), filter: filter, dithering: dithering)
    let rings = RowRings(
      source: RowRing(
        width: old.width, height: old.height, elementSize: from.elementSize, planes: 4,
        mask: graph.sourceMask),
      target: to.isPlanar
        ? nil
        : RowRing(
          width: new.width, height: new.height, elementSize: to.elementSize, planes: 4,
          mask: graph.targetMask),
      alpha: alpha == .blended
        ? RowRing(
          width: old.width, height: 4, elementSize: from.elementSize, planes: 1,
          mask: UInt32(1 << from.layout.log2ChromaHeight) - 1)
        : nil)
    return Pass(graph: graph, rings: rings, source: old, target: new, field: field)
  }
}

extension FrameConverter {
  /// Returns the converted frame with the time, flags and pixel aspect ratio of `frame`, the latter scaled
  /// with the size.
  ///
  /// Memory comes from the pool. Throws `invalidArgument` for a frame of another format.
  package func convert(_ frame: Frame) throws(MediaError) -> Frame {
    try check(frame)
    if let toneMapped {
      var result = try toneMapped.convert(frame)
      result.sideData = frame.sideData.filter { !$0.describesHighDynamicRange }
      return result
    }
    guard !passes.isEmpty else {
      var same = frame
      same.color = target.color
      return same
    }
    guard
      var result = pool.video(
        pixelFormat: target.pixelFormat, width: target.width, height: target.height,
        pts: frame.pts)
    else { throw MediaError(.internal, "no memory for a frame of \(target)") }
    if alpha != .kept { fillOpaque(result, targetArrangement) }
    for pass in passes {
      let step = pass.field == nil ? 1 : 2
      let rows = RowExchange(
        source: .init(
          arrangement: sourceArrangement, planes: frame.planes, width: frame.width,
          height: frame.height, paddedWidth: pass.source.width, paddedHeight: pass.source.height,
          firstRow: pass.field ?? 0, rowStep: step),
        target: .init(
          arrangement: targetArrangement, planes: result.planes, width: target.width,
          height: target.height, paddedWidth: pass.target.width,
          paddedHeight: pass.target.height, firstRow: pass.field ?? 0, rowStep: step),
        alpha: alpha, isSourceFullRange: isSourceFullRange, rings: pass.rings)
      try withExtendedLifetime((frame.buffer, result.buffer)) { () throws(MediaError) in
        try pass.graph.run(rows)
      }
    }
    result.duration = frame.duration
    result.flags = frame.flags
    result.sideData = frame.sideData
    result.color = target.color
    result.sampleAspect = scaledAspect(frame.sampleAspect)
    return result
  }

  /// Returns the pixel aspect ratio that keeps the display aspect ratio.
  private func scaledAspect(_ aspect: Rational) -> Rational {
    guard aspect.isPositive, (source.width, source.height) != (target.width, target.height) else {
      return aspect
    }
    let n = Int128(aspect.numerator) * Int128(source.width) * Int128(target.height)
    let d = Int128(aspect.denominator) * Int128(target.width) * Int128(source.height)
    // At most 31 + 15 + 15 bits.
    return Rational(reducing: Int64(n), Int64(d))
  }

  private func check(_ frame: Frame) throws(MediaError) {
    guard frame.kind == .video, frame.pixelFormat == source.pixelFormat,
      frame.width == source.width, frame.height == source.height
    else {
      throw MediaError(
        .invalidArgument, "received a frame of \(VideoFormat(frame)); expected \(source)")
    }
    let layout = sourceArrangement.layout
    guard frame.planes.count >= layout.planeCount else {
      throw MediaError(.invalidArgument, "a frame of \(source) lacks planes")
    }
    for plane in 0..<layout.planeCount {
      let (base, stride) = (frame.planes[plane].base, frame.planes[plane].stride)
      let rows = layout.height(ofPlane: plane, for: frame.height)
      let alignment = sourceArrangement.elementSize - 1
      guard rows == 1 || abs(stride) >= layout.rowBytes(ofPlane: plane, for: frame.width),
        (Int(bitPattern: base) | stride) & alignment == 0
      else {
        throw MediaError(
          .invalidArgument,
          "plane \(plane) of a frame of \(source) has an invalid stride (\(stride) bytes) or "
            + "alignment")
      }
    }
  }
}
