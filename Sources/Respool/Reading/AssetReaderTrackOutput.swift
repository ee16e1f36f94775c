public import RespoolMedia
import Synchronization

/// The stored or decoded samples of one track, as a reader's output.
// Sendable: every stored property is constant and Sendable.
public final class AssetReaderTrackOutput: AssetReaderOutput, @unchecked Sendable {
  /// Format of decoded samples; a value that is `nil` is taken from the track.
  public enum Settings: Hashable, Sendable {
    /// Frames in a pixel format and size.
    case video(pixelFormat: PixelFormat? = nil, width: Int? = nil, height: Int? = nil)
    /// Audio in a sample format, rate and layout.
    case audio(
      sampleFormat: SampleFormat? = nil, sampleRate: Int? = nil, channelLayout: ChannelLayout? = nil
    )
  }

  public let track: AssetTrack
  /// Format of decoded samples, which come in presentation order.
  ///
  /// `nil`: stored samples in decoding order.
  public let settings: Settings?
  /// Algorithm for audio that a composition plays slower or faster.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
    get { choices.withLock { $0.pitch } }
    set { choices.withLock { $0.pitch = newValue } }
  }
  /// The track's own file, if stored samples go to a sink that copies from it.
  ///
  /// The samples stay ranges of the file and are never in memory.
  var rangesOf: FileSource? {
    get { choices.withLock { $0.rangesOf } }
    set { choices.withLock { $0.rangesOf = newValue } }
  }
  /// `true` if the media before the range is hidden, so that stored audio can begin early enough to be
  /// decoded exactly.
  var leadsAudio: Bool {
    get { choices.withLock { $0.leadsAudio } }
    set { choices.withLock { $0.leadsAudio = newValue } }
  }
  private let choices = Mutex(
    (pitch: AudioTimePitchAlgorithm.spectral, rangesOf: FileSource?.none, leadsAudio: false))

  public init(track: AssetTrack, settings: Settings?) {
    self.track = track
    self.settings = settings
    super.init(mediaType: track.mediaType)
  }

  override var tracks: [AssetTrack] { [track] }

  override func open(_ ranges: [TimeRange], threads: Int) throws(MediaError)
    -> sending any SampleSource
  {
    try TrackStream(
      track, ranges: ranges, settings: settings, threads: threads,
      copies: alwaysCopiesSampleData, pitch: audioTimePitchAlgorithm, rangesOf: rangesOf,
      leadsAudio: leadsAudio)
  }
}
