package import RespoolMedia

/// Format of audio: the properties that a conversion can change.
package struct AudioFormat: Hashable, Sendable {
  package var sampleFormat: SampleFormat
  /// Audio samples of each channel per second.
  package var sampleRate: Int
  /// Channel layout; if it names no loudspeakers, the usual layout for its number of channels applies.
  package var channelLayout: ChannelLayout

  package init(sampleFormat: SampleFormat, sampleRate: Int, channelLayout: ChannelLayout) {
    self.sampleFormat = sampleFormat
    self.sampleRate = sampleRate
    self.channelLayout = channelLayout
  }

  /// Creates the format of `frame`.
  package init(_ frame: Frame) {
    self.init(
      sampleFormat: frame.sampleFormat, sampleRate: frame.sampleRate,
      channelLayout: frame.channelLayout)
  }
}

extension AudioFormat: CustomStringConvertible {
  package var description: String { "\(sampleFormat) \(sampleRate) Hz \(channelLayout)" }
}
