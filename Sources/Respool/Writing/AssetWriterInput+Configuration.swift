public import RespoolMedia

extension AssetWriterInput {
  /// Where the samples of a track lie in the file.
  public enum MediaDataLocation: Sendable {
    /// Among those of the other tracks, by time.
    case interleavedWithMainMediaData
    /// In one piece before those of all other tracks, which wait for it: for small tracks.
    case beforeMainMediaDataNotInterleaved
  }

  struct Configuration {
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
    var associations: [Association] = []
  }

  /// How the track's pictures are turned to be shown: its display matrix.
  public var transform: DisplayMatrix {
    get { configured(\.transform) }
    set { configure(\.transform, newValue) }
  }

  /// ISO 639-2; nil: the source's, where samples pass through.
  public var languageCode: String? {
    get { configured(\.languageCode) }
    set { configure(\.languageCode, newValue) }
  }

  /// BCP 47, such as `de-CH`; goes before `languageCode` where both are set.
  public var extendedLanguageTag: String? {
    get { configured(\.extendedLanguageTag) }
    set { configure(\.extendedLanguageTag, newValue) }
  }

  /// Tags of the track; what of them is kept is up to the container.
  ///
  /// QuickTime movies keep items of QuickTime metadata as they are and the usual texts; MP4 keeps title,
  /// artist, album, genre, description, copyright, make and model; Matroska keeps all texts.
  public var metadata: [MetadataItem] {
    get { configured(\.metadata) }
    set { configure(\.metadata, newValue) }
  }

  /// The size at which pictures are to be shown; zero, the default: as they are.
  ///
  /// MP4 and QuickTime say it in the track's header; it changes no picture.
  public var naturalSize: (width: Double, height: Double) {
    get { configured(\.naturalSize) }
    set { configure(\.naturalSize, newValue) }
  }

  /// Units of the track's times in a second; 0, the default: chosen to suit the samples.
  ///
  /// Pictures only: those of sound are its samples, and a value is not taken.
  public var mediaTimeScale: Int32 {
    get { configured(\.mediaTimeScale) }
    set { if mediaType != .audio, newValue >= 0 { configure(\.mediaTimeScale, newValue) } }
  }

  /// How loud sound is played; 1, the default: as it is.
  public var preferredVolume: Double {
    get { configured(\.preferredVolume) }
    set { if newValue.isFinite { configure(\.preferredVolume, min(max(0, newValue), 127)) } }
  }

  /// Whether players present the track unless told otherwise; true is the default.
  ///
  /// Of an input group only the default input's track is.
  public var marksOutputTrackAsEnabled: Bool {
    get { configured(\.isEnabled) }
    set { configure(\.isEnabled, newValue) }
  }

  public var mediaDataLocation: MediaDataLocation {
    get { configured(\.location) }
    set { configure(\.location, newValue) }
  }

  /// Whether the samples come from a live source: it is not asked to wait for other inputs.
  ///
  /// An encoder with the option `low-delay` gets it, unless the settings have that option: it holds back
  /// no pictures to look ahead or to reorder, so that what was appended is soon in the file. That costs
  /// some compression. False is the default.
  public var expectsMediaDataInRealTime: Bool {
    get { configured(\.isRealTime) }
    set { configure(\.isRealTime, newValue) }
  }

  /// How much of the track lies in one piece; invalid, the default: half a second.
  public var preferredMediaChunkDuration: MediaTime {
    get { configured(\.chunkDuration) }
    set { configure(\.chunkDuration, newValue) }
  }

  /// Bytes at a multiple of which in the file each piece of the track begins; 0, the default: as it comes.
  ///
  /// MP4 and QuickTime, not in fragments: what lies between pieces is filled up with zeros; 1 fills nothing. No more
  /// than 16 MiB: values beyond and below 0 have no effect, and writing fails where what the inputs ask for
  /// has no common multiple as small as that. Other containers take no notice.
  public var preferredMediaChunkAlignment: Int {
    get { configured(\.chunkAlignment) }
    set { if (0...16 << 20).contains(newValue) { configure(\.chunkAlignment, newValue) } }
  }
}
