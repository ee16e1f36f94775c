import RespoolPlugin

/// The header of a WavPack block (WavPack 4 and 5 file format).
struct WavPackHeader {
  /// Samples of each channel.
  let sampleCount: Int
  let sampleFormat: SampleFormat
  let bitsPerSample: Int
  /// Hertz.
  ///
  /// `nil` if the rate is not one of the usual ones.
  let sampleRate: Int?

  static let byteCount = 32
  private static let rates = [
    6000, 8000, 9600, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000,
    192_000,
  ]

  /// Returns `nil` if the bytes are no block.
  init?(_ bytes: some Collection<UInt8>) {
    let head = Array(bytes.prefix(Self.byteCount))
    guard head.count == Self.byteCount, head.starts(with: "wvpk".utf8) else { return nil }
    func number(at index: Int) -> UInt32 {
      head[index..<index + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
    sampleCount = Int(number(at: 20))
    let flags = number(at: 24)
    let byteCount = Int(flags & 3) + 1
    bitsPerSample = byteCount * 8 - Int(flags >> 13 & 31)
    sampleFormat =
      flags & 0x80 != 0 ? .fltp : byteCount == 1 ? .u8p : byteCount == 2 ? .s16p : .s32p
    let code = Int(flags >> 23 & 15)
    sampleRate = code < Self.rates.count ? Self.rates[code] : nil
  }
}
