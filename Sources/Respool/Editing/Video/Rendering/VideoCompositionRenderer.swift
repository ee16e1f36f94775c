public import RespoolMedia
import Synchronization

/// Renders a video composition: takes the pictures that its tracks show at a time, gives the one
/// that is seen.
///
/// Who reads the tracks calls `render` for each time in turn. The built-in compositor works within
/// the call; for a custom one the calling thread waits until the request is finished, so it must
/// not be one of Swift's cooperative pool. `render` may be called by one thread at a time,
/// everything else by any.
public final class VideoCompositionRenderer: Sendable {
  /// The composition as it was when the renderer was made.
  public let composition: VideoComposition

  private struct State: Sendable {
    var sources: [VideoCompositionSource]
    var context: VideoCompositionRenderContext?
    var pending: RequestOutcome?
    var isCancelled = false
    /// Where the last instruction was found: times mostly grow.
    var place = 0
  }

  private let compositor: any VideoCompositing
  private let isBuiltIn: Bool
  /// Brings what a custom compositor made into shape, and shows tracks that need no compositor.
  private let finisher: Compositor
  private let instructions: [any VideoCompositionInstructionProtocol]
  private let pixelFormat: PixelFormat?
  private let pool: FramePool
  private let state: Mutex<State>

  /// Prepares to render.
  ///
  /// - Parameters:
  ///   - composition: is copied.
  ///   - sources: the tracks; the first one's colour is the result's unless the composition has
  ///     its own.
  ///   - pixelFormat: planar Y'CbCr of 8 or 10 bits, with or without alpha; nil chooses 4:2:0 of
  ///     10 bits where a source has more than 8, else of 8, with alpha where a background is
  ///     transparent.
  ///
  /// Throws `invalidArgument` for a render size or scale that cannot be rendered and for a
  /// compositor class that cannot be made, `unsupported` for another pixel format, and `io` for an
  /// overlay's image that cannot be read, rather than in the middle of an export.
  public init(
    _ composition: VideoComposition, sources: [VideoCompositionSource],
    pixelFormat: PixelFormat? = nil
  ) throws(MediaError) {
    let composition = VideoComposition(composition)
    let custom = try composition.makeCompositor()
    _ = try CompositionTarget(
      composition, sources: sources, compositor: custom, pixelFormat: pixelFormat)
    for overlay in composition.overlays {
      _ = try OverlayDrawing(overlay.content, scale: 1, wrapWidth: 0)
    }
    self.composition = composition
    self.pixelFormat = pixelFormat
    instructions = composition.instructions
    let finisher = Compositor()
    self.finisher = finisher
    compositor = custom ?? finisher
    isBuiltIn = custom == nil
    // A few pictures in work and a few that the encoder still holds.
    pool = FramePool(limit: 64 << 20)
    state = Mutex(State(sources: sources))
  }

  /// The compositor of the composition's own; nil where the built-in one renders.
  public var customVideoCompositor: (any VideoCompositing)? { isBuiltIn ? nil : compositor }

  /// Tells the compositor which pictures will be asked for next; before the first of them.
  public func announce(_ range: TimeRange) {
    let hint = VideoCompositionRenderHint(
      startCompositionTime: range.start, endCompositionTime: range.end)
    compositor.anticipateRendering(using: hint)
    compositor.prerollForRendering(using: hint)
  }

  /// The instruction for a time; nil where there is none.
  public func instruction(at time: MediaTime) -> (any VideoCompositionInstructionProtocol)? {
    let place = state.withLock { $0.place }
    if instructions.indices.contains(place), instructions[place].timeRange.containsTime(time) {
      return instructions[place]
    }
    let near = time + VideoComposition.slack
    guard
      let index = instructions.firstIndex(where: { $0.timeRange.containsTime(time) })
        ?? instructions.firstIndex(where: { $0.timeRange.containsTime(near) })
    else { return nil }
    state.withLock { $0.place = index }
    return instructions[index]
  }

  /// Whether a layer changes after `time` and before `end`.
  func isMoving(from time: MediaTime, to end: MediaTime) -> Bool {
    let instruction = instruction(at: time) as? VideoCompositionInstruction
    return instruction?.layerInstructions.map(\.configuration).contains {
      $0.opacity.changes(after: time, before: end) || $0.transform.changes(after: time, before: end)
        || $0.crop.changes(after: time, before: end)
    } ?? false
  }

  /// The tracks whose pictures `render` wants at a time.
  public func requiredTrackIDs(at time: MediaTime) -> [Int64] {
    guard let instruction = instruction(at: time) else { return [] }
    if instruction.passthroughTrackID != 0 { return [instruction.passthroughTrackID] }
    return instruction.requiredSourceTrackIDs ?? state.withLock { $0.sources.map(\.trackID) }
  }

  /// The tracks of timed metadata whose samples `render` wants at a time.
  public func requiredSampleDataTrackIDs(at time: MediaTime) -> [Int64] {
    guard !isBuiltIn, let instruction = instruction(at: time), instruction.passthroughTrackID == 0
    else { return [] }
    let required = instruction.requiredSourceSampleDataTrackIDs
    return composition.sourceSampleDataTrackIDs.filter { required.contains($0) }
  }

