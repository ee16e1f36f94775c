public import RespoolMedia

/// Type in which an audio sample is stored.
///
/// Integers have silence at 0, `UInt8` at 128. Full scale of the floating-point types is -1 to 1.
public protocol LinearSample: BitwiseCopyable, Sendable {
  /// The interleaved sample format of this type.
  static var sampleFormat: SampleFormat { get }
  static var silence: Self { get }
}

extension UInt8: LinearSample {
  public static var sampleFormat: SampleFormat { .u8 }
  public static var silence: UInt8 { 128 }
}

extension Int16: LinearSample {
  public static var sampleFormat: SampleFormat { .s16 }
  public static var silence: Int16 { 0 }
}

extension Int32: LinearSample {
  public static var sampleFormat: SampleFormat { .s32 }
  public static var silence: Int32 { 0 }
}

extension Float: LinearSample {
  public static var sampleFormat: SampleFormat { .flt }
  public static var silence: Float { 0 }
}

extension Double: LinearSample {
  public static var sampleFormat: SampleFormat { .dbl }
  public static var silence: Double { 0 }
}
