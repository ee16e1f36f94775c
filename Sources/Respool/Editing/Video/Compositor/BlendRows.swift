/// The weight of a layer, from 0 (transparent) to 32,767 (opaque).
typealias LayerWeight = Int16

extension LayerWeight {
  static let opaque: LayerWeight = 32767

  /// Creates the weight of an opacity from 0 to 1.
  init(opacity: Double) {
    self = LayerWeight(Swift.min(Swift.max((opacity * 32768).rounded(), 0), 32767))
  }

  /// Returns the product of two weights as fractions of `opaque`.
  func scaled(by other: LayerWeight) -> LayerWeight {
    if self == .opaque { return other }
    if other == .opaque { return self }
    return LayerWeight(truncatingIfNeeded: (Int32(self) &* Int32(other) &+ 16384) &>> 15)
  }
}

/// Blends rows of components of a layer over those of a base: b + (l - b) * w, rounded to the nearest.
///
/// The difference is shifted left to 16 bits and multiplied by the weight, and the high half of the product is kept.
/// That is one instruction for eight components on any x86-64. The error before rounding is less than 1/16 of a code
/// value. The weight `opaque` gives exactly the layer, 0 exactly the base.
enum BlendRows {
  /// Blends with one weight for all components; `target` may be `base`.
  static func mix(
    depth: Int, base: UnsafeRawPointer, layer: UnsafeRawPointer, weight: LayerWeight,
    into target: UnsafeMutableRawPointer, count: Int
  ) {
    if depth == 8 {
      mixUniform(
        base.assumingMemoryBound(to: UInt8.self), layer.assumingMemoryBound(to: UInt8.self), weight,
        target.assumingMemoryBound(to: UInt8.self), count, 7)
    } else {
      mixUniform(
        base.assumingMemoryBound(to: UInt16.self), layer.assumingMemoryBound(to: UInt16.self),
        weight, target.assumingMemoryBound(to: UInt16.self), count, 5)
    }
  }

  /// Blends with a weight for each component, over the content of `target`.
  static func mix(
    depth: Int, layer: UnsafeRawPointer, weights: UnsafePointer<LayerWeight>,
    into target: UnsafeMutableRawPointer, count: Int
  ) {
    if depth == 8 {
      mixWeighted(
        layer.assumingMemoryBound(to: UInt8.self), weights,
        target.assumingMemoryBound(to: UInt8.self), count, 7)
    } else {
      mixWeighted(
        layer.assumingMemoryBound(to: UInt16.self), weights,
        target.assumingMemoryBound(to: UInt16.self), count, 5)
    }
  }

  /// Multiplies weights by one weight.
  static func scale(
    _ weights: UnsafePointer<LayerWeight>, by weight: LayerWeight,
    into target: UnsafeMutablePointer<LayerWeight>, count: Int
  ) {
    for x in 0..<count { target[x] = weights[x].scaled(by: weight) }
  }

  // These functions are inlined, so that the shifts are constants and the compiler vectorizes the loops.

  @inline(__always)
  private static func mixUniform<T: FixedWidthInteger & UnsignedInteger>(
    _ base: UnsafePointer<T>, _ layer: UnsafePointer<T>, _ weight: LayerWeight,
    _ target: UnsafeMutablePointer<T>, _ count: Int, _ shift: Int16
  ) {
    for x in 0..<count { target[x] = mixed(base[x], layer[x], weight, shift) }
  }

  @inline(__always)
  private static func mixWeighted<T: FixedWidthInteger & UnsignedInteger>(
    _ layer: UnsafePointer<T>, _ weights: UnsafePointer<LayerWeight>,
    _ target: UnsafeMutablePointer<T>, _ count: Int, _ shift: Int16
  ) {
    for x in 0..<count { target[x] = mixed(target[x], layer[x], weights[x], shift) }
  }

  @inline(__always)
  private static func mixed<T: FixedWidthInteger & UnsignedInteger>(
    _ base: T, _ layer: T, _ weight: LayerWeight, _ shift: Int16
  ) -> T {
    let from = Int16(truncatingIfNeeded: base)
    let difference = (Int16(truncatingIfNeeded: layer) &- from) &<< shift
    let product = Int16(truncatingIfNeeded: (Int32(difference) &* Int32(weight)) &>> 16)
    let bits = shift &- 1
    let change = (product &+ (1 &<< (bits &- 1))) &>> bits
    return T(truncatingIfNeeded: from &+ change)
  }
}
