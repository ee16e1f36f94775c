public import RespoolMedia

/// The checked definition of an output, with the presets that it extends merged in.
///
/// Settings that a preset leaves open are `nil` or empty; ``PresetResolver`` decides them for each source.
public struct Preset: Hashable, Sendable {
  /// Rule by which a track is copied packet by packet instead of re-encoded.
  public enum PassThrough: String, Hashable, Sendable, CaseIterable {
    /// Always encoded.
    case never
    /// Copied if it has the requested codec and is within every limit of the preset.
    case auto
    /// Copied if the container can carry it, whatever the codec; else re-encoded.
    case any
    /// Copied if the container can carry it, else dropped.
    case only
  }

  /// Selection among several video or audio tracks.
  public enum TrackChoice: String, Hashable, Sendable, CaseIterable {
    /// The best video and the best audio track.
    case best
    case all
  }

  /// Treatment of parts of the source that can be kept or dropped, such as chapters.
  public enum Keeping: String, Hashable, Sendable, CaseIterable {
    case keep, drop
  }

  /// Treatment of interlaced video that is encoded.
  public enum Deinterlace: String, Hashable, Sendable, CaseIterable {
    /// Two fields become one frame; a preset that copies whatever it can keeps the fields.
    case auto
    /// Each field becomes a frame.
    case fields
    /// Fields are kept if the codec has them.
    case never
  }

  /// Treatment of black borders of video that is encoded.
  public enum Crop: String, Hashable, Sendable, CaseIterable {
    /// Borders stay.
    case never
    /// Rows and columns at the edges that are black in all frames of the film are removed.
    case auto
  }

  /// A box in pixels that a frame fits into, or `any` for any whole number of pixels.
  public struct Size: Hashable, Sendable, CustomStringConvertible {
    public var width: Int
    public var height: Int

    public init(_ width: Int, _ height: Int) {
      self.width = width
      self.height = height
    }

    public var description: String { "\(width)x\(height)" }
  }

  /// A filter of decoded frames, with its options.
  public struct Filter: Hashable, Sendable {
    /// Name or alias of the filter.
    public var name: String
    /// Options, checked against the filter's schema.
    public var options: [PluginOption]

    public init(_ name: String, options: [PluginOption] = []) {
      self.name = name
      self.options = options
    }
  }

  /// Treatment of files of subtitles beside a film.
  public enum Sidecars: String, Hashable, Sendable, CaseIterable {
    /// Their text is added to the output.
    case attach
    case ignore
  }

  /// Settings for sources or tracks that fulfil a condition.
  public struct Variant<Settings: Hashable & Sendable>: Hashable, Sendable {
    public var condition: MediaCondition
    /// All settings, not only those that differ.
    public var settings: Settings

    public init(if condition: MediaCondition, _ settings: Settings) {
      (self.condition, self.settings) = (condition, settings)
    }
  }

  /// A rule that selects tracks of one kind.
  public struct TrackRule: Hashable, Sendable {
    /// Condition on a track; `nil`: every track fulfils it.
    public var condition: MediaCondition?
    /// `true` if only the best of the tracks is selected that fulfil the condition.
    public var takesBest: Bool
    /// `true` if the rule is applied only if those before it select nothing.
    public var isFallback: Bool

    public init(
      _ condition: MediaCondition?, takesBest: Bool = false, isFallback: Bool = false
    ) {
      self.condition = condition
      (self.takesBest, self.isFallback) = (takesBest, isFallback)
    }
  }

  /// Returns the rule that a text stands for: a condition on subtitle tracks, or `best`.
  ///
  /// Throws `invalidArgument` for a condition that is wrong.
  package static func burnRule(_ text: String) throws(MediaError) -> TrackRule {
    TrackRule(text == "best" ? nil : try MediaCondition(text, ofTrack: .subtitle))
  }

