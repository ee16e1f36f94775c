import Synchronization

/// How the pictures of several tracks become one: the size and rate of what comes out, instructions
/// that say what is shown when, and overlays on top.
// Sendable: all state lies behind the mutex.
public class VideoComposition: @unchecked Sendable {
  /// What a composition is made from; see the properties of the composition.
  public struct Configuration: Sendable {
    public var renderSize = VideoDimensions.zero
    public var renderScale = 1.0
    public var frameDuration = MediaTime.invalid
    public var sourceTrackIDForFrameTiming: Int64 = 0
    /// Tracks that lead as that one does, where those before them are empty or end later.
    var furtherTimingTrackIDs: [Int64] = []
    public var sourceSampleDataTrackIDs: [Int64] = []
    public var colorPrimaries: UInt8?
    public var colorTransferFunction: UInt8?
    public var colorYCbCrMatrix: UInt8?
    public var instructions: [any VideoCompositionInstructionProtocol] = []
    public var overlays: [Overlay] = []
    public var customVideoCompositorClass: (any VideoCompositing.Type)?
    public var customVideoCompositor: (@Sendable () -> any VideoCompositing)?

    /// An empty one; render size, frame duration and instructions have to be set.
    public init() {}

    /// The tracks that lead, of which at any time the one leads that ends first.
    var timingTrackIDs: [Int64] {
      sourceTrackIDForFrameTiming == 0
        ? [] : [sourceTrackIDForFrameTiming] + furtherTimingTrackIDs
    }
  }

  fileprivate let storage: Mutex<Configuration>

  public required init(configuration: Configuration) { storage = Mutex(configuration) }

  /// A copy that does not change with `other`; instructions are shared.
  public convenience init(_ other: VideoComposition) {
    self.init(configuration: other.configuration)
  }

  /// A composition that shows tracks as their files say: upright, the first one on top.
  ///
  /// The render size holds every one of them, rounded to even sides, to which a picture that
  /// differs by no more than that is scaled. The frame duration is that of the greatest frame rate,
  /// 1/30 s where none is known. Instructions tile the time from zero to the end of the last track,
  /// a new one wherever a track begins or ends. Sources that have no size or no time are left out.
  public init(propertiesOf sources: [VideoCompositionSource]) {
    storage = Mutex(Configuration(propertiesOf: sources))
  }

  /// What it is made from.
  public var configuration: Configuration { storage.withLock { $0 } }

  /// Pixels of the picture that instructions speak of.
  public var renderSize: VideoDimensions { configuration.renderSize }
  /// What the size is multiplied with when pictures are made; 1 unless set.
  public var renderScale: Double { configuration.renderScale }
  /// The time from one picture to the next.
  ///
  /// The first picture lies at the start of what is read, the others whole multiples of it later. Where a
  /// track leads (`sourceTrackIDForFrameTiming`), it counts where that track is empty or has ended, and
  /// where layers change after its last picture; it has to be set all the same.
  public var frameDuration: MediaTime { configuration.frameDuration }
  /// The track whose picture times are those of the result; 0: `frameDuration` says when.
  public var sourceTrackIDForFrameTiming: Int64 { configuration.sourceTrackIDForFrameTiming }
  /// The tracks of timed metadata whose samples are read for a custom compositor; none unless set.
  ///
  /// Of these an instruction names what its pictures need
  /// (``VideoCompositionInstructionProtocol/requiredSourceSampleDataTrackIDs``): without both no sample
  /// arrives. They are tracks of the asset whose pictures are composed; reading fails with `invalidArgument`
  /// where it does not have one, or has media there.
  public var sourceSampleDataTrackIDs: [Int64] { configuration.sourceSampleDataTrackIDs }
  /// Colour primaries by ITU-T H.273; nil as in the sources.
  public var colorPrimaries: UInt8? { configuration.colorPrimaries }
  /// Transfer function by ITU-T H.273; nil as in the sources.
  public var colorTransferFunction: UInt8? { configuration.colorTransferFunction }
  /// Matrix by ITU-T H.273; nil as in the sources.
  public var colorYCbCrMatrix: UInt8? { configuration.colorYCbCrMatrix }
  /// What is shown when; they follow one another without gap or overlap.
  public var instructions: [any VideoCompositionInstructionProtocol] { configuration.instructions }
  /// Images and texts over the pictures, later ones over earlier ones.
  public var overlays: [Overlay] { configuration.overlays }
  /// The type of the compositor to render with; nil for the one that is built in.
  ///
  /// It has to be ``DefaultInitializable`` too; `customVideoCompositor` makes any other.
  public var customVideoCompositorClass: (any VideoCompositing.Type)? {
    configuration.customVideoCompositorClass
  }
  /// Makes the compositor to render with; goes before `customVideoCompositorClass`.
  public var customVideoCompositor: (@Sendable () -> any VideoCompositing)? {
    configuration.customVideoCompositor
  }
}

/// A video composition that can be changed, before rendering begins.
public final class MutableVideoComposition: VideoComposition, @unchecked Sendable {
  /// An empty composition; render size, frame duration and instructions have to be set.
  public init() { super.init(configuration: Configuration()) }

  /// A copy that can be changed; instructions are shared.
  public init(_ other: VideoComposition) { super.init(configuration: other.configuration) }

  public required init(configuration: Configuration) {
    super.init(configuration: configuration)
  }

  /// Shows tracks as their files say, to be changed further.
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
  /// Takes the times of pictures from tracks: from the one that shows something and ends first.
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
