import RespoolMedia

extension AssetWriter {
  struct Configuration {
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

  func configured<Value>(_ path: KeyPath<Configuration, Value>) -> Value {
    lock.locked { state.configuration[keyPath: path] }
  }

  func configure<Value>(_ path: WritableKeyPath<Configuration, Value>, _ value: Value) {
    lock.locked { if state.status == .unknown { state.configuration[keyPath: path] = value } }
  }

  /// Written as the file's tags, by the container's own keys, and artwork as covers.
  ///
  /// A container has its own way to say each key, and leaves out what it has none for: data that is no artwork,
  /// and covers where it has no place for them (`wav`, `webm`, segments). QuickTime movies keep items of the key
  /// space `mdta` as they are, with the values' types; other containers have their own for those that they know.
  public var metadata: [MetadataItem] {
    get { configured(\.metadata) }
    set { configure(\.metadata, newValue) }
  }

  /// Whether what a player needs first stands first in the file; false is the default.
  ///
  /// MP4 and QuickTime: the movie box goes before the media, which moves the media when writing ends.
  /// Other containers have it in front anyway.
  public var shouldOptimizeForNetworkUse: Bool {
    get { configured(\.isOptimizedForNetwork) }
    set { configure(\.isOptimizedForNetwork, newValue) }
  }

  /// How often the file is brought into a state that can be played; invalid, the default: at the end.
  ///
  /// MP4 and QuickTime: what is lost where the process dies is no more than this, and one sample of each
  /// track. Containers that can be played at any time take no notice.
  public var movieFragmentInterval: MediaTime {
    get { configured(\.fragmentInterval) }
    set { configure(\.fragmentInterval, newValue) }
  }

  /// When that is done first; invalid, the default: as `movieFragmentInterval` says.
  ///
  /// Where only this is set there are two fragments, the second to the end.
  public var initialMovieFragmentInterval: MediaTime {
    get { configured(\.firstFragmentInterval) }
    set { configure(\.firstFragmentInterval, newValue) }
  }

  /// The number of the first fragment; 1 unless set.
  ///
  /// MP4 and QuickTime: numbers have to grow over fragments of several writers that are joined. Values
  /// below 1 and above 4,294,967,295 have no effect.
  public var initialMovieFragmentSequenceNumber: Int {
    get { configured(\.firstFragmentNumber) }
    set {
      if (1...Int(UInt32.max)).contains(newValue) { configure(\.firstFragmentNumber, newValue) }
    }
  }

  /// About how long the file will last; invalid, the default: that is not told before the end.
  ///
  /// MP4 and QuickTime in fragments or segments: players see it before all fragments are there. Where
  /// writing ends in a file, what it lasts is told instead.
  public var overallDurationHint: MediaTime {
    get { configured(\.durationHint) }
    set { configure(\.durationHint, newValue) }
  }

  /// Units of the movie's own times in a second; 0, the default: chosen to suit the tracks.
  public var movieTimeScale: Int32 {
    get { configured(\.movieTimeScale) }
    set { if newValue >= 0 { configure(\.movieTimeScale, newValue) } }
  }

  /// Where files may lie while the output is written; nil, the default: nowhere.
  ///
  /// The folder has to exist when writing begins, else that fails. Nothing is left in it.
  public var directoryForTemporaryFiles: String? {
    get { configured(\.temporaryDirectory) }
    set { configure(\.temporaryDirectory, newValue) }
  }
}
