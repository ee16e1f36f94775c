public import RespoolMedia

// These methods throw `invalidArgument` if a number is not finite, a side is negative, a time is not numeric or
// lies within a ramp, or ramps overlap; see ``MutableVideoCompositionLayerInstruction``.
extension VideoCompositionLayerInstruction.Configuration {
  /// Sets the opacity, 0 to 1, from `time` on.
  public mutating func setOpacity(_ opacity: Double, at time: MediaTime) throws(MediaError) {
    try addOpacityRamp(LayerRamp(from: opacity, to: opacity, timeRange: Self.moment(time)))
  }

  /// Changes the opacity over a range of time.
  public mutating func addOpacityRamp(_ ramp: LayerRamp<Double>) throws(MediaError) {
    try opacity.insert(
      LayerRamp(
        from: Self.clamped(ramp.start), to: Self.clamped(ramp.end), timeRange: ramp.timeRange))
  }

  /// Sets the transform from `time` on.
  public mutating func setTransform(_ transform: Transform, at time: MediaTime) throws(MediaError) {
    try addTransformRamp(LayerRamp(from: transform, to: transform, timeRange: Self.moment(time)))
  }

  /// Changes the transform entry by entry over a range of time.
  public mutating func addTransformRamp(_ ramp: LayerRamp<Transform>) throws(MediaError) {
    try transform.insert(ramp)
  }

  /// Crops the track's frame, in its natural size, to a rectangle from `time` on.
  public mutating func setCropRectangle(_ rectangle: Rectangle, at time: MediaTime)
    throws(MediaError)
  {
    try addCropRectangleRamp(
      LayerRamp(from: rectangle, to: rectangle, timeRange: Self.moment(time)))
  }

  /// Changes the rectangle over a range of time.
  public mutating func addCropRectangleRamp(_ ramp: LayerRamp<Rectangle>) throws(MediaError) {
    try crop.insert(
      LayerRamp(
        from: .rectangle(ramp.start), to: .rectangle(ramp.end), timeRange: ramp.timeRange))
  }

  private static func moment(_ time: MediaTime) -> TimeRange {
    TimeRange(start: time, duration: .zero)
  }

  /// Clamps an opacity to 0...1; NaN stays, so that it is rejected later.
  private static func clamped(_ opacity: Double) -> Double {
    opacity.isNaN ? opacity : min(max(opacity, 0), 1)
  }
}
