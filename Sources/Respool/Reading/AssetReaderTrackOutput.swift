public import RespoolMedia

/// What a reader gives of one track: the stored samples, or what they decode to.
public final class AssetReaderTrackOutput: AssetReaderOutput, @unchecked Sendable {
  /// How decoded samples shall look; nil parts are as the track has them.
  public enum Settings: Hashable, Sendable {
    /// Pictures in a pixel format and size.
    case video(pixelFormat: PixelFormat? = nil, width: Int? = nil, height: Int? = nil)
    /// Sound in a sample format, rate and layout.
    case audio(
      sampleFormat: SampleFormat? = nil, sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil
    )
  }

  public let track: AssetTrack
  /// Nil: stored samples in decoding order.
  ///
  /// Otherwise decoded ones, in the order they are shown.
  public let settings: Settings?
  /// How sound is played slower or faster where a composition asks for it.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
    get { lock.locked { pitch } }
    set { lock.locked { pitch = newValue } }
  }
  private var pitch = AudioTimePitchAlgorithm.spectral
  /// Set where stored samples go on to a sink that copies from this file, which is the track's: they stay
  /// ranges of it and are never in memory.
  var rangesOf: FileSource?
  /// Set where what comes before the range is hidden, so that stored sound can begin early enough to be decoded
  /// exactly.
  var leadsSound = false

  public init(track: AssetTrack, settings: Settings?) {
    self.track = track
    self.settings = settings
    super.init(mediaType: track.mediaType)
  }

  override var tracks: [AssetTrack] { [track] }

  override func open(_ ranges: [TimeRange], threads: Int) throws(MediaError) -> any SampleSource {
    try TrackStream(
      track, ranges: ranges, settings: settings, threads: threads,
      copies: alwaysCopiesSampleData, pitch: audioTimePitchAlgorithm, rangesOf: rangesOf,
      leadsSound: leadsSound)
  }
}
