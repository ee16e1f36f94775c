public import RespoolMedia
import Synchronization

/// How one track is shown during an instruction: its opacity, its place, and what is cut off it.
///
/// Each is set at times or changes linearly over ramps. Before the first the opacity is 1, the
/// transform the identity and nothing is cut off; after a ramp its end value holds.
// Sendable: all state lies behind the mutex.
public class VideoCompositionLayerInstruction: @unchecked Sendable {
  /// Everything that can be set.
  struct State: Hashable, Sendable {
    var trackID: Int32
    var opacity = LayerTimeline<Double>(initial: 1)
    var transform = LayerTimeline<Transform>(initial: .identity)
    var crop = LayerTimeline<CropValue>(initial: .none)
  }

  fileprivate let storage: Mutex<State>

  fileprivate init(_ state: State) { storage = Mutex(state) }

  /// A copy that does not change with `other`.
  public convenience init(_ other: VideoCompositionLayerInstruction) { self.init(other.state) }

  var state: State { storage.withLock { $0 } }

  /// The track whose pictures are shown.
  public var trackID: Int32 { state.trackID }

  /// The opacity ramp that holds `time`, or the next one; nil after the last.
  public func getOpacityRamp(for time: MediaTime) -> LayerRamp<Double>? {
    state.opacity.ramp(for: time)
  }

  /// The transform ramp that holds `time`, or the next one; nil after the last.
  public func getTransformRamp(for time: MediaTime) -> LayerRamp<Transform>? {
    state.transform.ramp(for: time)
  }

  /// The crop ramp that holds `time`, or the next one; nil after the last.
  public func getCropRectangleRamp(for time: MediaTime) -> LayerRamp<Rectangle>? {
    guard let ramp = state.crop.ramp(for: time) else { return nil }
    guard case .rectangle(let from) = ramp.start, case .rectangle(let to) = ramp.end else {
      return nil
    }
    return LayerRamp(from: from, to: to, timeRange: ramp.timeRange)
  }
}

/// A layer instruction that can be changed.
///
/// What is set while pictures are rendered takes part from the next picture on.
public final class MutableVideoCompositionLayerInstruction: VideoCompositionLayerInstruction,
  @unchecked Sendable
{
  /// Shows `trackID` as it is.
  public init(trackID: Int32) { super.init(State(trackID: trackID)) }

  /// Shows a track of a file as it is; nothing but its number is kept.
  public convenience init(assetTrack: AssetTrack) {
    self.init(trackID: Int32(clamping: assetTrack.trackID))
  }

  /// A copy that can be changed.
  public init(_ other: VideoCompositionLayerInstruction) { super.init(other.state) }

  public override var trackID: Int32 {
    get { state.trackID }
    set { storage.withLock { $0.trackID = newValue } }
  }

  /// Holds an opacity, 0 to 1, from `time` on.
  ///
  /// Throws `invalidArgument` where a number is not finite, or `time` lies within a ramp.
  public func setOpacity(_ opacity: Double, at time: MediaTime) throws(MediaError) {
    try setOpacityRamp(from: opacity, to: opacity, timeRange: Self.moment(time))
  }

  /// Changes the opacity over a range of time; throws as `setOpacity`, and where ramps overlap.
  public func setOpacityRamp(from start: Double, to end: Double, timeRange: TimeRange)
    throws(MediaError)
  {
    let ramp = LayerRamp(from: Self.clamped(start), to: Self.clamped(end), timeRange: timeRange)
    try storage.withLock { (state) throws(MediaError) in try state.opacity.insert(ramp) }
  }

  /// Holds a transform from `time` on, which takes the track's picture (natural size, origin at the
  /// top left) into the picture that is rendered.
  ///
  /// Throws `invalidArgument` where a number is not finite, or `time` lies within a ramp.
  public func setTransform(_ transform: Transform, at time: MediaTime) throws(MediaError) {
    try setTransformRamp(from: transform, to: transform, timeRange: Self.moment(time))
  }

  /// Changes the transform entry by entry over a range of time; throws as `setTransform`, and where
  /// ramps overlap.
  public func setTransformRamp(from start: Transform, to end: Transform, timeRange: TimeRange)
    throws(MediaError)
  {
    let ramp = LayerRamp(from: start, to: end, timeRange: timeRange)
    try storage.withLock { (state) throws(MediaError) in try state.transform.insert(ramp) }
  }

  /// Shows no more than a rectangle of the track's picture from `time` on, in its natural size.
  ///
  /// Throws `invalidArgument` where a number is not finite or a side negative, or `time` lies
  /// within a ramp.
  public func setCropRectangle(_ rectangle: Rectangle, at time: MediaTime) throws(MediaError) {
    try setCropRectangleRamp(from: rectangle, to: rectangle, timeRange: Self.moment(time))
  }

  /// Changes the rectangle over a range of time; throws as `setCropRectangle`, and where ramps
  /// overlap.
  public func setCropRectangleRamp(
    from start: Rectangle, to end: Rectangle, timeRange: TimeRange
  ) throws(MediaError) {
    let ramp = LayerRamp(
      from: CropValue.rectangle(start), to: .rectangle(end), timeRange: timeRange)
    try storage.withLock { (state) throws(MediaError) in try state.crop.insert(ramp) }
  }

  private static func moment(_ time: MediaTime) -> TimeRange {
    TimeRange(start: time, duration: .zero)
  }

  /// NaN stays what it is, so that it is refused.
  private static func clamped(_ opacity: Double) -> Double {
    opacity.isNaN ? opacity : min(max(opacity, 0), 1)
  }
}

/// A crop rectangle, or none: the whole picture, whatever its size.
enum CropValue: LayerValue {
  case none
  case rectangle(Rectangle)

  static func interpolate(_ from: CropValue, _ to: CropValue, _ part: Double) -> CropValue {
    guard case .rectangle(let a) = from, case .rectangle(let b) = to else { return to }
    return .rectangle(.interpolate(a, b, part))
  }

  var isUsable: Bool {
    switch self {
    case .none: true
    case .rectangle(let rectangle): rectangle.isUsable
    }
  }
}
