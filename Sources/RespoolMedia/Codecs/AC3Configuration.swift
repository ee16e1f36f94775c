/// The header fields of an AC-3 or E-AC-3 frame that the boxes `dac3` and `dec3` store (ETSI TS 102 366 F.4 and F.6).
public struct AC3Configuration: Hashable, Sendable {
  public var isEnhanced: Bool
  /// `fscod`.
  ///
  /// 0: 48 kHz, 1: 44.1 kHz, 2: 32 kHz. 3: a lower rate of E-AC-3, taken as 24 kHz.
  public var sampleRateCode: UInt32
  /// `bsid`; values above 10 are E-AC-3.
  public var streamID: UInt32
  /// `bsmod`: the kind of service, such as a complete main service.
  public var streamMode: UInt32
  /// `acmod`, 0 to 7: the arrangement of the full-range channels.
  public var channelMode: UInt32
  /// `lfeon`: `true` if there is a channel for low-frequency effects.
  public var hasLowFrequency: Bool
  /// AC-3: half of `frmsizecod`.
  public var bitRateCode: UInt32
  /// E-AC-3: kbit/s.
  public var dataRate: UInt32
  /// Audio blocks in a frame, of 256 samples each.
  public var blockCount = 6

  static let bitRates = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]

  /// Reads the head of a frame (4.3 and E.1.2); `nil` if the bytes do not begin with a whole one.
  public init?(_ frame: UnsafeRawBufferPointer) {
    var bits = BitReader(frame.prefix(16))
    do throws(MediaError) {
      guard try bits.bits(16) == 0x0B77 else { return nil }
      var probe = bits
      try probe.skip(24)
      streamID = try probe.bits(5)
      isEnhanced = streamID > 10
      if isEnhanced {
        try bits.skip(5)
        let frameSize = (Int(try bits.bits(11)) + 1) * 2
        sampleRateCode = try bits.bits(2)
        let blockCode = try bits.bits(2)
        let blocks = sampleRateCode == 3 ? 6 : [1, 2, 3, 6][Int(blockCode)]
        blockCount = blocks
        channelMode = try bits.bits(3)
        hasLowFrequency = try bits.bit()
        streamMode = 0
        bitRateCode = 0
        let rate = [48000, 44100, 32000, 24000][Int(sampleRateCode)]
        dataRate = UInt32(frameSize * 8 * rate / (blocks * 256) / 1000)
      } else {
        try bits.skip(16)
        sampleRateCode = try bits.bits(2)
        bitRateCode = try bits.bits(6) >> 1
        try bits.skip(5)
        streamMode = try bits.bits(3)
        channelMode = try bits.bits(3)
        if channelMode & 1 != 0, channelMode != 1 { try bits.skip(2) }
        if channelMode & 4 != 0 { try bits.skip(2) }
        if channelMode == 2 { try bits.skip(2) }
        hasLowFrequency = try bits.bit()
        dataRate = 0
      }
    } catch { return nil }
  }

  /// Creates a configuration from the description of a track, for use if no frame can be read.
  public init(_ track: TrackDescription) {
    isEnhanced = track.codec == "eac3"
    sampleRateCode = track.sampleRate == 44100 ? 1 : track.sampleRate == 32000 ? 2 : 0
    streamID = isEnhanced ? 16 : 8
    streamMode = 0
    let layout = track.channelLayout.resolved
    hasLowFrequency = layout.mask & 8 != 0
    let modes: [Int: UInt32] = [1: 1, 2: 2, 3: 3, 4: 6, 5: 7]
    channelMode = modes[layout.channelCount - (hasLowFrequency ? 1 : 0)] ?? 2
    let kilobits = Int(clamping: (track.bitRate + 500) / 1000)
    bitRateCode = UInt32(Self.bitRates.firstIndex { $0 >= kilobits } ?? 18)
    dataRate = UInt32(clamping: min(kilobits, 8191))
  }

  public var channelLayout: ChannelLayout {
    Self.layout(mode: Int(channelMode), hasLowFrequency: hasLowFrequency)
  }

  /// Loudspeakers of an audio coding mode from 0 to 7 (4.4.2.3).
  public static func layout(mode: Int, hasLowFrequency: Bool) -> ChannelLayout {
    let masks: [UInt64] = [0x3, 0x4, 0x3, 0x7, 0x103, 0x107, 0x603, 0x607]
    return ChannelLayout(mask: masks[mode & 7] | (hasLowFrequency ? 0x8 : 0))
  }

  /// Bits per second.
  ///
  /// 0 if unknown.
  public var bitRate: Int {
    if isEnhanced { return Int(dataRate) * 1000 }
    return Int(bitRateCode) < Self.bitRates.count ? Self.bitRates[Int(bitRateCode)] * 1000 : 0
  }

  /// Hertz.
  public var sampleRate: Int { [48000, 44100, 32000, 24000][Int(sampleRateCode & 3)] }
}
