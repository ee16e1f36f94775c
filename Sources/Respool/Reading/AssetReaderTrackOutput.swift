public import RespoolMedia

/// What a reader gives of one track: the stored samples, or what they decode to.
public final class AssetReaderTrackOutput {
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

  weak var reader: AssetReader?
  /// What has been read for it and not been decoded.
  var waiting = Backlog<Packet>()
  var ready = Backlog<SampleBuffer>()
  /// What lies behind the range that is read has been seen.
  var isPastEnd = false
  /// Nothing will become ready any more.
  var hasEnded = false

  public init(track: AssetTrack, settings: Settings?) {
    self.track = track
    self.settings = settings
  }

  /// The next sample; blocks until it is read.
  ///
  /// Nil at the end and on failure: the reader's status tells which.
  public func copyNextSampleBuffer() -> SampleBuffer? { reader?.next(for: self) }
}
