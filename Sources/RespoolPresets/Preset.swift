public import RespoolMedia

/// What to make of a file: a preset after `extends`, checked.
///
/// What a preset leaves open is nil or empty here; ``PresetResolver`` decides it for one source.
public struct Preset: Hashable, Sendable {
  /// Whether a track is copied packet by packet instead of being encoded anew.
  public enum PassThrough: String, Hashable, Sendable, CaseIterable {
    /// Always encoded.
    case never
    /// Copied where it has the codec asked for and is within every limit of the preset.
    case auto
    /// Copied where the container carries it, whatever the codec; else encoded.
    case any
    /// Copied where the container carries it, else dropped.
    case only
  }

  /// Which of several video or audio tracks are taken.
  public enum TrackChoice: String, Hashable, Sendable, CaseIterable {
    /// The best video and the best audio track.
    case best
    case all
  }

  public enum Keeping: String, Hashable, Sendable, CaseIterable {
    case keep, drop
  }

  /// A box in pixels that a picture fits into, or stands for any whole number of pixels.
  public struct Size: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(_ width: Int, _ height: Int) {
      self.width = width
      self.height = height
    }

    public var description: String { "\(width)x\(height)" }
  }

  public struct Video: Hashable, Sendable {
    /// As FFmpeg spells it; empty only with ``PassThrough/only``.
    public var codec = ""
    /// The implementation; nil: the best-ranked that is present.
    public var encoder: String?
    /// The displayed picture fits inside; nil: any size.
    ///
    /// The box turns with the picture: 1280x720 stands for 720x1280 where the picture is upright.
    public var size: Size?
    /// Whether a smaller picture is enlarged until it touches the box.
    public var upscale = false
    /// On the scale of the codec; lower is better for every codec here.
    public var quality: Double?
    /// Bits a second.
    public var bitRate: Int64?
    /// Frames a second at most; lower and variable rates stay as they are.
    public var frameRate: Rational?
    /// What may be made; empty: ``PresetResolver`` decides by codec.
    public var pixelFormats: [PixelFormat] = []
    /// For the encoder, checked against its schema.
    public var options: [MetadataEntry] = []
    public var passThrough = PassThrough.never
    /// Whether a picture that is shown turned is turned itself where it is encoded, though the container
    /// could say how it is turned; no preset file says so.
    public var turnsPicture = false

    public init() {}
  }

  public struct Audio: Hashable, Sendable {
    /// As FFmpeg spells it, or `pcm` for PCM as deep as the source; empty only with
    /// ``PassThrough/only``.
    public var codec = ""
    public var encoder: String?
    public var quality: Double?
    /// Bits a second for ``channels``, or for stereo if that is `nil`; other channel counts get a share of it.
    public var bitRate: Int64?
    /// Samples a second; nil: the source's, where the encoder takes it.
    public var sampleRate: Int?
    /// At most so many channels; more are mixed down.
    public var channels: Int?
    public var options: [MetadataEntry] = []
    public var passThrough = PassThrough.auto

    public init() {}
  }

  public var name: String
  public var summary = ""
  /// The file that it was read from.
  public var path: String?
  /// The presets that it extends, nearest first, by name.
  public var ancestors: [String] = []
  /// A muxer's name, alias or file extension.
  public var container: String
  public var containerOptions: [MetadataEntry] = []
  /// nil: video is dropped.
  public var video: Video?
  /// nil: audio is dropped.
  public var audio: Audio?
  public var tracks = TrackChoice.best
  public var subtitles = Keeping.keep
  public var metadata = Keeping.keep
  public var chapters = Keeping.keep
  public var cover = Keeping.keep

  public init(name: String, container: String) {
    self.name = name
    self.container = container
  }
}
