import Synchronization

/// A description of how the frames of several tracks are composed into one.
///
/// Consists of the size and rate of the result, of instructions for each time range, and of overlays.
// Sendable: every stored property is constant and Sendable.
public class VideoComposition: @unchecked Sendable {
  /// The values of a composition; see the properties of the composition.
  public struct Configuration: Sendable {
    public var renderSize = VideoDimensions.zero
    public var renderScale = 1.0
    public var frameDuration = MediaTime.invalid
    public var sourceTrackIDForFrameTiming: Int64 = 0
    /// Further tracks for frame timing, used while the tracks before them are empty or end later.
    var furtherTimingTrackIDs: [Int64] = []
    public var sourceSampleDataTrackIDs: [Int64] = []
    public var colorPrimaries: UInt8?
    public var colorTransferFunction: UInt8?
    public var colorYCbCrMatrix: UInt8?
    public var instructions: [any VideoCompositionInstructionProtocol] = []
    public var overlays: [Overlay] = []
    public var customVideoCompositorClass: (any VideoCompositing.Type)?
    public var customVideoCompositor: (@Sendable () -> any VideoCompositing)?

    /// Creates an empty configuration; render size, frame duration and instructions have to be set.
    public init() {}

    /// The tracks for frame timing; at any time, the one that ends first applies.
    var timingTrackIDs: [Int64] {
      sourceTrackIDForFrameTiming == 0
        ? [] : [sourceTrackIDForFrameTiming] + furtherTimingTrackIDs
    }
  }

  fileprivate let storage: Mutex<Configuration>

  public required init(configuration: Configuration) { storage = Mutex(configuration) }

  /// Creates a copy that does not change when `other` does; instructions are shared.
  public convenience init(_ other: VideoComposition) {
    self.init(configuration: other.configuration)
  }

  /// Creates a composition that shows tracks upright as their files specify, with the first one on top.
  ///
  /// The render size contains all tracks, with sides rounded to even numbers. Frames that differ only by this
  /// rounding are scaled to it. The frame duration is that of the greatest frame rate, or 1/30 s if no rate is
  /// known. Instructions cover the time from zero to the end of the last track without gaps. A new instruction
  /// begins when a track begins or ends. Sources without a size or a time range are left out.
  public init(propertiesOf sources: [VideoCompositionSource]) {
    storage = Mutex(Configuration(propertiesOf: sources))
  }

  /// The values of the composition.
  public var configuration: Configuration { storage.withLock { $0 } }

  /// The frame size to which instructions refer, in pixels.
  public var renderSize: VideoDimensions { configuration.renderSize }
  /// The factor by which the frame size is multiplied for rendering.
  ///
  /// Default: 1.
  public var renderScale: Double { configuration.renderScale }
  /// The time from one frame to the next.
  ///
  /// The first frame is at the start of the range that is read, the others whole multiples of the duration later.
  /// It has to be set even if `sourceTrackIDForFrameTiming` names a track. It then applies while that track is
  /// empty or has ended, and when layers change after the track's last frame.
  public var frameDuration: MediaTime { configuration.frameDuration }
  /// The track whose frame times are those of the result.
  ///
  /// 0 for times by `frameDuration`.
  public var sourceTrackIDForFrameTiming: Int64 { configuration.sourceTrackIDForFrameTiming }
  /// The tracks of timed metadata whose samples are read for a custom compositor.
  ///
  /// Default: no tracks. An instruction has to name the tracks that its frames need too
  /// (``VideoCompositionInstructionProtocol/requiredSourceSampleDataTrackIDs``); otherwise no sample arrives.
  /// The tracks belong to the asset whose frames are composed. Reading fails with `invalidArgument` if the asset
  /// lacks one, or if one is not timed metadata.
  public var sourceSampleDataTrackIDs: [Int64] { configuration.sourceSampleDataTrackIDs }
  /// Color primaries by ITU-T H.273.
  ///
  /// `nil` for those of the sources.
  public var colorPrimaries: UInt8? { configuration.colorPrimaries }
  /// Transfer function by ITU-T H.273.
  ///
  /// `nil` for that of the sources.
  public var colorTransferFunction: UInt8? { configuration.colorTransferFunction }
  /// Matrix by ITU-T H.273.
  ///
  /// `nil` for that of the sources.
  public var colorYCbCrMatrix: UInt8? { configuration.colorYCbCrMatrix }
  /// The instructions, which follow one another without gap or overlap.
  public var instructions: [any VideoCompositionInstructionProtocol] { configuration.instructions }
  /// Images and texts over the frames, later ones over earlier ones.
  public var overlays: [Overlay] { configuration.overlays }
  /// The type of the compositor to render with.
  ///
  /// `nil` for the built-in one. The type has to be ``DefaultInitializable`` too; `customVideoCompositor` can
  /// create any other.
  public var customVideoCompositorClass: (any VideoCompositing.Type)? {
    configuration.customVideoCompositorClass
  }
  /// A closure that creates the compositor to render with; it takes precedence over `customVideoCompositorClass`.
  public var customVideoCompositor: (@Sendable () -> any VideoCompositing)? {
    configuration.customVideoCompositor
  }
}

