public import RespoolMedia

/// Everything about sound but its samples: what a conversion goes from and to.
public struct SoundShape: Hashable, Sendable {
  public var sampleFormat: SampleFormat
  /// Samples of each channel in a second.
  public var sampleRate: Int
  /// Without loudspeakers it stands for what its number of channels usually means.
  public var channelLayout: ChannelLayout

  public init(sampleFormat: SampleFormat, sampleRate: Int, channelLayout: ChannelLayout) {
    self.sampleFormat = sampleFormat
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
  }

  /// The shape of `frame`.
  public init(_ frame: Frame) {
    self.init(
      sampleFormat: frame.sampleFormat, sampleRate: frame.sampleRate,
      channelLayout: frame.channelLayout)
  }
}

extension SoundShape: CustomStringConvertible {
  public var description: String { "\(sampleFormat) \(sampleRate) Hz \(channelLayout)" }
}
