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
  var requiredSourceTrackIDs: [Int32]? { get }
  /// The track whose picture is shown as it is, without a compositor; 0 for none.
  var passthroughTrackID: Int32 { get }
}

/// The built-in instruction: layers over a background.
// Sendable: all state lies behind the mutex.
public class VideoCompositionInstruction: VideoCompositionInstructionProtocol, @unchecked Sendable {
  struct State: Sendable {
    var timeRange = TimeRange.invalid
    var backgroundColor = VideoColor.black
    var layerInstructions: [VideoCompositionLayerInstruction] = []
    var enablePostProcessing = true
    var requiredSourceTrackIDs: [Int32]?
  }

  fileprivate let storage: Mutex<State>

  fileprivate init(_ state: State) { storage = Mutex(state) }

  var state: State { storage.withLock { $0 } }

  public var timeRange: TimeRange { state.timeRange }
  /// What is seen where no layer is; opaque black unless set.
  public var backgroundColor: VideoColor { state.backgroundColor }
  /// The layers, the topmost first.
  public var layerInstructions: [VideoCompositionLayerInstruction] { state.layerInstructions }
  public var enablePostProcessing: Bool { state.enablePostProcessing }
  /// The tracks of the layers, and those that were asked for besides.
  public var requiredSourceTrackIDs: [Int32]? {
    let state = state
    var identifiers: [Int32] = []
    for id in state.layerInstructions.map(\.trackID) + (state.requiredSourceTrackIDs ?? [])
    where !identifiers.contains(id) { identifiers.append(id) }
    return identifiers
  }
  /// 0: the compositor itself sees where a picture can be shown as it is.
  public var passthroughTrackID: Int32 { 0 }
  public var containsTweening: Bool {
    state.layerInstructions.contains {
      let layer = $0.state
      return layer.opacity.isSet || layer.transform.isSet || layer.crop.isSet
    }
  }
}

/// An instruction that can be changed, before rendering begins.
public final class MutableVideoCompositionInstruction: VideoCompositionInstruction,
  @unchecked Sendable
{
  /// No layers over opaque black, with an invalid time range.
  public init() { super.init(State()) }

  /// An instruction for a range, with the topmost layer first.
  public init(timeRange: TimeRange, layerInstructions: [VideoCompositionLayerInstruction] = []) {
    super.init(State(timeRange: timeRange, layerInstructions: layerInstructions))
  }

  public override var timeRange: TimeRange {
    get { state.timeRange }
    set { storage.withLock { $0.timeRange = newValue } }
  }
  public override var backgroundColor: VideoColor {
    get { state.backgroundColor }
    set { storage.withLock { $0.backgroundColor = newValue } }
  }
  public override var layerInstructions: [VideoCompositionLayerInstruction] {
    get { state.layerInstructions }
    set { storage.withLock { $0.layerInstructions = newValue } }
  }
  public override var enablePostProcessing: Bool {
    get { state.enablePostProcessing }
    set { storage.withLock { $0.enablePostProcessing = newValue } }
  }
  public override var requiredSourceTrackIDs: [Int32]? {
    get { super.requiredSourceTrackIDs }
    set { storage.withLock { $0.requiredSourceTrackIDs = newValue } }
  }
}
