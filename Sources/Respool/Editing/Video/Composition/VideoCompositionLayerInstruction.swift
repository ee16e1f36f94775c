public import RespoolMedia
import Synchronization

/// How one track is shown during an instruction: its opacity, its place, and what is cut off it.
///
/// Each is set at times or changes linearly over ramps. Before the first the opacity is 1, the
/// transform the identity and nothing is cut off; after a ramp its end value holds.
// Sendable: all state lies behind the mutex.
public class VideoCompositionLayerInstruction: @unchecked Sendable {
  /// What a layer instruction is made from.
  public struct Configuration: Hashable, Sendable {
    public var trackID: Int64
    var opacity = LayerTimeline<Double>(initial: 1)
    var transform = LayerTimeline<Transform>(initial: .identity)
    var crop = LayerTimeline<CropValue>(initial: .none)

    /// Shows `trackID` as it is.
    public init(trackID: Int64) { self.trackID = trackID }

    /// Shows a track as it is; nothing but its number is kept.
    public init(assetTrack: AssetTrack) {
      self.init(trackID: assetTrack.trackID)
    }
  }

  fileprivate let storage: Mutex<Configuration>

  public init(configuration: Configuration) { storage = Mutex(configuration) }

  /// A copy that does not change with `other`.
  public convenience init(_ other: VideoCompositionLayerInstruction) {
    self.init(configuration: other.configuration)
  }

  /// What it is made from.
  public var configuration: Configuration { storage.withLock { $0 } }

  /// The track whose pictures are shown.
  public var trackID: Int64 { configuration.trackID }

  /// The opacity ramp that holds `time`, or the next one; nil after the last.
  public func getOpacityRamp(for time: MediaTime) -> LayerRamp<Double>? {
    configuration.opacity.ramp(for: time)
  }

  /// The transform ramp that holds `time`, or the next one; nil after the last.
  public func getTransformRamp(for time: MediaTime) -> LayerRamp<Transform>? {
    configuration.transform.ramp(for: time)
  }

  /// The crop ramp that holds `time`, or the next one; nil after the last.
  public func getCropRectangleRamp(for time: MediaTime) -> LayerRamp<Rectangle>? {
    guard let ramp = configuration.crop.ramp(for: time) else { return nil }
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
  public init(trackID: Int64) { super.init(configuration: Configuration(trackID: trackID)) }

  public override init(configuration: Configuration) {
    super.init(configuration: configuration)
  }

  /// Shows a track of a file as it is; nothing but its number is kept.
  public convenience init(assetTrack: AssetTrack) {
    self.init(trackID: assetTrack.trackID)
  }

  /// A copy that can be changed.
  public init(_ other: VideoCompositionLayerInstruction) {
    super.init(configuration: other.configuration)
  }

  public override var trackID: Int64 {
    get { configuration.trackID }
    set { storage.withLock { $0.trackID = newValue } }
  }

  /// Holds an opacity, 0 to 1, from `time` on.
  ///
  /// Throws `invalidArgument` where a number is not finite, or `time` lies within a ramp.
  public func setOpacity(_ opacity: Double, at time: MediaTime) throws(MediaError) {
    try storage.withLock { (value) throws(MediaError) in try value.setOpacity(opacity, at: time) }
  }

  /// Changes the opacity over a range of time; throws as `setOpacity`, and where ramps overlap.
  public func setOpacityRamp(
    fromStartOpacity start: Double, toEndOpacity end: Double, timeRange: TimeRange
  ) throws(MediaError) {
    let ramp = LayerRamp(from: start, to: end, timeRange: timeRange)
    try storage.withLock { (value) throws(MediaError) in try value.addOpacityRamp(ramp) }
  }

  /// Holds a transform from `time` on, which takes the track's picture (origin at the top left) into the
  /// picture that is rendered.
  ///
  /// The picture has the natural size of the clip that is shown: a track may have clips of several sizes.
  ///
  /// Throws `invalidArgument` where a number is not finite, or `time` lies within a ramp.
  public func setTransform(_ transform: Transform, at time: MediaTime) throws(MediaError) {
    try storage.withLock { (value) throws(MediaError) in
      try value.setTransform(transform, at: time)
    }
  }

  /// Changes the transform entry by entry over a range of time; throws as `setTransform`, and where
  /// ramps overlap.
  public func setTransformRamp(
    fromStart start: Transform, toEnd end: Transform, timeRange: TimeRange
  ) throws(MediaError) {
    let ramp = LayerRamp(from: start, to: end, timeRange: timeRange)
    try storage.withLock { (value) throws(MediaError) in try value.addTransformRamp(ramp) }
  }

  /// Shows no more than a rectangle of the track's picture from `time` on, in its natural size.
  ///
  /// Throws `invalidArgument` where a number is not finite or a side negative, or `time` lies
  /// within a ramp.
  public func setCropRectangle(_ rectangle: Rectangle, at time: MediaTime) throws(MediaError) {
    try storage.withLock { (value) throws(MediaError) in
      try value.setCropRectangle(rectangle, at: time)
    }
  }

  /// Changes the rectangle over a range of time; throws as `setCropRectangle`, and where ramps
  /// overlap.
  public func setCropRectangleRamp(
    fromStartCropRectangle start: Rectangle, toEndCropRectangle end: Rectangle,
    timeRange: TimeRange
  ) throws(MediaError) {
    let ramp = LayerRamp(from: start, to: end, timeRange: timeRange)
    try storage.withLock { (value) throws(MediaError) in try value.addCropRectangleRamp(ramp) }
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