/// A video composition that can be changed, before rendering begins.
// Sendable: adds no state to its superclass.
public final class MutableVideoComposition: VideoComposition, @unchecked Sendable {
  /// Creates an empty composition; render size, frame duration and instructions have to be set.
  public init() { super.init(configuration: Configuration()) }

  /// Creates a copy that can be changed; instructions are shared.
  public init(_ other: VideoComposition) { super.init(configuration: other.configuration) }

  public required init(configuration: Configuration) {
    super.init(configuration: configuration)
  }

  /// Creates a composition that shows tracks as their files specify, and can be changed further.
  public override init(propertiesOf sources: [VideoCompositionSource]) {
    super.init(propertiesOf: sources)
  }

  public override var renderSize: VideoDimensions {
    get { configuration.renderSize }
    set { storage.withLock { $0.renderSize = newValue } }
  }
  public override var renderScale: Double {
    get { configuration.renderScale }
    set { storage.withLock { $0.renderScale = newValue } }
  }
  public override var frameDuration: MediaTime {
    get { configuration.frameDuration }
    set { storage.withLock { $0.frameDuration = newValue } }
  }
  /// Takes the frame times from tracks: at each time from the track that is not empty and ends first.
  func lead(by tracks: [Int64]) {
    storage.withLock {
      $0.sourceTrackIDForFrameTiming = tracks.first ?? 0
      $0.furtherTimingTrackIDs = Array(tracks.dropFirst())
    }
  }

  public override var sourceTrackIDForFrameTiming: Int64 {
    get { configuration.sourceTrackIDForFrameTiming }
    set { storage.withLock { $0.sourceTrackIDForFrameTiming = newValue } }
  }
  public override var sourceSampleDataTrackIDs: [Int64] {
    get { configuration.sourceSampleDataTrackIDs }
    set { storage.withLock { $0.sourceSampleDataTrackIDs = newValue } }
  }
  public override var colorPrimaries: UInt8? {
    get { configuration.colorPrimaries }
    set { storage.withLock { $0.colorPrimaries = newValue } }
  }
  public override var colorTransferFunction: UInt8? {
    get { configuration.colorTransferFunction }
    set { storage.withLock { $0.colorTransferFunction = newValue } }
  }
  public override var colorYCbCrMatrix: UInt8? {
    get { configuration.colorYCbCrMatrix }
    set { storage.withLock { $0.colorYCbCrMatrix = newValue } }
  }
  public override var instructions: [any VideoCompositionInstructionProtocol] {
    get { configuration.instructions }
    set { storage.withLock { $0.instructions = newValue } }
  }
  public override var overlays: [Overlay] {
    get { configuration.overlays }
    set { storage.withLock { $0.overlays = newValue } }
  }
  public override var customVideoCompositorClass: (any VideoCompositing.Type)? {
    get { configuration.customVideoCompositorClass }
    set { storage.withLock { $0.customVideoCompositorClass = newValue } }
  }
  public override var customVideoCompositor: (@Sendable () -> any VideoCompositing)? {
    get { configuration.customVideoCompositor }
    set { storage.withLock { $0.customVideoCompositor = newValue } }
  }
}
