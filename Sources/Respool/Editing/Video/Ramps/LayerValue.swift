/// A property of a layer that can change over time: opacity, transform or crop rectangle.
public protocol LayerValue: Hashable, Sendable {
  /// Returns the value at the fraction `part` (0 to 1) between two values.
  static func interpolate(_ from: Self, _ to: Self, _ part: Double) -> Self
  /// `true` if the value can be used for drawing.
  var isUsable: Bool { get }
}

extension Double: LayerValue {
  public static func interpolate(_ from: Double, _ to: Double, _ part: Double) -> Double {
    // This form returns both end values exactly.
    from * (1 - part) + to * part
  }

  public var isUsable: Bool { isFinite }
}

extension Rectangle: LayerValue {
  public static func interpolate(_ from: Rectangle, _ to: Rectangle, _ part: Double) -> Rectangle {
    Rectangle(
      x: .interpolate(from.x, to.x, part), y: .interpolate(from.y, to.y, part),
      width: .interpolate(from.width, to.width, part),
      height: .interpolate(from.height, to.height, part))
  }

  /// `true` if every number is finite and the sides are not negative.
  public var isUsable: Bool {
    [x, y, width, height].allSatisfy(\.isFinite) && width >= 0 && height >= 0
  }
}

extension Transform: LayerValue {
  /// Interpolates entry by entry, as AVFoundation does.
  public static func interpolate(_ from: Transform, _ to: Transform, _ part: Double) -> Transform {
    func mix(_ from: Double, _ to: Double) -> Double { .interpolate(from, to, part) }
    return Transform(
      a: mix(from.a, to.a), b: mix(from.b, to.b), c: mix(from.c, to.c), d: mix(from.d, to.d),
      tx: mix(from.tx, to.tx), ty: mix(from.ty, to.ty))
  }

  /// `true` if every entry is a finite number.
  public var isUsable: Bool { [a, b, c, d, tx, ty].allSatisfy(\.isFinite) }
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
