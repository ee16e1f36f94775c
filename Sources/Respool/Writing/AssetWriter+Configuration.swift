import RespoolMedia

extension AssetWriter {
  /// Inputs and properties of a writer, which can be changed until writing begins.
  struct Configuration: Sendable {
    var inputs: [AssetWriterInput] = []
    var groups: [AssetWriterInputGroup] = []
    var metadata: [MetadataItem] = []
    var isOptimizedForNetwork = false
    var fragmentInterval = MediaTime.invalid
    var movieTimeScale: Int32 = 0
    var temporaryDirectory: String?
    var firstFragmentInterval = MediaTime.invalid
    var firstFragmentNumber = 1
    var durationHint = MediaTime.invalid
    var isSegmented = false
    var profile: FileTypeProfile?
    var isCombinable = false
    var segmentInterval = MediaTime.invalid
    var segmentStart = MediaTime.invalid
    weak var delegate: (any AssetWriterDelegate)?

    var isInFragments: Bool {
      fragmentInterval.isNumeric || firstFragmentInterval.isNumeric
    }
  }

  /// Tags of the file, written with the container's own keys; artwork is written as covers.
  ///
  /// Each container has its own coding of each key. Items without one are left out: data that is not artwork, and
  /// covers in containers that have no place for them (`wav`, `webm`, segments). QuickTime movies keep items of
  /// the key space `mdta` unchanged, with the types of their values. Other containers convert the items that they
  /// know.
  public var metadata: [MetadataItem] {
    get { configuration.metadata }
    set { configuration.metadata = newValue }
  }

  /// `true` if the data that a player needs first comes first in the file.
  ///
  /// `false` by default. In MP4 and QuickTime the movie box goes before the media, which moves the media when
  /// writing ends. In other containers this data comes first anyway.
  public var shouldOptimizeForNetworkUse: Bool {
    get { configuration.isOptimizedForNetwork }
    set { configuration.isOptimizedForNetwork = newValue }
  }

  /// Interval at which the file is brought into a playable state.
  ///
  /// Invalid, the default: only at the end. Applies to MP4 and QuickTime. If the process dies, at most this
  /// duration and one sample of each track are lost. Containers that can be played at any time ignore it.
  public var movieFragmentInterval: MediaTime {
    get { configuration.fragmentInterval }
    set { configuration.fragmentInterval = newValue }
  }

  /// Duration of the first fragment.
  ///
  /// Invalid, the default: `movieFragmentInterval`. If only this is set, the file has two fragments, and the
  /// second lasts to the end.
  public var initialMovieFragmentInterval: MediaTime {
    get { configuration.firstFragmentInterval }
    set { configuration.firstFragmentInterval = newValue }
  }

  /// Sequence number of the first fragment.
  ///
  /// 1 to 4,294,967,295. 1 by default. Applies to MP4 and QuickTime. If fragments of several writers are joined,
  /// the numbers must increase over all of them. Values out of range have no effect.
  public var initialMovieFragmentSequenceNumber: Int {
    get { configuration.firstFragmentNumber }
    set {
      if (1...Int(UInt32.max)).contains(newValue) { configuration.firstFragmentNumber = newValue }
    }
  }

  /// Estimated duration of the file.
  ///
  /// Invalid, the default: no duration is stored before the end. Applies to MP4 and QuickTime in fragments or
  /// segments: players know the duration before all fragments arrive. When a file is complete, its actual
  /// duration replaces the estimate.
  public var overallDurationHint: MediaTime {
    get { configuration.durationHint }
    set { configuration.durationHint = newValue }
  }

  /// Units per second of the movie's own times; 0, the default: chosen to suit the tracks.
  public var movieTimeScale: Int32 {
    get { configuration.movieTimeScale }
    set { if newValue >= 0 { configuration.movieTimeScale = newValue } }
  }

  /// Folder for temporary files during writing.
  ///
  /// `nil`, the default: no temporary files. Writing fails to start if the folder does not exist. Nothing is left
  /// in it.
  public var directoryForTemporaryFiles: String? {
    get { configuration.temporaryDirectory }
    set { configuration.temporaryDirectory = newValue }
  }
}
