public import RespoolMedia

/// What a preset comes to for one source and the plugins that are present: nothing is left open.
public struct ResolvedSettings: Hashable, Sendable {
  /// One thing that was settled, and why.
  public struct Decision: Hashable, Sendable {
    /// Such as `video.size`; `audio#2.codec` for the second track of a kind.
    public var setting: String
    public var value: String
    public var reason: String
    /// Something is lost or may look wrong.
    public var isWarning = false
    /// A sentence that names what the output lacks of the source, for ``ExportReport/losses``; nil: nothing.
    public var loss: String?

    public init(setting: String, value: String, reason: String, isWarning: Bool = false) {
      self.setting = setting
      self.value = value
      self.reason = reason
      self.isWarning = isWarning
    }
  }

  /// What happens to one track of the source.
  public struct Track: Hashable, Sendable {
    public enum Action: Hashable, Sendable {
      /// Packets are copied.
      case passThrough
      case convertVideo(VideoConversion)
      case convertAudio(AudioConversion)
      /// The text of a subtitle track is coded anew.
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

    /// `true` if the track is dropped and the output states what it holds in another form.
    public var isReplaced = false

    public var isDropped: Bool { if case .drop = action { true } else { false } }
  }

  /// Name of the preset.
  public var preset: String
  public var muxer: AvailablePlugins.Factory
  /// Without the dot.
  public var fileExtension: String
  /// For the muxer.
  public var containerOptions: [MetadataEntry]
  /// Every track of the source, in the source's order.
  public var tracks: [Track]
  public var keepsMetadata: Bool
  public var keepsChapters: Bool
  /// In the order in which they were taken.
  public var decisions: [Decision]
  /// Why there is nothing to do for this source with this preset; nil: there is.
  ///
  /// Not a failure: an audio preset on a file without audio.
  public var skipReason: String?

  /// The muxer's name.
  public var container: String { muxer.description.name }

  /// The tracks that the output has, in its order: moving pictures, sound, then the rest, each in
  /// the order of the source.
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

  /// The same without the source's covers, for an output that gets others.
  package var withoutCovers: ResolvedSettings {
    var settings = self
    settings.tracks.removeAll { covers.contains($0.source) }
    settings.covers = []
    return settings
  }

  /// Whether no track has to be decoded.
  public var isPassThroughOnly: Bool {
    tracks.allSatisfy {
      switch $0.action {
      case .passThrough, .drop: true
      default: false
      }
    }
  }

  public var warnings: [Decision] { decisions.filter(\.isWarning) }
}

/// How one video track is made anew.
public struct VideoConversion: Hashable, Sendable {
  /// What becomes of the source's display matrix.
  public enum Rotation: Hashable, Sendable {
    /// The output has the source's matrix; the coded picture stays as it lies.
    case keepMatrix(DisplayMatrix)
    /// The picture itself is turned, and the output has no matrix.
    case rotatePixels(DisplayMatrix.Orientation)
  }

  public var encoder: AvailablePlugins.Factory
  /// The codec to make, as FFmpeg spells it.
  public var codec: String
  /// Of the picture that is encoded: after pixels were turned, before a matrix is applied.
  public var width: Int
  public var height: Int
  /// Shape of a pixel of the picture that is encoded.
  public var sampleAspect: Rational
  public var pixelFormat: PixelFormat
  /// What the numbers of the encoded picture mean; the pictures are converted to it where the source's
  /// differ in range or matrix.
  public var color: ColorDescription
  public var rotation: Rotation
  /// Whether the picture is two fields, and which is first.
  public var fieldOrder: TrackDescription.FieldOrder
  /// Frames a second at most: frames that come sooner are left out; nil: every frame is taken.
  public var maximumFrameRate: Rational?
  /// Frames a second after the limit; `unknown` where the source does not say.
  public var frameRate: Rational
  public var bitRate: Int64?
  public var quality: Double?
  public var options: [MetadataEntry]
  /// Threads for the encoder where their number changes the bytes; nil: any number will do.
  public var threads: Int?
}

/// How one audio track is made anew.
public struct AudioConversion: Hashable, Sendable {
  public var encoder: AvailablePlugins.Factory
  public var codec: String
  public var sampleRate: Int
  public var channelLayout: ChannelLayout
  public var sampleFormat: SampleFormat
  public var bitRate: Int64?
  public var quality: Double?
  public var options: [MetadataEntry]
}