  /// The picture of the composition at a time.
  ///
  /// - Parameters:
  ///   - time: on the composition's time line.
  ///   - frames: for each track the picture that it shows then; tracks without one are left out.
  ///   - samples: for each track of timed metadata the sample that holds then, for a custom compositor.
  ///
  /// The result has the render size times the scale, square pixels and always the same format and
  /// colour, fixed by the sources and, where those do not say, by the first frames. What it says of
  /// its time is not to be relied on: a picture that is shown as it is is handed back itself. Nil
  /// where no instruction applies or the request was cancelled. Throws what the compositor failed
  /// with, `cancelled` after `cancel`.
  public func render(
    at time: MediaTime, frames: [Int64: PixelBuffer], samples: [Int64: SampleBuffer] = [:]
  ) throws(MediaError) -> PixelBuffer? {
    guard let instruction = instruction(at: time) else { return nil }
    let context = try context(frames)
    if instruction.passthroughTrackID != 0 {
      guard let frame = frames[instruction.passthroughTrackID] else {
        return try finisher.background(.black, at: time, context)
      }
      return try finisher.finish(
        frame, at: time, overlays: instruction.enablePostProcessing, context)
    }
    let outcome = RequestOutcome()
    let isCancelled = state.withLock { state in
      state.pending = outcome
      return state.isCancelled
    }
    defer { state.withLock { $0.pending = nil } }
    if isCancelled { throw MediaError(.cancelled, "the composition was cancelled") }
    try start(instruction, time, frames, samples, context, outcome)
    switch outcome.wait() {
    case .failed(let error): throw error
    case .cancelled: return nil
    case .composed(let picture):
      if isBuiltIn { return picture }
      return try finisher.finish(
        picture, at: time, overlays: instruction.enablePostProcessing, context)
    }
  }

  /// Ends a wait for a custom compositor; every later `render` throws `cancelled`.
  ///
  /// From any thread.
  public func cancel() {
    let pending = state.withLock { state in
      state.isCancelled = true
      return state.pending
    }
    compositor.cancelAllPendingVideoCompositionRequests()
    pending?.finish(.cancelled)
  }

  private func start(
    _ instruction: any VideoCompositionInstructionProtocol, _ time: MediaTime,
    _ frames: [Int64: PixelBuffer], _ samples: [Int64: SampleBuffer],
    _ context: VideoCompositionRenderContext, _ outcome: RequestOutcome
  ) throws(MediaError) {
    var wanted = frames
    if let required = instruction.requiredSourceTrackIDs {
      wanted = frames.filter { required.contains($0.key) }
    }
    let formats = isBuiltIn ? [] : compositor.sourcePixelFormats
    let conforms = isBuiltIn || compositor.canConformColorOfSourceFrames
    for (id, frame) in wanted {
      let format = formats.contains(frame.pixelFormat) ? nil : formats.first
      let color = frame.frame.color
      let wantedColor =
        customVideoCompositor.getsStandardRange(insteadOf: color)
        ? color.asBT709 : conforms ? nil : context.target.color
      if format == nil, wantedColor == nil { continue }
      wanted[id] = try finisher.convert(
        frame, to: format ?? frame.pixelFormat, color: wantedColor ?? .unspecified, context)
    }
    let metadata = requiredSampleDataTrackIDs(at: time)
    // The request is let go of here, so that one that nobody finishes is noticed.
    compositor.startRequest(
      AsynchronousVideoCompositionRequest(
        context, time: time, instruction: instruction, frames: wanted,
        samples: samples.filter { metadata.contains($0.key) }, outcome: outcome))
  }

  /// The context, made with the first frames.
  private func context(_ frames: [Int64: PixelBuffer]) throws(MediaError)
    -> VideoCompositionRenderContext
  {
    let (known, before) = state.withLock { ($0.context, $0.sources) }
    if let known { return known }
    var sources = before
    for index in sources.indices where sources[index].pixelFormat == .none {
      guard let frame = frames[sources[index].trackID]?.frame else { continue }
      sources[index].pixelFormat = frame.pixelFormat
      if sources[index].color == .unspecified { sources[index].color = frame.color }
    }
    // Frames of tracks that were not announced count too.
    for (id, picture) in frames.sorted(by: { $0.key < $1.key })
    where !sources.contains(where: { $0.trackID == id }) {
      let aspect = picture.frame.sampleAspect
      sources.append(
        VideoCompositionSource(
          trackID: id,
          naturalWidth: Double(picture.width) * (aspect.isPositive ? aspect.doubleValue : 1),
          naturalHeight: Double(picture.height), pixelFormat: picture.pixelFormat,
          color: picture.frame.color, timeRange: .invalid))
    }
    let target = try CompositionTarget(
      composition, sources: sources, compositor: customVideoCompositor, pixelFormat: pixelFormat)
    let formats = isBuiltIn ? [] : compositor.requiredPixelFormatsForRenderContext
    let format = formats.contains(target.pixelFormat) ? nil : formats.first
    let context = VideoCompositionRenderContext(
      composition, target: target, pixelFormat: format ?? target.pixelFormat, sources: sources,
      pool: pool)
    state.withLock { $0.context = context }
    finisher.renderContextChanged(context)
    if !isBuiltIn { compositor.renderContextChanged(context) }
    return context
  }
}