  /// Video settings of a preset.
  public struct Video: Hashable, Sendable {
    /// Rules that select tracks, by conditions on video tracks.
    ///
    /// Empty: ``Preset/tracks`` decides.
    public var trackRules: [TrackRule] = []
    /// Other settings for tracks that fulfil a condition on a video track; the first that does is used.
    public var variants: [Variant<Video>] = []
    /// Codec as FFmpeg spells it.
    ///
    /// Empty only with ``PassThrough/only``.
    public var codec = ""
    /// Name of the encoder implementation, alone or as `Plugin/name`.
    ///
    /// `nil` for the best-ranked one that is present.
    public var encoder: String?
    /// Name of the decoder that comes before others, alone or as `Plugin/name`.
    ///
    /// Others decode codecs that it does not decode. `nil`: the best-ranked one comes first.
    public var decoder: String?
    /// Treatment of interlaced video, unless one of ``filters`` treats fields.
    public var deinterlace = Deinterlace.auto
    /// Treatment of black borders, before ``filters``.
    public var crop = Crop.never
    /// Filters of the decoded frames, in order, before the frames are rotated and scaled.
    public var filters: [Filter] = []
    /// Box into which the displayed frame fits.
    ///
    /// `nil` for any size.
    ///
    /// The box is rotated with the frame: 1280x720 means 720x1280 for an upright frame.
    public var size: Size?
    /// `true` if a smaller frame is enlarged until it touches the box.
    public var upscale = false
    /// Quality on the scale of the codec.
    ///
    /// Lower is better for every codec here.
    public var quality: Double?
    /// Bit rate in bits per second.
    public var bitRate: Int64?
    /// Maximum frames per second.
    ///
    /// Lower and variable rates are kept.
    public var frameRate: Rational?
    /// Length of the intervals that begin with a key frame, in seconds, from 0.01 to 3600.
    ///
    /// Intervals are counted from time 0. The encoder may add more key frames. `nil`: the encoder decides alone.
    public var keyFrameInterval: Double?
    /// Number of times that the frames are encoded, 1 or 2.
    ///
    /// Of two passes, the first only measures the frames, so that the second can distribute the bits better. The
    /// encoder must have the flag `twoPasses`.
    public var passes = 1
    /// Allowed pixel formats.
    ///
    /// If empty, ``PresetResolver`` decides by codec.
    public var pixelFormats: [PixelFormat] = []
    /// Options of the encoder, checked against its schema.
    public var options: [PluginOption] = []
    public var passThrough = PassThrough.never
    /// `true` if encoding rotates the frames themselves, even if the container could store the rotation.
    ///
    /// Preset files cannot set this.
    public var turnsPicture = false

    /// Valid values of ``keyFrameInterval``.
    static let keyFrameIntervals = 0.01...3600.0
    /// Valid values of ``passes``.
    static let numbersOfPasses = 1...2

    public init() {}
  }

  /// Treatment of the loudness of audio, which is measured before the conversion.
  public enum Loudness: Hashable, Sendable {
    /// The audio gets this integrated loudness, in LUFS (EBU R 128).
    case target(Double)
    /// Tags state the gain that players should apply; the audio stays as it is.
    case tags

    /// Valid targets, in LUFS.
    static let targets = -50.0 ... -5.0
    /// Valid limits of true peaks, in dBTP.
    static let truePeaks = -20.0...0.0
    /// Word for ``tags`` in preset files.
    static let tagsWord = "tags"
  }

  /// Audio settings of a preset.
  public struct Audio: Hashable, Sendable {
    /// Rules that select tracks, by conditions on audio tracks.
    ///
    /// Empty: ``Preset/tracks`` decides.
    public var trackRules: [TrackRule] = []
    /// Other settings for tracks that fulfil a condition on an audio track; the first that does is used.
    public var variants: [Variant<Audio>] = []
    /// Codec as FFmpeg spells it, or `pcm` for PCM of the source's bit depth.
    ///
    /// Empty only with ``PassThrough/only``.
    public var codec = ""
    /// Name of the encoder implementation, as ``Video/encoder``.
    public var encoder: String?
    /// Name of the decoder that comes before others, as ``Video/decoder``.
    public var decoder: String?
    /// Filters of the decoded audio, in order, before it is resampled and mixed.
    public var filters: [Filter] = []
    /// `nil`: the loudness stays as it is.
    public var loudness: Loudness?
    /// Greatest true peak of audio with a loudness of ``Loudness/target(_:)``, in dBTP, before it is encoded.
    ///
    /// Lossy codecs add up to some decibels.
    public var truePeak = -1.0
    public var quality: Double?
    /// Bit rate in bits per second for ``channels``, or for stereo if that is `nil`.
    ///
    /// Other channel counts get a share of it.
    public var bitRate: Int64?
    /// Sample rate in Hz.
    ///
    /// `nil` for the source's, if the encoder accepts it.
    public var sampleRate: Int?
    /// Maximum number of channels; more are mixed down.
    public var channels: Int?
    public var options: [PluginOption] = []
    public var passThrough = PassThrough.auto

