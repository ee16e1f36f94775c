import Synchronization

/// What is to be shown over a range of time: the built-in instruction, or one that goes with a
/// custom compositor.
///
/// A composition asks it from the thread that renders.
public protocol VideoCompositionInstructionProtocol: AnyObject, Sendable {
  /// When it applies; the end does not belong to it.
  var timeRange: TimeRange { get }
  /// A hint: whether overlays and the like are drawn over what comes out.
  var enablePostProcessing: Bool { get }
  /// A hint: whether two times of the range may give different pictures of the same sources.
  var containsTweening: Bool { get }
  /// The tracks whose pictures are needed; nil for all there are.
  var requiredSourceTrackIDs: [Int64]? { get }
  /// The track whose picture is shown as it is, without a compositor; 0 for none.
  var passthroughTrackID: Int64 { get }
  /// The tracks of timed metadata whose samples a custom compositor needs; none unless it says otherwise.
  ///
  /// The composition has to name them too (``VideoComposition/sourceSampleDataTrackIDs``).
  var requiredSourceSampleDataTrackIDs: [Int64] { get }
}

extension VideoCompositionInstructionProtocol {
  public var requiredSourceSampleDataTrackIDs: [Int64] { [] }
}

/// The built-in instruction: layers over a background.
///
/// A subclass may carry what a custom compositor wants to know: its requests hand it out as it is.
// Sendable: all state lies behind the mutex.
open class VideoCompositionInstruction: VideoCompositionInstructionProtocol, @unchecked Sendable {
  /// What an instruction is made from; see the properties of the instruction.
  public struct Configuration: Sendable {
    public var timeRange = TimeRange.invalid
    public var backgroundColor = VideoColor.black
    public var layerInstructions: [VideoCompositionLayerInstruction] = []
    public var enablePostProcessing = true
    public var requiredSourceTrackIDs: [Int64]?
    public var requiredSourceSampleDataTrackIDs: [Int64] = []

    /// No layers over opaque black, with an invalid time range.
    public init() {}
  }

  fileprivate let storage: Mutex<Configuration>

  public init(configuration: Configuration) { storage = Mutex(configuration) }

  /// What it is made from.
  public var configuration: Configuration { storage.withLock { $0 } }

  public var timeRange: TimeRange { configuration.timeRange }
  /// What is seen where no layer is; opaque black unless set.
  public var backgroundColor: VideoColor { configuration.backgroundColor }
  /// The layers, the topmost first.
  public var layerInstructions: [VideoCompositionLayerInstruction] {
    configuration.layerInstructions
  }
  public var enablePostProcessing: Bool { configuration.enablePostProcessing }
  /// The tracks of the layers, and those that were asked for besides.
  open var requiredSourceTrackIDs: [Int64]? {
    let configuration = configuration
    var identifiers: [Int64] = []
    for id in configuration.layerInstructions.map(\.trackID)
      + (configuration.requiredSourceTrackIDs ?? [])
    where !identifiers.contains(id) { identifiers.append(id) }
    return identifiers
  }
  /// 0: the compositor itself sees where a picture can be shown as it is.
  open var passthroughTrackID: Int64 { 0 }
  public var requiredSourceSampleDataTrackIDs: [Int64] {
    configuration.requiredSourceSampleDataTrackIDs
  }
  open var containsTweening: Bool {
    configuration.layerInstructions.contains {
      let layer = $0.configuration
      return layer.opacity.isSet || layer.transform.isSet || layer.crop.isSet
    }
  }
}

/// An instruction that can be changed, before rendering begins.
open class MutableVideoCompositionInstruction: VideoCompositionInstruction, @unchecked Sendable {
  /// No layers over opaque black, with an invalid time range.
  public init() { super.init(configuration: Configuration()) }

  public override init(configuration: Configuration) {
    super.init(configuration: configuration)
  }

  /// An instruction for a range, with the topmost layer first.
  public init(timeRange: TimeRange, layerInstructions: [VideoCompositionLayerInstruction] = []) {
    var configuration = Configuration()
    (configuration.timeRange, configuration.layerInstructions) = (timeRange, layerInstructions)
    super.init(configuration: configuration)
  }

  public override var timeRange: TimeRange {
    get { configuration.timeRange }
    set { storage.withLock { $0.timeRange = newValue } }
  }
  public override var backgroundColor: VideoColor {
    get { configuration.backgroundColor }
    set { storage.withLock { $0.backgroundColor = newValue } }
  }
  public override var layerInstructions: [VideoCompositionLayerInstruction] {
    get { configuration.layerInstructions }
    set { storage.withLock { $0.layerInstructions = newValue } }
  }
  public override var enablePostProcessing: Bool {
    get { configuration.enablePostProcessing }
    set { storage.withLock { $0.enablePostProcessing = newValue } }
  }
  public override var requiredSourceTrackIDs: [Int64]? {
    get { super.requiredSourceTrackIDs }
    set { storage.withLock { $0.requiredSourceTrackIDs = newValue } }
  }
  public override var requiredSourceSampleDataTrackIDs: [Int64] {
    get { configuration.requiredSourceSampleDataTrackIDs }
    set { storage.withLock { $0.requiredSourceSampleDataTrackIDs = newValue } }
  }
}
