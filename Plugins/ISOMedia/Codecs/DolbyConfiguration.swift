import RespoolPlugin

/// The boxes `dac3` and `dec3`, which tell the head of an AC-3 or E-AC-3 stream again (ETSI TS 102 366
/// F.4 and F.6).
struct DolbyConfiguration {
  var isEnhanced: Bool
  /// 0: 48 kHz, 1: 44.1 kHz, 2: 32 kHz.
  var sampleRateCode: UInt32
  var streamID: UInt32
  var streamMode: UInt32
  /// Audio coding mode: which channels there are.
  var channelMode: UInt32
  var hasLowFrequency: Bool
  /// AC-3: half of `frmsizecod`.
  var bitRateCode: UInt32
  /// E-AC-3: kbit/s.
  var dataRate: UInt32

  static let bitRates = [
    32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
  ]

  /// Reads the head of a frame (4.3 and E.1.2); nil where it is none.
  init?(_ frame: UnsafeRawBufferPointer) {
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

  /// What the description of the track tells, where no frame can be read.
  init(_ track: TrackDescription) {
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

  /// The box.
  var box: [UInt8] {
    var writer = BoxWriter()
    let low: UInt32 = hasLowFrequency ? 1 : 0
    if isEnhanced {
      writer.box("dec3") {
        $0.u16(UInt16(min(dataRate, 8191) << 3))
        let word =
          sampleRateCode << 22 | streamID << 17 | streamMode << 12 | channelMode << 9 | low << 8
        $0.raw([UInt8(word >> 16 & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)])
      }
    } else {
      writer.box("dac3") {
        let word =
          sampleRateCode << 22 | streamID << 17 | streamMode << 14 | channelMode << 11
          | low << 10 | (bitRateCode & 31) << 5
        $0.raw([UInt8(word >> 16 & 0xFF), UInt8(word >> 8 & 0xFF), UInt8(word & 0xFF)])
      }
    }
    return writer.bytes
  }
}
