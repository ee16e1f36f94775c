import RespoolMedia

/// The built-in compositor for one target, which `Compositor` protects with its mutex.
///
/// Keeps converters from frame to frame; for use by one thread at a time.
final class CompositorCore {
  let context: VideoCompositionRenderContext
  private let target: CompositionTarget
  /// Holds up to 64 MiB: about 20 frames of 1920x1080 pixels in 4:2:0 with 8 bits.
  private let pool = FramePool(limit: 64 << 20)
  private var preparations: [LayerPreparation.Key: LayerPreparation] = [:]
  private var outputConverters: [VideoFormat: FrameConverter] = [:]
  private var inputConverters: [Offer: FrameConverter] = [:]
  private let overlays: OverlayRenderer
  /// Maximum number of kept converters; more are needed only if sizes change from frame to frame.
  private static let kept = 24

  init(_ context: VideoCompositionRenderContext) {
    self.context = context
    target = context.target
    overlays = OverlayRenderer(context.videoComposition, context.target)
  }

  /// The state of a layer instruction at one time, with its frame.
  private struct Layer {
    var buffer: PixelBuffer
    var weight: LayerWeight
    var placement: LayerPlacement

    var hasAlpha: Bool { buffer.pixelFormat.layout?.hasAlpha ?? true }
  }

  /// Renders the layers of an instruction over its background, and the overlays over them.
  func compose(
    _ instruction: VideoCompositionInstruction, at time: MediaTime,
    frame: (Int64) -> PixelBuffer?
  ) throws(MediaError) -> PixelBuffer {
    let state = instruction.configuration
    var layers: [Layer] = []
    // From the topmost layer down to the first that hides everything below it.
    for layer in state.layerInstructions {
      guard let buffer = frame(layer.trackID),
        var placed = place(buffer, layer.configuration, at: time)
      else { continue }
      if buffer.frame.flags.contains(.interlaced) {
        // The joined frame may have another pixel format, which may need another placement.
        guard let joined = place(try deinterlaced(buffer), layer.configuration, at: time) else {
          continue
        }
        placed = joined
      }
      layers.append(placed)
      if hidesEverything(placed) { break }
    }
    let canvas = Canvas(target, background: state.backgroundColor, pool: pool)
    for layer in layers.reversed() { try draw(layer, on: canvas) }
    if state.enablePostProcessing { try overlays.draw(on: canvas, at: time, pool: pool) }
    return try canvas.finish()
  }

  /// Returns the frame of a custom compositor in the target's format, with the overlays.
  func finish(_ buffer: PixelBuffer, at time: MediaTime, overlays drawsOverlays: Bool)
    throws(MediaError) -> PixelBuffer
  {
    let canvas = Canvas(target, background: .black, pool: pool)
    canvas.show(try conformed(buffer))
    if drawsOverlays { try overlays.draw(on: canvas, at: time, pool: pool) }
    return try canvas.finish()
  }

  /// Returns a background with the overlays.
  func background(_ color: VideoColor, at time: MediaTime) throws(MediaError) -> PixelBuffer {
    let canvas = Canvas(target, background: color, pool: pool)
    try overlays.draw(on: canvas, at: time, pool: pool)
    return try canvas.finish()
  }

  /// The format of a source frame and the one that a custom compositor gets.
  private struct Offer: Hashable {
    var source: VideoFormat
    var target: VideoFormat
  }

  /// Returns a frame in another format and color, with its own size; unspecified color values stay.
  func convert(_ buffer: PixelBuffer, to format: PixelFormat, color: ColorDescription)
    throws(MediaError) -> PixelBuffer
  {
    let source = VideoFormat(buffer.frame)
    var wanted = source
    (wanted.pixelFormat, wanted.color) = (format, color)
    // Range and chroma location belong to the format.
    (wanted.color.range, wanted.color.chromaLocation) = (.unspecified, .unspecified)
    let offer = Offer(source: source, target: wanted)
    let converter: FrameConverter
    if let known = inputConverters[offer] {
      converter = known
    } else {
      if inputConverters.count >= Self.kept { inputConverters = [:] }
      converter = try FrameConverter(from: source, to: wanted, filter: .bicubic, pool: pool)
      inputConverters[offer] = converter
    }
    return try pixelBuffer(try converter.convert(buffer.frame))
  }

