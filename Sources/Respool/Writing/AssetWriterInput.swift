public import RespoolMedia

/// One track of a file that is written.
public final class AssetWriterInput {
  /// What to encode to.
  public enum Settings: Sendable {
    case video(
      codec: String, width: Int, height: Int, encoder: String? = nil, bitRate: Int64? = nil,
      quality: Double? = nil, options: [MetadataEntry] = [])
    case audio(
      codec: String, sampleRate: Int, channelLayout: ChannelLayout, encoder: String? = nil,
      bitRate: Int64? = nil, options: [MetadataEntry] = [])
  }

  public let mediaType: MediaType
  /// Nil: samples are written as they come, and `sourceFormatHint` says what they are.
  public let settings: Settings?
  public let sourceFormatHint: FormatDescription?
  /// Written as the track's display matrix.
  public var transform = DisplayMatrix.identity
  public var languageCode: String?

  weak var writer: AssetWriter?
  var port: MuxPort?
  var stage: (any Stage<Frame>)?
  /// Of the frames that `stage` gets.
  var timeBase = Rational.unknown
  var isFinished = false
  var hasBegun = false

  public init(
    mediaType: MediaType, settings: Settings?, sourceFormatHint: FormatDescription? = nil
  ) {
    self.mediaType = mediaType
    self.settings = settings
    self.sourceFormatHint = sourceFormatHint
  }

  /// Whether the writer can take a sample without piling up what other inputs have not reached yet.
  public var isReadyForMoreMediaData: Bool { writer?.isReady(self) ?? false }

  /// Writes a sample; blocks while it is encoded.
  ///
  /// False where that fails: the writer's `error` tells why.
  @discardableResult public func append(_ sample: SampleBuffer) -> Bool {
    writer?.append(sample, to: self) ?? false
  }

  /// No more samples will come.
  ///
  /// Calling it again does nothing.
  public func markAsFinished() { writer?.finish(self) }
}
