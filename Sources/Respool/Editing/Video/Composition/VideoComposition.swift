import Synchronization

/// How the pictures of several tracks become one: the size and rate of what comes out, instructions
/// that say what is shown when, and overlays on top.
// Sendable: all state lies behind the mutex.
public class VideoComposition: @unchecked Sendable {
  /// Everything that can be set; see the properties of ``MutableVideoComposition``.
  struct State: Sendable {
    var renderSize = VideoDimensions.zero
    var renderScale = 1.0
    var frameDuration = MediaTime.invalid
    var sourceTrackIDForFrameTiming: Int32 = 0
    var colorPrimaries: UInt8?
    var colorTransferFunction: UInt8?
    var colorYCbCrMatrix: UInt8?
    var instructions: [any VideoCompositionInstructionProtocol] = []
    var overlays: [Overlay] = []
    var customVideoCompositorClass: (any VideoCompositing.Type)?
    var customVideoCompositor: (@Sendable () -> any VideoCompositing)?
  }

  fileprivate let storage: Mutex<State>

  init(_ state: State) { storage = Mutex(state) }

  /// A copy that does not change with `other`; instructions are shared.
  public convenience init(_ other: VideoComposition) { self.init(other.state) }

  /// A composition that shows tracks as their files say: upright, the first one on top.
  ///
  /// The render size holds every one of them, rounded to even sides, to which a picture that
  /// differs by no more than that is scaled. The frame duration is that of the greatest frame rate,
  /// 1/30 s where none is known. Instructions tile the time from zero to the end of the last track,
  /// a new one wherever a track begins or ends. Sources that have no size or no time are left out.
  public init(propertiesOf sources: [VideoCompositionSource]) {
    storage = Mutex(State(propertiesOf: sources))
  }

  var state: State { storage.withLock { $0 } }

  /// Pixels of the picture that instructions speak of.
  public var renderSize: VideoDimensions { state.renderSize }
  /// What the size is multiplied with when pictures are made; 1 unless set.
  public var renderScale: Double { state.renderScale }
  /// The time from one picture to the next; pictures lie at whole multiples of it.
  public var frameDuration: MediaTime { state.frameDuration }
  /// The track whose picture times are those of the result, or 0: `frameDuration` says when.
  public var sourceTrackIDForFrameTiming: Int32 { state.sourceTrackIDForFrameTiming }
  /// Colour primaries by ITU-T H.273; nil as in the sources.
  public var colorPrimaries: UInt8? { state.colorPrimaries }
  /// Transfer function by ITU-T H.273; nil as in the sources.
  public var colorTransferFunction: UInt8? { state.colorTransferFunction }
  /// Matrix by ITU-T H.273; nil as in the sources.
  public var colorYCbCrMatrix: UInt8? { state.colorYCbCrMatrix }
  /// What is shown when; they follow one another without gap or overlap.
  public var instructions: [any VideoCompositionInstructionProtocol] { state.instructions }
  /// Images and texts over the pictures, later ones over earlier ones.
  public var overlays: [Overlay] { state.overlays }
  /// The type of the compositor to render with; nil for the one that is built in.
  ///
  /// It has to be ``DefaultInitializable`` too; `customVideoCompositor` makes any other.
  public var customVideoCompositorClass: (any VideoCompositing.Type)? {
    state.customVideoCompositorClass
  }
  /// Makes the compositor to render with; goes before `customVideoCompositorClass`.
  public var customVideoCompositor: (@Sendable () -> any VideoCompositing)? {
    state.customVideoCompositor
  }
}

/// A video composition that can be changed, before rendering begins.
public final class MutableVideoComposition: VideoComposition, @unchecked Sendable {
  /// An empty composition; render size, frame duration and instructions have to be set.
  public init() { super.init(State()) }

  /// A copy that can be changed; instructions are shared.
  public init(_ other: VideoComposition) { super.init(other.state) }

  /// Shows tracks as their files say, to be changed further.
  public override init(propertiesOf sources: [VideoCompositionSource]) {
    super.init(propertiesOf: sources)
  }

  public override var renderSize: VideoDimensions {
    get { state.renderSize }
    set { storage.withLock { $0.renderSize = newValue } }
  }
  public override var renderScale: Double {
    get { state.renderScale }
    set { storage.withLock { $0.renderScale = newValue } }
  }
  public override var frameDuration: MediaTime {
    get { state.frameDuration }
    set { storage.withLock { $0.frameDuration = newValue } }
  }
  public override var sourceTrackIDForFrameTiming: Int32 {
    get { state.sourceTrackIDForFrameTiming }
    set { storage.withLock { $0.sourceTrackIDForFrameTiming = newValue } }
  }
  public override var colorPrimaries: UInt8? {
    get { state.colorPrimaries }
    set { storage.withLock { $0.colorPrimaries = newValue } }
  }
  public override var colorTransferFunction: UInt8? {
    get { state.colorTransferFunction }
    set { storage.withLock { $0.colorTransferFunction = newValue } }
  }
  public override var colorYCbCrMatrix: UInt8? {
    get { state.colorYCbCrMatrix }
    set { storage.withLock { $0.colorYCbCrMatrix = newValue } }
  }
  public override var instructions: [any VideoCompositionInstructionProtocol] {
    get { state.instructions }
    set { storage.withLock { $0.instructions = newValue } }
  }
  public override var overlays: [Overlay] {
    get { state.overlays }
    set { storage.withLock { $0.overlays = newValue } }
  }
  public override var customVideoCompositorClass: (any VideoCompositing.Type)? {
    get { state.customVideoCompositorClass }
    set { storage.withLock { $0.customVideoCompositorClass = newValue } }
  }
  public override var customVideoCompositor: (@Sendable () -> any VideoCompositing)? {
    get { state.customVideoCompositor }
    set { storage.withLock { $0.customVideoCompositor = newValue } }
  }
}
