import CRespool

/// An audio sample format in native byte order, under FFmpeg's name.
///
/// Interleaved formats hold all channels in one plane, planar ones (`p`) one channel to a plane.
public struct SampleFormat: Hashable, Sendable, RawRepresentable {
  /// The number that stands for the format in the plugin ABI (`RSP_SAMPLE_...`).
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let none = SampleFormat(rawValue: UInt32(RSP_SAMPLE_NONE))
  public static let u8 = SampleFormat(rawValue: UInt32(RSP_SAMPLE_U8))
  public static let s16 = SampleFormat(rawValue: UInt32(RSP_SAMPLE_S16))
  /// Audio samples of fewer bits are stored in the highest bits.
  public static let s32 = SampleFormat(rawValue: UInt32(RSP_SAMPLE_S32))
  /// Full scale is -1 to 1.
  public static let flt = SampleFormat(rawValue: UInt32(RSP_SAMPLE_FLT))
  public static let dbl = SampleFormat(rawValue: UInt32(RSP_SAMPLE_DBL))
  public static let u8p = SampleFormat(rawValue: UInt32(RSP_SAMPLE_U8P))
  public static let s16p = SampleFormat(rawValue: UInt32(RSP_SAMPLE_S16P))
  public static let s32p = SampleFormat(rawValue: UInt32(RSP_SAMPLE_S32P))
  public static let fltp = SampleFormat(rawValue: UInt32(RSP_SAMPLE_FLTP))
  public static let dblp = SampleFormat(rawValue: UInt32(RSP_SAMPLE_DBLP))

  private static let names = [
    "none", "u8", "s16", "s32", "flt", "dbl", "u8p", "s16p", "s32p", "fltp", "dblp",
  ]

  /// FFmpeg's name, or `none`.
  public var name: String {
    rawValue < Self.names.count ? Self.names[Int(rawValue)] : "none"
  }

  /// Creates the format that FFmpeg calls `name`; `nil` for other names.
  public init?(name: String) {
    guard let index = Self.names.firstIndex(of: name), index > 0 else { return nil }
    self.init(rawValue: UInt32(index))
  }

  /// `true` if each channel has its own plane.
  public var isPlanar: Bool { rawValue >= SampleFormat.u8p.rawValue }

  /// The interleaved format with the same samples.
  public var interleaved: SampleFormat {
    isPlanar ? SampleFormat(rawValue: rawValue - 5) : self
  }

  /// The planar format with the same samples.
  public var planar: SampleFormat {
    isPlanar || rawValue == 0 ? self : SampleFormat(rawValue: rawValue + 5)
  }

  /// Number of bytes of one audio sample of one channel.
  ///
  /// 0 for `none` and unknown formats.
  public var bytesPerSample: Int {
    switch interleaved {
    case .u8: 1
    case .s16: 2
    case .s32, .flt: 4
    case .dbl: 8
    default: 0
    }
  }
}

extension SampleFormat: CustomStringConvertible {
  public var description: String { name }
}