    public init() {}
  }

  public var name: String
  public var summary = ""
  /// Extensions of output files that get this preset if none is named, in lower case.
  public var defaultFor: [String] = []
  /// File that the preset was read from.
  public var path: String?
  /// Names of the presets that it extends, nearest first.
  public var ancestors: [String] = []
  /// Muxer's name, alias or file extension.
  public var container: String
  public var containerOptions: [PluginOption] = []
  /// Measured size of outputs, as a part of that by the preset `web-1080p`, or `aac-160k` for audio alone.
  public var relativeSize: Double?
  /// Measured speed of the conversion, as a multiple of that by the preset `web-1080p`, or `aac-160k` for audio alone.
  public var relativeSpeed: Double?
  /// Greatest size of an output in bytes.
  ///
  /// Outputs that would be larger are made with lower bit rates. ``ExportSession/fileLengthLimit`` takes its place.
  public var fileSizeLimit: Int64?
  /// Video settings.
  ///
  /// `nil` drops video.
  public var video: Video?
  /// Audio settings.
  ///
  /// `nil` drops audio.
  public var audio: Audio?
  public var tracks = TrackChoice.best
  public var subtitles = Keeping.keep
  /// Rules that select subtitle tracks, by conditions on them.
  ///
  /// Empty: ``subtitles`` decides.
  public var subtitleRules: [TrackRule] = []
  /// Rules that select the subtitle track that is drawn into the frames of video, by conditions on it.
  ///
  /// The best track of the first rule that selects one is drawn, and not written as a track. Empty: none.
  public var burn: [TrackRule] = []
  /// Treatment of files of subtitles that have the name of the film; only for presets with video and subtitles.
  ///
  /// The command and batches obey it. An ``ExportSession`` has ``ExportSession/subtitleFiles`` instead.
  public var sidecars = Sidecars.attach
  public var metadata = Keeping.keep
  public var chapters = Keeping.keep
  public var cover = Keeping.keep
  /// Other settings for sources that fulfil a condition; the first that does is used.
  ///
  /// Name, container, decoders and options of the container are always those of the preset itself.
  public var variants: [Variant<Preset>] = []

  /// Word for an empty ``burn`` in preset files.
  static let burnsNothing = "none"
  /// Valid values of ``relativeSize`` and ``relativeSpeed``.
  static let ratios = 0.001...1000.0
  /// Valid values of ``fileSizeLimit``.
  static let fileSizes: ClosedRange<Int64> = 10_000...1_000_000_000_000_000

  public init(name: String, container: String) {
    self.name = name
    self.container = container
  }

  /// `true` if files of subtitles beside a film are added to the output.
  package var attachesSidecars: Bool {
    sidecars == .attach && !allVideo.isEmpty
      && (subtitles == .keep || !subtitleRules.isEmpty || drawsSubtitles)
  }

  /// `true` if subtitles of some sources are drawn into frames, which needs fonts.
  package var drawsSubtitles: Bool {
    !burn.isEmpty || variants.contains { !$0.settings.burn.isEmpty }
  }

  /// `true` if video of some sources is encoded in two passes.
  package var makesTwoPasses: Bool { allVideo.contains { $0.passes > 1 } }

  /// Decoders that come first, by media type.
  package var decoders: [TrackDescription.Kind: String] {
    var names: [TrackDescription.Kind: String] = [:]
    names[.video] = video?.decoder
    names[.audio] = audio?.decoder
    return names
  }
}
