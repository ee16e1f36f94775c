public import RespoolMedia

/// Settings for re-encoding one audio track.
public struct AudioConversion: Hashable, Sendable {
  /// Filters before the audio is resampled and mixed.
  ///
  /// `nil` if there are none.
  public var filters: TrackFilters?
  /// Integrated loudness that the output is to have.
  ///
  /// `nil`: that of the source.
  public var loudness: LoudnessTarget?
  /// Change of the level by which the output gets ``loudness``; `nil` before the source has been measured.
  package var level: AudioLevel?
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

/// A loudness to be reached.
public struct LoudnessTarget: Hashable, Sendable {
  /// Integrated loudness in LUFS (EBU R 128).
  public var loudness: Double
  /// Greatest true peak in dBTP, 0 or less.
  public var truePeak: Double

  public init(loudness: Double, truePeak: Double) {
    (self.loudness, self.truePeak) = (loudness, truePeak)
  }
}

/// A change of the level of audio.
package struct AudioLevel: Hashable, Sendable {
  /// Gain in decibels.
  package var gain: Double
  /// Greatest true peak in dBTP; `nil` if no peak is above it after the gain.
  package var ceiling: Double?

  package init(gain: Double, ceiling: Double? = nil) {
    (self.gain, self.ceiling) = (gain, ceiling)
  }
}
