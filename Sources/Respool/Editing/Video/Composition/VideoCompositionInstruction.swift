import Synchronization

/// An instruction for a time range: the built-in one, or one for a custom compositor.
///
/// The thread that renders reads its properties.
public protocol VideoCompositionInstructionProtocol: AnyObject, Sendable {
  /// The time range of the instruction, without its end.
  var timeRange: TimeRange { get }
  /// A hint: `true` if overlays and the like are drawn over the result.
  var enablePostProcessing: Bool { get }
  /// A hint: `true` if the same source frames may give different results at two times of the range.
  var containsTweening: Bool { get }
  /// The tracks whose frames are needed.
  ///
  /// `nil` for all tracks.
  var requiredSourceTrackIDs: [Int64]? { get }
  /// The track whose frames are shown unchanged, without a compositor.
  ///
  /// 0 for no track.
  var passthroughTrackID: Int64 { get }
  /// The tracks of timed metadata whose samples a custom compositor needs.
  ///
  /// Default: no tracks. The composition has to name them too (``VideoComposition/sourceSampleDataTrackIDs``).
  var requiredSourceSampleDataTrackIDs: [Int64] { get }
}

extension VideoCompositionInstructionProtocol {
  public var requiredSourceSampleDataTrackIDs: [Int64] { [] }
}

/// The built-in instruction: layers over a background.
///
/// A subclass may carry values for a custom compositor: requests return the instruction itself.
// Sendable: every stored property is constant and Sendable.
open class VideoCompositionInstruction: VideoCompositionInstructionProtocol, @unchecked Sendable {
  /// The values of an instruction; see the properties of the instruction.
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

  /// The values of the instruction.
  public var configuration: Configuration { storage.withLock { $0 } }

  public var timeRange: TimeRange { configuration.timeRange }
  /// The color of areas without a layer.
  ///
  /// Default: opaque black.
  public var backgroundColor: VideoColor { configuration.backgroundColor }
  /// The layers, the topmost first.
  public var layerInstructions: [VideoCompositionLayerInstruction] {
    configuration.layerInstructions
  }
  public var enablePostProcessing: Bool { configuration.enablePostProcessing }
  /// The tracks of the layers, and further tracks that were set.
  open var requiredSourceTrackIDs: [Int64]? {
    let configuration = configuration
    var identifiers: [Int64] = []
    for id in configuration.layerInstructions.map(\.trackID)
      + (configuration.requiredSourceTrackIDs ?? [])
    where !identifiers.contains(id) { identifiers.append(id) }
    return identifiers
  }
  /// 0: the compositor itself detects frames that can be shown unchanged.
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
// Sendable: adds no state to its superclass.
open class MutableVideoCompositionInstruction: VideoCompositionInstruction, @unchecked Sendable {
  /// No layers over opaque black, with an invalid time range.
  public init() { super.init(configuration: Configuration()) }

  public override init(configuration: Configuration) {
    super.init(configuration: configuration)
  }

  /// Creates an instruction for a range, with the topmost layer first.
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
