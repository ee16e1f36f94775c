/// A property of a layer that can change over time: opacity, transform or crop rectangle.
public protocol LayerValue: Hashable, Sendable {
  /// The value at `part` (0 to 1) of the way from one to the other.
  static func interpolate(_ from: Self, _ to: Self, _ part: Double) -> Self
  /// Whether the value can be drawn with.
  var isUsable: Bool { get }
}

extension Double: LayerValue {
  public static func interpolate(_ from: Double, _ to: Double, _ part: Double) -> Double {
    // In this form both ends come out exactly.
    from * (1 - part) + to * part
  }

  public var isUsable: Bool { isFinite }
}

/// A linear change of a layer's property over a range of time.
public struct LayerRamp<Value: LayerValue>: Hashable, Sendable {
  public var start: Value
  public var end: Value
  /// Empty for a value that is set at one time.
  public var timeRange: TimeRange

  public init(from start: Value, to end: Value, timeRange: TimeRange) {
    self.start = start
    self.end = end
    self.timeRange = timeRange
  }
}
