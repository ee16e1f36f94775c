public import RespoolMedia

/// The complete settings that a preset gives for one source and the plugins that are present.
public struct ResolvedSettings: Hashable, Sendable {
  /// A decision about one setting, with its reason.
  public struct Decision: Hashable, Sendable {
    public var setting: Setting
    public var value: String
    public var reason: String
    /// `true` if something is lost or may look wrong.
    public var isWarning = false
    /// Sentence about the loss against the source, for `ExportReport.losses`.
    ///
    /// `nil` if nothing is lost.
    public var loss: String?
    /// Sentence about a change that is no loss, for `ExportReport.notes`.
    ///
    /// `nil` if nothing is worth a note.
    public var note: String?

    public init(setting: Setting, value: String, reason: String, isWarning: Bool = false) {
      self.setting = setting
      self.value = value
      self.reason = reason
      self.isWarning = isWarning
    }
  }

  /// The treatment of one track of the source.
  public struct Track: Hashable, Sendable {
    /// Treatment of a track: copied, re-encoded or dropped.
    public enum Action: Hashable, Sendable {
      /// Packets are copied.
      case passThrough
      case convertVideo(VideoConversion)
      case convertAudio(AudioConversion)
      /// The text of a subtitle track is re-encoded.
      case convertCaptions(codec: String)
      case drop(reason: String)
    }

    /// Index into the source's tracks.
    public var source: Int
    public var kind: TrackDescription.Kind
    public var action: Action

    public init(source: Int, kind: TrackDescription.Kind, action: Action) {
      self.source = source
      self.kind = kind
      self.action = action
    }

    /// `true` if the track is dropped and the output contains its content in another form.
    public var isReplaced = false
    /// Rule of the preset for copying the track; `nil` for tracks other than video and audio.
    package var passThrough: Preset.PassThrough?
    /// `true` if tags of the output state the loudness of the track.
    package var statesLoudness = false

    public var isDropped: Bool { if case .drop = action { true } else { false } }
  }

  /// Name of the preset.
  public var preset: String
  /// The preset with the settings for this source.
  package var applied: Preset
  public var muxer: AvailablePlugins.Factory
  /// Extension without the dot.
  public var fileExtension: String
  /// Options of the muxer.
  public var containerOptions: [PluginOption]
  /// `true` if playback can start before the file is loaded.
  ///
  /// `nil`: the container's options decide.
  public var isOptimizedForNetwork: Bool?
  /// Tracks of the source, in the order of the source.
  ///
  /// All of them, except for covers that other covers replace.
  public var tracks: [Track]
  public var keepsMetadata: Bool
  public var keepsChapters: Bool
  /// Decisions in the order in which they were made.
  public var decisions: [Decision]
  /// Reason why this preset makes no output from this source, such as an audio preset on a file without audio.
  ///
  /// `nil` if it makes one. Not a failure.
  public var skipReason: String?

  /// The muxer's name.
  public var container: String { muxer.description.name }

  /// Tracks of the output in its order: video, audio, other tracks, covers, each in the order of the source.
  public var outputTracks: [Track] {
    tracks.filter { !$0.isDropped }.enumerated().sorted {
      (position(of: $0.element), $0.offset) < (position(of: $1.element), $1.offset)
    }.map(\.element)
  }

  /// Position of a kind of track in the output.
  private enum Position: Int, Comparable {
    case video, audio, other, cover

    static func < (one: Position, other: Position) -> Bool { one.rawValue < other.rawValue }
  }

  private func position(of track: Track) -> Position {
    switch track.action {
    case .convertVideo: return .video
    case .convertAudio: return .audio
    case .passThrough, .convertCaptions, .drop: break
    }
    if coverIndexes.contains(track.source) { return .cover }
    switch track.kind {
    case .video: return .video
    case .audio: return .audio
    default: return .other
    }
  }

  /// Indexes of source tracks that are covers and are kept.
  public var coverIndexes: Set<Int> = []

  /// Settings without the source's covers, for an output that gets other covers.
  package var withoutCovers: ResolvedSettings {
    var settings = self
    settings.tracks.removeAll { coverIndexes.contains($0.source) }
    settings.coverIndexes = []
    return settings
  }

  /// `true` if no track has to be decoded, also if all tracks are dropped.
  public var isPassThroughOnly: Bool {
    tracks.allSatisfy {
      switch $0.action {
      case .passThrough, .drop: true
      default: false
      }
    }
  }

  /// Reasons why tracks are re-encoded.
  package var encodingReasons: [String] {
    decisions.filter { $0.setting.property == .encoding }.map(\.reason)
  }

  public var warnings: [Decision] { decisions.filter(\.isWarning) }
}
