public import RespoolMedia

extension AssetWriterInput {
  /// Placement of a track's samples in the file.
  public enum MediaDataLocation: Sendable {
    /// Interleaved with the samples of the other tracks, by time.
    case interleavedWithMainMediaData
    /// Contiguous, before the samples of all other tracks, which wait for it. For small tracks.
    case beforeMainMediaDataNotInterleaved
  }

  /// Properties of an input, which can be changed until writing begins.
  struct Configuration: Sendable {
    var transform = DisplayMatrix.identity
    var languageCode: String?
    var extendedLanguageTag: String?
    var metadata: [MetadataItem] = []
    var naturalSize: (width: Double, height: Double) = (0, 0)
    var mediaTimeScale: Int32 = 0
    var preferredVolume = 1.0
    var isEnabled = true
    var location = MediaDataLocation.interleavedWithMainMediaData
    var isRealTime = false
    var chunkDuration = MediaTime.invalid
    var chunkAlignment = 0
    var referenceBase: String?
    var wantsMultiplePasses = false
    /// `true` if one request of media data stays in effect for all passes.
    var keepsRequest = false
    var associations: [Association] = []
  }

  /// Display matrix of the track: the transform with which its frames are shown.
  public var transform: DisplayMatrix {
    get { configuration.transform }
    set { configuration.transform = newValue }
  }

  /// Language code of ISO 639-2; `nil`: the source's, if samples are passed through.
  public var languageCode: String? {
    get { configuration.languageCode }
    set { configuration.languageCode = newValue }
  }

  /// Language tag of BCP 47, such as `de-CH`; overrides `languageCode` if both are set.
  public var extendedLanguageTag: String? {
    get { configuration.extendedLanguageTag }
    set { configuration.extendedLanguageTag = newValue }
  }

  /// Tags of the track.
  ///
  /// The container decides which of them are kept. QuickTime movies keep QuickTime metadata items unchanged and
  /// the usual text tags. MP4 keeps title, artist, album, genre, description, copyright, make and model. Matroska
  /// keeps all text tags.
  public var metadata: [MetadataItem] {
    get { configuration.metadata }
    set { configuration.metadata = newValue }
  }

  /// Size at which frames are to be shown.
  ///
  /// Zero, the default: their own size. MP4 and QuickTime store it in the track header. It does not change the
  /// frames.
  public var naturalSize: (width: Double, height: Double) {
    get { configuration.naturalSize }
    set { configuration.naturalSize = newValue }
  }

  /// Units per second of the track's times.
  ///
  /// 0, the default: chosen to suit the samples. Has no effect on audio inputs, whose unit is one audio sample.
  public var mediaTimeScale: Int32 {
    get { configuration.mediaTimeScale }
    set { if mediaType != .audio, newValue >= 0 { configuration.mediaTimeScale = newValue } }
  }

  /// Playback volume of the track.
  ///
  /// 0 to 127. 1, the default: unchanged.
  public var preferredVolume: Double {
    get { configuration.preferredVolume }
    set { if newValue.isFinite { configuration.preferredVolume = min(max(0, newValue), 127) } }
  }

  /// `true` if players present the track by default.
  ///
  /// `true` by default. In an input group only the default input's track is enabled.
  public var marksOutputTrackAsEnabled: Bool {
    get { configuration.isEnabled }
    set { configuration.isEnabled = newValue }
  }

  public var mediaDataLocation: MediaDataLocation {
    get { configuration.location }
    set { configuration.location = newValue }
  }

  /// `true` if the samples come from a live source, which does not wait for other inputs.
  ///
  /// `false` by default. An encoder that can hold back few frames does so, unless the settings state otherwise.
  /// The encoder then holds back no frames for lookahead or reordering, so that appended samples reach the file
  /// soon. This costs some compression.
  public var expectsMediaDataInRealTime: Bool {
    get { configuration.isRealTime }
    set { configuration.isRealTime = newValue }
  }

  /// Duration of a chunk of the track in the file; invalid, the default: half a second.
  public var preferredMediaChunkDuration: MediaTime {
    get { configuration.chunkDuration }
    set { configuration.chunkDuration = newValue }
  }

  /// Alignment of the track's chunks in the file, in bytes.
  ///
  /// 0 to 16 MiB. 0, the default, and 1: no alignment. Applies to MP4 and QuickTime files without fragments. Gaps
  /// between chunks are filled with zeros. Values out of range have no effect. Writing fails if the alignments of
  /// all inputs have no common multiple of at most 16 MiB. Other containers ignore it.
  public var preferredMediaChunkAlignment: Int {
    get { configuration.chunkAlignment }
    set { if (0...16 << 20).contains(newValue) { configuration.chunkAlignment = newValue } }
  }

  /// Folder that paths of referenced media files are relative to.
  ///
  /// `nil`, the default: the movie stores absolute paths. Applies to samples of an
  /// ``AssetReaderSampleReferenceOutput``. They can be written to QuickTime movies without fragments. The movie
  /// does not contain their media, but refers to their files. The files must be in this folder or below it. A
  /// player resolves the paths relative to the folder of the movie. If this is the movie's own folder, the movie
  /// can be moved together with its media. A relative path starts at the working directory of the process.
  public var sampleReferenceBasePath: String? {
    get { configuration.referenceBase }
    set { configuration.referenceBase = newValue }
  }
}

extension AssetWriterInput {
  struct Association: Sendable {
    // Weak, because the other input may refer to this one.
    weak let input: AssetWriterInput?
    let type: TrackAssociationType
  }

  /// `true` if the association is valid between the media types of the two tracks.
  ///
  /// A container that cannot store the association leaves it out.
  public func canAddTrackAssociation(
    withTrackOf input: AssetWriterInput, type: TrackAssociationType
  ) -> Bool {
    input !== self && type.suits(mediaType, input.mediaType)
  }

  /// Adds a reference from this track to another; does nothing if `canAddTrackAssociation` is `false`.
  public func addTrackAssociation(
    withTrackOf input: AssetWriterInput, type: TrackAssociationType
  ) {
    guard canAddTrackAssociation(withTrackOf: input, type: type) else { return }
    configuration.associations.append(Association(input: input, type: type))
  }
}