  private func conformed(_ buffer: PixelBuffer) throws(MediaError) -> PixelBuffer {
    let buffer = try deinterlaced(buffer)
    var source = VideoFormat(buffer.frame)
    source.color = CompositionTarget.completeColor(of: source)
    let converter: FrameConverter
    if let known = outputConverters[source] {
      converter = known
    } else {
      if outputConverters.count >= Self.kept { outputConverters = [:] }
      converter = try FrameConverter(
        from: source,
        to: VideoFormat(
          pixelFormat: target.pixelFormat, width: target.width, height: target.height,
          color: target.color),
        filter: .bicubic, pool: pool)
      outputConverters[source] = converter
    }
    return try tagged(buffer, try converter.convert(buffer.frame))
  }

  /// Returns the frame itself if it has the target's color tags, otherwise the same pixels with these tags.
  private func tagged(_ buffer: PixelBuffer, _ frame: Frame) throws(MediaError) -> PixelBuffer {
    let isSame = frame.buffer === buffer.frame.buffer
    let aspect = buffer.frame.sampleAspect
    if isSame && buffer.frame.color == target.tag
      && (!aspect.isPositive || aspect.reduced == Rational(1, 1))
    {
      return buffer
    }
    var frame = frame
    frame.color = target.tag
    frame.sampleAspect = Rational(1, 1)
    return try pixelBuffer(frame)
  }

  private func pixelBuffer(_ frame: Frame) throws(MediaError) -> PixelBuffer {
    guard let buffer = PixelBuffer(frame) else {
      throw MediaError(.internal, "no pixel buffer can be made of \(VideoFormat(frame))")
    }
    return buffer
  }

  // MARK: Layers

  /// Returns the frame with its fields joined, if it has fields.
  ///
  /// A composition always makes progressive frames. Fields that are moved or scaled would be blended into one
  /// another. Unmoved fields would show combing in a frame that is marked as progressive.
  private func deinterlaced(_ buffer: PixelBuffer) throws(MediaError) -> PixelBuffer {
    let frame = buffer.frame
    guard frame.flags.contains(.interlaced), frame.height > 1,
      let preparation = try preparation(
        frame, DisplayMatrix.Orientation(), width: frame.width, height: frame.height)
    else { return buffer }
    let planar = try preparation.prepare(frame)
    guard let joined = FieldJoining.join(planar, target: target, pool: pool) else {
      throw MediaError(.internal, "no memory for a frame of \(VideoFormat(frame))")
    }
    return try pixelBuffer(joined)
  }

  private func place(
    _ buffer: PixelBuffer, _ layer: VideoCompositionLayerInstruction.Configuration,
    at time: MediaTime
  ) -> Layer? {
    let weight = LayerWeight(opacity: layer.opacity.value(at: time))
    let frame = buffer.frame
    guard weight > 0, frame.width > 0, frame.height > 0 else { return nil }
    let source = context.sources[layer.trackID]
    let aspect = frame.sampleAspect.isPositive ? frame.sampleAspect.doubleValue : 1
    var (width, height) = (Double(frame.width) * aspect, Double(frame.height))
    if let natural = source?.naturalSize(at: time), natural.width > 0, natural.height > 0 {
      (width, height) = natural
    }
    let toNatural = Transform(
      scaleX: width / Double(frame.width), y: height / Double(frame.height))
    let transform = toNatural.concatenating(layer.transform.value(at: time))
      .concatenating(context.renderTransform)
    var crop: Rectangle?
    if case .rectangle(let rectangle) = layer.crop.value(at: time), let back = toNatural.inverted {
      crop = back.bounds(of: rectangle)
    }
    guard
      let placement = LayerPlacement(
        frame, transform, crop: crop, isChanging: layer.transform.isChanging(at: time), target)
    else { return nil }
    return Layer(buffer: buffer, weight: weight, placement: placement)
  }

  private func hidesEverything(_ layer: Layer) -> Bool {
    guard layer.weight == .opaque, !layer.hasAlpha,
      case .aligned(_, _, let bounds) = layer.placement.method
    else { return false }
    let canvas = PixelBounds(x: 0..<target.width, y: 0..<target.height)
    return bounds.clamped(to: canvas) == canvas
  }

