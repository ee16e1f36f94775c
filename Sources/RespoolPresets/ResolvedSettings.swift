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
    /// Sentence about the loss against the source, for ``ExportReport/losses``.
    ///
    /// `nil` if nothing is lost.
    public var loss: String?
    /// Sentence about a change that is no loss, for ``ExportReport/notes``.
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

    public var isDropped: Bool { if case .drop = action { true } else { false } }
  }

  /// Name of the preset.
  public var preset: String
  public var muxer: AvailablePlugins.Factory
  /// Extension without the dot.
  public var fileExtension: String
  /// Options of the muxer.
  public var containerOptions: [PluginOption]
  /// `true` if playback can start before the file is loaded.
  ///
  /// `nil`: the container's options decide.
  public var isOptimizedForNetwork: Bool?
  /// Every track of the source, in the order of the source.
  public var tracks: [Track]
  public var keepsMetadata: Bool
  public var keepsChapters: Bool
  /// Decisions in the order in which they were made.
  public var decisions: [Decision]
  /// Reason why this source needs no conversion with this preset.
  ///
  /// `nil` if it needs one.
  ///
  /// Not a failure: for example an audio preset on a file without audio.
  public var skipReason: String?

  /// The muxer's name.
  public var container: String { muxer.description.name }

  /// Tracks of the output in its order: video, audio, then the rest, each in the order of the source.
  public var outputTracks: [Track] {
    let kept = tracks.filter { !$0.isDropped }
    func rank(_ track: Track) -> Int {
      switch track.action {
      case .convertVideo: 0
      case .convertAudio: 1
      default:
        covers.contains(track.source)
          ? 3 : track.kind == .video ? 0 : track.kind == .audio ? 1 : 2
      }
    }
    return kept.enumerated().sorted {
      (rank($0.element), $0.offset) < (rank($1.element), $1.offset)
    }.map(\.element)
  }

  /// Indexes of source tracks that are covers and are kept.
  public var covers: Set<Int> = []

  /// Settings without the source's covers, for an output that gets other covers.
  package var withoutCovers: ResolvedSettings {
    var settings = self
    settings.tracks.removeAll { covers.contains($0.source) }
    settings.covers = []
    return settings
  }

  /// `true` if no track has to be decoded.
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

/// The filters that decoded frames of one track pass, and the frames that come out.
public struct TrackFilters: Hashable, Sendable {
  /// A filter with its options.
  public struct Filter: Hashable, Sendable {
    public var factory: AvailablePlugins.Factory
    public var options: [PluginOption]
  }

  /// Filters in order; at least one.
  public var filters: [Filter]
  /// The track with the frames that come out, as the filters describe it.
  public var output: TrackDescription

  /// `true` if the number or the times of frames change.
  package var changesTimes: Bool {
    filters.contains { $0.factory.description.flags.contains(.changesTimes) }
  }
}

/// Settings for re-encoding one video track.
public struct VideoConversion: Hashable, Sendable {
  /// Treatment of the source's display matrix.
  public enum RotationMode: Hashable, Sendable {
    /// The output has the source's matrix; the frames are not rotated.
    case keepMatrix(DisplayMatrix)
    /// The frames are rotated, and the output has no matrix.
    case rotatePixels(DisplayMatrix.Orientation)
  }

  /// Filters before the frames are rotated and scaled.
  ///
  /// `nil` if there are none.
  public var filters: TrackFilters?
  public var encoder: AvailablePlugins.Factory
  /// Codec of the output, as FFmpeg spells it.
  public var codec: String
  /// Width of the encoded frame, after rotation of its pixels and before a matrix is applied.
  public var width: Int
  public var height: Int
  /// Pixel aspect ratio of the encoded frame.
  public var sampleAspect: Rational
  public var pixelFormat: PixelFormat
  /// Color description of the encoded frames.
  ///
  /// Frames of another range or matrix are converted.
  public var color: ColorDescription
  public var rotation: RotationMode
  /// Field order of the encoded frames; progressive if they have no fields.
  public var fieldOrder: TrackDescription.FieldOrder
  /// Maximum frames per second; frames that come sooner are dropped.
  ///
  /// `nil` keeps every frame.
  public var maximumFrameRate: Rational?
  /// Frames per second after the limit.
  ///
  /// `unknown` if the source does not state it.
  public var frameRate: Rational
  /// Length of the intervals that begin with a key frame, in seconds.
  ///
  /// Intervals are counted from time 0. The encoder may add more key frames. `nil`: the encoder decides alone.
  public var keyFrameInterval: Double?
  public var bitRate: Int64?
  public var quality: Double?
  public var options: [PluginOption]
  /// Number of encoder threads if it changes the bytes.
  ///
  /// `nil` for any number.
  public var threads: Int?
}

/// Settings for re-encoding one audio track.
public struct AudioConversion: Hashable, Sendable {
  /// Filters before the audio is resampled and mixed.
  ///
  /// `nil` if there are none.
  public var filters: TrackFilters?
  public var encoder: AvailablePlugins.Factory
  public var codec: String
  public var sampleRate: Int
  public var channelLayout: ChannelLayout
  public var sampleFormat: SampleFormat
  public var bitRate: Int64?
  public var quality: Double?
  public var options: [PluginOption]
}
