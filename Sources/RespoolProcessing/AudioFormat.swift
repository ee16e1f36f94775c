public import RespoolMedia

/// Format of audio: the properties that a conversion can change.
public struct AudioFormat: Hashable, Sendable {
  public var sampleFormat: SampleFormat
  /// Audio samples of each channel per second.
  public var sampleRate: Int
  /// Channel layout; if it names no loudspeakers, the usual layout for its number of channels applies.
  public var channelLayout: ChannelLayout

  public init(sampleFormat: SampleFormat, sampleRate: Int, channelLayout: ChannelLayout) {
    self.sampleFormat = sampleFormat
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
  }

  /// Creates the format of `frame`.
  public init(_ frame: Frame) {
    self.init(
      sampleFormat: frame.sampleFormat, sampleRate: frame.sampleRate,
      channelLayout: frame.channelLayout)
  }
}

extension AudioFormat: CustomStringConvertible {
  public var description: String { "\(sampleFormat) \(sampleRate) Hz \(channelLayout)" }
}