  private func preparation(
    _ frame: Frame, _ orientation: DisplayMatrix.Orientation, width: Int, height: Int
  ) throws(MediaError) -> LayerPreparation? {
    var videoFormat = VideoFormat(frame)
    videoFormat.color = CompositionTarget.completeColor(of: videoFormat)
    let key = LayerPreparation.Key(
      source: videoFormat, orientation: orientation, width: width, height: height)
    if let known = preparations[key] { return known }
    guard let made = try LayerPreparation(key, target, pool: pool) else { return nil }
    if preparations.count >= Self.kept { preparations = [:] }
    preparations[key] = made
    return made
  }

  private func draw(_ layer: Layer, on canvas: Canvas) throws(MediaError) {
    switch layer.placement.method {
    case .aligned(let visible, let orientation, let bounds):
      if let part = layer.buffer.frame.part(visible),
        let preparation = try preparation(
          part, orientation, width: bounds.x.count, height: bounds.y.count)
      {
        try drawPrepared(layer, preparation.prepare(part), bounds, on: canvas)
        return
      }
      // The part cannot be cut out or converted, so it is sampled at the same placement.
      let crop = Rectangle(
        x: Double(visible.x.lowerBound), y: Double(visible.y.lowerBound),
        width: Double(visible.x.count), height: Double(visible.y.count))
      let rotated = Transform(DisplayMatrix(orientation))
      let from = rotated.bounds(of: crop)
      let transform = rotated.concatenating(Transform(translationX: -from.x, y: -from.y))
        .concatenating(
          Transform(
            scaleX: Double(bounds.x.count) / from.width, y: Double(bounds.y.count) / from.height)
        )
        .concatenating(
          Transform(translationX: Double(bounds.x.lowerBound), y: Double(bounds.y.lowerBound)))
      try drawSampled(layer, crop, transform, on: canvas)
    case .sampled(let crop, let transform):
      try drawSampled(layer, crop, transform, on: canvas)
    }
  }

  private func drawPrepared(
    _ layer: Layer, _ prepared: Frame, _ bounds: PixelBounds, on canvas: Canvas
  ) throws(MediaError) {
    if bounds == PixelBounds(x: 0..<target.width, y: 0..<target.height),
      layer.weight == .opaque, !layer.hasAlpha, !target.hasAlpha
    {
      canvas.show(try tagged(layer.buffer, prepared))
      return
    }
    try canvas.draw(
      PlacedFrame(
        prepared, weights: try weights(prepared), x: bounds.x.lowerBound, y: bounds.y.lowerBound,
        weight: layer.weight, target: target))
  }

  private func drawSampled(
    _ layer: Layer, _ crop: Rectangle, _ transform: Transform, on canvas: Canvas
  ) throws(MediaError) {
    let frame = layer.buffer.frame
    // A frame that is shown at less than a quarter of its size is halved first, so that no pixel is skipped.
    // Sides of up to 16 pixels stay.
    func halvedSize(_ x: Double, _ y: Double, _ side: Int) -> Int {
      let scale = (x * x + y * y).squareRoot()
      guard scale > 1e-6 else { return 1 }
      var size = side
      var least = 1 / scale
      while least > 4, size > 16 { (least, size) = (least / 2, size / 2) }
      return size
    }
    let width = halvedSize(transform.a, transform.b, frame.width)
    let height = halvedSize(transform.c, transform.d, frame.height)
    guard
      let preparation = try preparation(
        frame, DisplayMatrix.Orientation(), width: width, height: height)
    else { return }
    let prepared = try preparation.prepare(frame)
    let scale = Transform(
      scaleX: Double(frame.width) / Double(width), y: Double(frame.height) / Double(height))
    guard let back = scale.inverted else { return }
    guard
      let sampled = SampledFrame(
        prepared, weights: try weights(prepared), crop: back.bounds(of: crop),
        transform: scale.concatenating(transform), weight: layer.weight, target: target)
    else { return }
    try canvas.draw(sampled)
  }

  private func weights(_ frame: Frame) throws(MediaError) -> AlphaPlane? {
    guard frame.planes.count > 3 else { return nil }
    guard let weights = AlphaPlane(alphaOf: frame, target: target, pool: pool) else {
      throw MediaError(.internal, "no memory for the alpha of \(VideoFormat(frame))")
    }
    return weights
  }
}

extension DisplayMatrix {
  /// Creates the matrix of one of the eight orientations.
  fileprivate init(_ orientation: Orientation) {
    self.init(clockwiseDegrees: orientation.clockwiseDegrees)
    if orientation.mirrored { (a, b) = (-a, -b) }
  }
}
