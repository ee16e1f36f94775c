import RespoolMedia

extension Preset.Audio {
  /// Returns the share of the bit rate that `layout` gets, rounded to a multiple of 8,000; `nil` without a bit
  /// rate.
  ///
  /// The bit rate is meant for as many channels as the preset states, and for stereo if it states none. Each
  /// channel has the same part of it. Low-frequency channels do not count, and mono counts as 1.2 channels
  /// because it has no other channel to share with.
  func bitRate(for layout: ChannelLayout) -> Int64? {
    guard let bitRate else { return nil }
    let (wanted, reference) = (Self.tenths(of: layout), Self.tenths(of: .standard(channels ?? 2)))
    guard wanted != reference else { return bitRate }
    let (product, overflow) = bitRate.multipliedReportingOverflow(by: wanted)
    guard !overflow else { return bitRate }
    let rate = product / reference
    return rate < 16_000 ? rate : (rate + 4_000) / 8_000 * 8_000
  }

  /// Returns the bit rate for `layout` that the codec allows, and records it; `nil` without a bit rate.
  func recordBitRate(
    for layout: ChannelLayout, sampleRate: Int, _ recorder: DecisionRecorder
  ) -> Int64? {
    guard let bitRate, var rate = self.bitRate(for: layout) else { return nil }
    let reference = channels.map { "\(ChannelLayout.standard($0))" } ?? "stereo"
    var reason =
      rate == bitRate
      ? "from the preset"
      : "the preset's \(bitRate) is for \(reference), scaled to \(layout)"
    if let limit = greatestBitRate(channels: layout.channelCount, sampleRate: sampleRate),
      rate > limit
    {
      rate = limit
      reason += "; \(codec) allows no more at \(sampleRate) Hz"
    }
    recorder.record("bitRate", "\(rate)", reason)
    return rate
  }

  /// Returns the part of a stereo bit rate that a layout needs, in tenths.
  private static func tenths(of layout: ChannelLayout) -> Int64 {
    let low: UInt64 = 0x8 | 0x8_0000_0000  // LFE and the second one of WAVE_FORMAT_EXTENSIBLE.
    let resolved = layout.resolved
    let full = max(1, resolved.channelCount - (resolved.mask & low).nonzeroBitCount)
    return full == 1 ? 6 : Int64(full) * 5
  }

  /// Returns the maximum bit rate of the codec, in bits per second; `nil` if unknown.
  private func greatestBitRate(channels: Int, sampleRate: Int) -> Int64? {
    switch codec {
    // ISO/IEC 14496-3 4.5.3.3: 6,144 bits for each channel in a block of 1,024 samples.
    case "aac": Int64(clamping: 6 * sampleRate) * Int64(clamping: channels)
    // RFC 6716 2.1.1: 510 kbit/s for one stream of one or two channels.
    case "opus": 255_000 * Int64(clamping: max(channels, 2))
    default: nil
    }
  }
}
