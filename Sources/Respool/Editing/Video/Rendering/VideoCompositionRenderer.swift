public import RespoolMedia
import Synchronization

/// A renderer of a video composition: it makes one frame from the frames of the tracks at a time.
///
/// The reader of the tracks calls `render` for each time in turn. The built-in compositor works within
/// the call. For a custom one the calling thread waits until the request is finished, so it must
/// not belong to Swift's cooperative pool. Only one thread at a time may call `render`; any thread may
/// call the other methods.
public final class VideoCompositionRenderer: Sendable {
  /// A copy of the composition from the creation of the renderer.
  public let composition: VideoComposition

  private struct State: Sendable {
    var sources: [VideoCompositionSource]
    var context: VideoCompositionRenderContext?
    var pending: RequestOutcome?
    var isCancelled = false
    /// Index of the last instruction found: times mostly increase.
    var place = 0
  }

  private let compositor: any VideoCompositing
  private let isBuiltIn: Bool
  /// Converts frames of a custom compositor to the target, and shows tracks that need no compositor.
  private let finisher: Compositor
  private let instructions: [any VideoCompositionInstructionProtocol]
  private let pixelFormat: PixelFormat?
  private let pool: FramePool
  private let state: Mutex<State>

  /// Creates a renderer.
  ///
  /// - Parameters:
  ///   - composition: The composition, which is copied.
  ///   - sources: The tracks. The result has the color of the first one unless the composition has
  ///     its own.
  ///   - pixelFormat: Planar Y'CbCr of 8 or 10 bits, with or without alpha. `nil` chooses 4:2:0, with
  ///     10 bits if a source has more than 8, otherwise with 8, and with alpha if a background is
  ///     transparent.
  ///
  /// Throws `invalidArgument` for a render size or scale that cannot be rendered and for a
  /// compositor class that cannot be created. Throws `unsupported` for another pixel format, and `io` for an
  /// overlay's image that cannot be read. These errors occur here rather than in the middle of an export.
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
    // A few frames being rendered and a few that the encoder still holds.
    pool = FramePool(limit: 64 << 20)
    state = Mutex(State(sources: sources))
  }

  /// The custom compositor of the composition.
  ///
  /// `nil` if the built-in one renders.
  public var customVideoCompositor: (any VideoCompositing)? { isBuiltIn ? nil : compositor }

  /// Announces to the compositor the range that will be requested next; call it before the first request.
  public func announce(_ range: TimeRange) {
    let hint = VideoCompositionRenderHint(
      startCompositionTime: range.start, endCompositionTime: range.end)
    compositor.anticipateRendering(using: hint)
    compositor.prerollForRendering(using: hint)
  }

  /// Returns the instruction for a time.
  ///
  /// `nil` if no instruction applies.
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

  /// Returns `true` if a layer changes after `time` and before `end`.
  func isMoving(from time: MediaTime, to end: MediaTime) -> Bool {
    // Instructions for a custom compositor need not have layers.
    let instruction = instruction(at: time) as? VideoCompositionInstruction
    return instruction?.layerInstructions.map(\.configuration).contains {
      $0.opacity.changes(after: time, before: end) || $0.transform.changes(after: time, before: end)
        || $0.crop.changes(after: time, before: end)
    } ?? false
  }

  /// Returns the tracks whose frames `render` needs at a time.
  public func requiredTrackIDs(at time: MediaTime) -> [Int64] {
    guard let instruction = instruction(at: time) else { return [] }
    if instruction.passthroughTrackID != 0 { return [instruction.passthroughTrackID] }
    return instruction.requiredSourceTrackIDs ?? state.withLock { $0.sources.map(\.trackID) }
  }

  /// Returns the tracks of timed metadata whose samples `render` needs at a time.
  public func requiredSampleDataTrackIDs(at time: MediaTime) -> [Int64] {
    guard !isBuiltIn, let instruction = instruction(at: time), instruction.passthroughTrackID == 0
    else { return [] }
    let required = instruction.requiredSourceSampleDataTrackIDs
    return composition.sourceSampleDataTrackIDs.filter { required.contains($0) }
  }

  /// Returns the frame of the composition at a time.
  ///
  /// - Parameters:
  ///   - time: The time on the composition's time line.
  ///   - frames: For each track, its frame at that time; tracks without one are left out.
  ///   - samples: For each track of timed metadata, the sample that is valid then, for a custom compositor.
  ///
  /// The result has the render size times the scale, square pixels and always the same format and
  /// color. The sources define format and color or, if they do not state them, the first frames. The time stored
  /// in the result is not reliable: a frame that is shown unchanged is returned itself. `nil` if no instruction
  /// applies or the request was cancelled. Throws the compositor's error, and `cancelled` after `cancel`.
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
    case .composed(let buffer):
      if isBuiltIn { return buffer }
      return try finisher.finish(
        buffer, at: time, overlays: instruction.enablePostProcessing, context)
    }
  }

  /// Ends a wait for a custom compositor; every later `render` throws `cancelled`.
  ///
  /// Can be called from any thread.
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
    // The request is not retained here, so that its deinit detects a request that is never finished.
    compositor.startRequest(
      AsynchronousVideoCompositionRequest(
        context, time: time, instruction: instruction, frames: wanted,
        samples: samples.filter { metadata.contains($0.key) }, outcome: outcome))
  }

  /// Returns the context, which is created with the first frames.
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
    for (id, buffer) in frames.sorted(by: { $0.key < $1.key })
    where !sources.contains(where: { $0.trackID == id }) {
      let aspect = buffer.frame.sampleAspect
      sources.append(
        VideoCompositionSource(
          trackID: id,
          naturalWidth: Double(buffer.width) * (aspect.isPositive ? aspect.doubleValue : 1),
          naturalHeight: Double(buffer.height), pixelFormat: buffer.pixelFormat,
          color: buffer.frame.color, timeRange: .invalid))
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
