package import RespoolMedia

// The conversions between sample formats match libswresample bit for bit. Integers are shifted. Floating
// point is scaled by a power of two, rounded to the nearest (halves to even) and clipped.

/// Audio samples of one channel, or of all channels of an interleaved block.
package struct SampleRun {
  package var base: UnsafeMutableRawPointer
  /// Distance from one audio sample to the next, in audio samples.
  package var step: Int

  package init(base: UnsafeMutableRawPointer, step: Int) {
    (self.base, self.step) = (base, step)
  }
}

/// Converts `count` audio samples; `from` and `to` may be planar or interleaved formats.
///
/// The runs must not overlap, and must have memory for `count` steps in their format.
package func convertSamples(
  _ source: SampleRun, _ from: SampleFormat, _ target: SampleRun, _ to: SampleFormat, count: Int
) {
  switch from.interleaved {
  case .u8: convert(from: UInt8.self, source, target, to, count)
  case .s16: convert(from: Int16.self, source, target, to, count)
  case .s32: convert(from: Int32.self, source, target, to, count)
  case .flt: convert(from: Float.self, source, target, to, count)
  case .dbl: convert(from: Double.self, source, target, to, count)
  default: break
  }
}

@inline(__always)
private func convert<From: AudioSample>(
  from: From.Type, _ source: SampleRun, _ target: SampleRun, _ to: SampleFormat, _ count: Int
) {
  switch to.interleaved {
  case .u8: each(source, target, count) { (sample: From) in sample.u8 }
  case .s16: each(source, target, count) { (sample: From) in sample.s16 }
  case .s32: each(source, target, count) { (sample: From) in sample.s32 }
  case .flt: each(source, target, count) { (sample: From) in sample.flt }
  case .dbl: each(source, target, count) { (sample: From) in sample.dbl }
  default: break
  }
}

@inline(__always)
private func each<From, To>(
  _ source: SampleRun, _ target: SampleRun, _ count: Int, _ change: (From) -> To
) {
  let from = source.base.assumingMemoryBound(to: From.self)
  let to = target.base.assumingMemoryBound(to: To.self)
  // Steps known at compile time let the compiler vectorize the loops.
  switch (source.step, target.step) {
  case (1, 1): for i in 0..<count { to[i] = change(from[i]) }
  case (1, 2): for i in 0..<count { to[i &* 2] = change(from[i]) }
  case (2, 1): for i in 0..<count { to[i] = change(from[i &* 2]) }
  default:
    for i in 0..<count { to[i &* target.step] = change(from[i &* source.step]) }
  }
}

private protocol AudioSample {
  var u8: UInt8 { get }
  var s16: Int16 { get }
  var s32: Int32 { get }
  var flt: Float { get }
  var dbl: Double { get }
}

extension UInt8: AudioSample {
  @inline(__always) private var centred: Int32 { Int32(self) &- 128 }
  @inline(__always) fileprivate var u8: UInt8 { self }
  @inline(__always) fileprivate var s16: Int16 { Int16(truncatingIfNeeded: centred &<< 8) }
  @inline(__always) fileprivate var s32: Int32 { centred &<< 24 }
  @inline(__always) fileprivate var flt: Float { Float(centred) * 0x1p-7 }
  @inline(__always) fileprivate var dbl: Double { Double(centred) * 0x1p-7 }
}

extension Int16: AudioSample {
  @inline(__always) fileprivate var u8: UInt8 {
    UInt8(truncatingIfNeeded: (self &>> 8) &+ 128)
  }
  @inline(__always) fileprivate var s16: Int16 { self }
  @inline(__always) fileprivate var s32: Int32 { Int32(self) &<< 16 }
  @inline(__always) fileprivate var flt: Float { Float(self) * 0x1p-15 }
  @inline(__always) fileprivate var dbl: Double { Double(self) * 0x1p-15 }
}

extension Int32: AudioSample {
  @inline(__always) fileprivate var u8: UInt8 {
    UInt8(truncatingIfNeeded: (self &>> 24) &+ 128)
  }
  @inline(__always) fileprivate var s16: Int16 { Int16(truncatingIfNeeded: self &>> 16) }
  @inline(__always) fileprivate var s32: Int32 { self }
  @inline(__always) fileprivate var flt: Float { Float(self) * 0x1p-31 }
  @inline(__always) fileprivate var dbl: Double { Double(self) * 0x1p-31 }
}

extension Float: AudioSample {
  @inline(__always) fileprivate var u8: UInt8 {
    UInt8(truncatingIfNeeded: nearest(self * 0x1p7, -128, 127) &+ 128)
  }
  @inline(__always) fileprivate var s16: Int16 {
    Int16(truncatingIfNeeded: nearest(self * 0x1p15, -32768, 32767))
  }
  @inline(__always) fileprivate var s32: Int32 { Double(self).s32 }
  @inline(__always) fileprivate var flt: Float { self }
  @inline(__always) fileprivate var dbl: Double { Double(self) }
}

extension Double: AudioSample {
  @inline(__always) fileprivate var u8: UInt8 {
    UInt8(truncatingIfNeeded: nearest(self * 0x1p7, -128, 127) &+ 128)
  }
  @inline(__always) fileprivate var s16: Int16 {
    Int16(truncatingIfNeeded: nearest(self * 0x1p15, -32768, 32767))
  }
  @inline(__always) fileprivate var s32: Int32 {
    nearest(self * 0x1p31, -2_147_483_648, 2_147_483_647)
  }
  @inline(__always) fileprivate var flt: Float { Float(self) }
  @inline(__always) fileprivate var dbl: Double { self }
}

/// Clips and rounds to the nearest, halves to even, by shifting the fraction out of the mantissa.
///
/// Unlike `rounded()` and `Int32.init`, this is vectorized on every processor and cannot trap. NaN becomes
/// `least`, as with the conversion instruction of x86.
@inline(__always)
private func nearest(_ value: Float, _ least: Float, _ most: Float) -> Int32 {
  let clipped = value >= least ? (value <= most ? value : most) : least
  return Int32(bitPattern: (clipped + 0x1.8p23).bitPattern &- Float(0x1.8p23).bitPattern)
}

@inline(__always)
private func nearest(_ value: Double, _ least: Double, _ most: Double) -> Int32 {
  let clipped = value >= least ? (value <= most ? value : most) : least
  return Int32(truncatingIfNeeded: (clipped + 0x1.8p52).bitPattern)
}
