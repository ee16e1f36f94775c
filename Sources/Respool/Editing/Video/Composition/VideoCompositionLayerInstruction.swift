public import RespoolMedia
import Synchronization

/// The opacity, transform and crop rectangle of one track during an instruction.
///
/// Each is set at times or changes linearly over ramps. Before the first value, the opacity is 1, the transform
/// is the identity and the frame is not cropped. After a ramp, its end value holds.
// Sendable: every stored property is constant and Sendable.
public class VideoCompositionLayerInstruction: @unchecked Sendable {
  /// The values of a layer instruction.
  public struct Configuration: Hashable, Sendable {
    public var trackID: Int64
    var opacity = LayerTimeline<Double>(initial: 1)
    var transform = LayerTimeline<Transform>(initial: .identity)
    var crop = LayerTimeline<CropValue>(initial: .none)

    /// Creates an instruction that shows `trackID` unchanged.
    public init(trackID: Int64) { self.trackID = trackID }

    /// Creates a configuration that shows a track unchanged; only its identifier is kept.
    public init(assetTrack: AssetTrack) {
      self.init(trackID: assetTrack.trackID)
    }
  }

  fileprivate let storage: Mutex<Configuration>

  public init(configuration: Configuration) { storage = Mutex(configuration) }

  /// Creates a copy that does not change when `other` does.
  public convenience init(_ other: VideoCompositionLayerInstruction) {
    self.init(configuration: other.configuration)
  }

  /// The values of the layer instruction.
  public var configuration: Configuration { storage.withLock { $0 } }

  /// The track whose frames are shown.
  public var trackID: Int64 { configuration.trackID }

  /// Returns the opacity ramp at `time`, or the next one.
  ///
  /// `nil` after the last.
  public func getOpacityRamp(for time: MediaTime) -> LayerRamp<Double>? {
    configuration.opacity.ramp(for: time)
  }

  /// Returns the transform ramp at `time`, or the next one.
  ///
  /// `nil` after the last.
  public func getTransformRamp(for time: MediaTime) -> LayerRamp<Transform>? {
    configuration.transform.ramp(for: time)
  }

  /// Returns the crop ramp at `time`, or the next one.
  ///
  /// `nil` after the last.
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
/// Changes during rendering take effect from the next frame on.
// Sendable: adds no state to its superclass.
public final class MutableVideoCompositionLayerInstruction: VideoCompositionLayerInstruction,
  @unchecked Sendable
{
  /// Creates an instruction that shows `trackID` unchanged.
  public init(trackID: Int64) { super.init(configuration: Configuration(trackID: trackID)) }

  public override init(configuration: Configuration) {
    super.init(configuration: configuration)
  }

  /// Creates an instruction that shows a track of a file unchanged; only its identifier is kept.
  public convenience init(assetTrack: AssetTrack) {
    self.init(trackID: assetTrack.trackID)
  }

  /// Creates a copy that can be changed.
  public init(_ other: VideoCompositionLayerInstruction) {
    super.init(configuration: other.configuration)
  }

  public override var trackID: Int64 {
    get { configuration.trackID }
    set { storage.withLock { $0.trackID = newValue } }
  }

  /// Sets the opacity, 0 to 1, from `time` on.
  ///
  /// Throws `invalidArgument` if a number is not finite, or if `time` lies within a ramp.
  public func setOpacity(_ opacity: Double, at time: MediaTime) throws(MediaError) {
    try storage.withLock { (value) throws(MediaError) in try value.setOpacity(opacity, at: time) }
  }

  /// Changes the opacity linearly over a time range; throws as `setOpacity`, and if ramps overlap.
  public func setOpacityRamp(
    fromStartOpacity start: Double, toEndOpacity end: Double, timeRange: TimeRange
  ) throws(MediaError) {
    let ramp = LayerRamp(from: start, to: end, timeRange: timeRange)
    try storage.withLock { (value) throws(MediaError) in try value.addOpacityRamp(ramp) }
  }

  /// Sets the transform from `time` on, which maps the track's frame (origin at the top left) to the rendered frame.
  ///
  /// The track's frame has the natural size of the clip that is shown: a track may have clips of several sizes.
  ///
  /// Throws `invalidArgument` if a number is not finite, or if `time` lies within a ramp.
  public func setTransform(_ transform: Transform, at time: MediaTime) throws(MediaError) {
    try storage.withLock { (value) throws(MediaError) in
      try value.setTransform(transform, at: time)
    }
  }

  /// Changes the transform entry by entry over a time range; throws as `setTransform`, and if ramps overlap.
  public func setTransformRamp(
    fromStart start: Transform, toEnd end: Transform, timeRange: TimeRange
  ) throws(MediaError) {
    let ramp = LayerRamp(from: start, to: end, timeRange: timeRange)
    try storage.withLock { (value) throws(MediaError) in try value.addTransformRamp(ramp) }
  }

  /// Crops the track's frame, in its natural size, to a rectangle from `time` on.
  ///
  /// Throws `invalidArgument` if a number is not finite, if a side is negative, or if `time` lies within a ramp.
  public func setCropRectangle(_ rectangle: Rectangle, at time: MediaTime) throws(MediaError) {
    try storage.withLock { (value) throws(MediaError) in
      try value.setCropRectangle(rectangle, at: time)
    }
  }

  /// Changes the crop rectangle over a time range; throws as `setCropRectangle`, and if ramps overlap.
  public func setCropRectangleRamp(
    fromStartCropRectangle start: Rectangle, toEndCropRectangle end: Rectangle,
    timeRange: TimeRange
  ) throws(MediaError) {
    let ramp = LayerRamp(from: start, to: end, timeRange: timeRange)
    try storage.withLock { (value) throws(MediaError) in try value.addCropRectangleRamp(ramp) }
  }
}

/// A crop rectangle, or `none` for the whole frame of any size.
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
