public import RespoolMedia

/// Settings for re-encoding one audio track.
public struct AudioConversion: Hashable, Sendable {
  /// Filters before the audio is resampled and mixed.
  ///
  /// `nil` if there are none.
  public var filters: TrackFilters?
  public var encoder: AvailablePlugins.Factory
  /// Codec of the output, as FFmpeg spells it.
  public var codec: String
  /// Audio samples per second of each channel.
  public var sampleRate: Int
  public var channelLayout: ChannelLayout
  public var sampleFormat: SampleFormat
  /// Bits per second of all channels.
  ///
  /// `nil`: not requested.
  public var bitRate: Int64?
  /// Quality on the encoder's own scale.
  ///
  /// `nil`: not requested.
  public var quality: Double?
  public var options: [PluginOption]
}
