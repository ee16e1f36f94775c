import RespoolMedia
import Synchronization

/// Settings for a writer's inputs by AVFoundation's presets, such as `AVOutputSettingsPreset1280x720`.
///
/// The settings can be passed to `AssetWriterInput` unchanged. If the source's formats are known, the output is never
/// larger than the source's frames and has no more channels than its audio.
public final class OutputSettingsAssistant: Sendable {
  /// Name of a preset.
  public struct Preset: Hashable, Sendable, RawRepresentable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let size640x480 = Preset(rawValue: "AVOutputSettingsPreset640x480")
    public static let size960x540 = Preset(rawValue: "AVOutputSettingsPreset960x540")
    public static let size1280x720 = Preset(rawValue: "AVOutputSettingsPreset1280x720")
    public static let size1920x1080 = Preset(rawValue: "AVOutputSettingsPreset1920x1080")
    public static let size3840x2160 = Preset(rawValue: "AVOutputSettingsPreset3840x2160")

    /// All presets of AVFoundation.
    public static let all: [Preset] =
      [size640x480, size960x540, size1280x720, size1920x1080, size3840x2160]
      + [
        "HEVC1920x1080", "HEVC3840x2160", "HEVC4320x2160", "HEVC7680x4320",
        "HEVC1920x1080WithAlpha", "HEVC3840x2160WithAlpha", "MVHEVC960x960", "MVHEVC1440x1440",
      ].map { Preset(rawValue: "AVOutputSettingsPreset" + $0) }

    fileprivate var box: (width: Int, height: Int)? {
      switch self {
      case .size640x480: (640, 480)
      case .size960x540: (960, 540)
      case .size1280x720: (1280, 720)
      case .size1920x1080: (1920, 1080)
      case .size3840x2160: (3840, 2160)
      default: nil
      }
    }

    /// Returns the reason why the plugins of a registry cannot provide the preset; `nil` if they can.
    public func unavailability(in registry: PluginRegistry = .standard) -> String? {
      guard Self.all.contains(self) else { return "there is no preset \(rawValue)" }
      guard box != nil else { return "no plugin encodes HEVC by the presets' settings" }
      if registry.encoders(for: "h264").isEmpty { return "no plugin encodes H.264" }
      return registry.encoders(for: "aac").isEmpty ? "no plugin encodes AAC" : nil
    }
  }

  private struct State {
    var video: FormatDescription?
    var audio: FormatDescription?
    var average = MediaTime(value: 1, timescale: 30)
    var minimum: MediaTime?
  }

  public let preset: Preset
  private let state = Mutex(State())

  /// Returns the presets that the plugins of a registry can provide.
  public static func availableOutputSettingsPresets(in registry: PluginRegistry = .standard)
    -> [Preset]
  {
    Preset.all.filter { $0.unavailability(in: registry) == nil }
  }

  /// Creates an assistant; `nil` for a preset that is not available.
  public init?(preset: Preset, registry: PluginRegistry = .standard) {
    guard preset.unavailability(in: registry) == nil else { return nil }
    self.preset = preset
  }

  /// The file type that the settings are for.
  public var outputFileType: FileType { .mov }

  /// Format of the source's video.
  ///
  /// `nil` if unknown; the preset's size is used then.
  public var sourceVideoFormat: FormatDescription? {
    get { state.withLock { $0.video } }
    set { state.withLock { $0.video = newValue } }
  }

  /// Format of the source's audio.
  ///
  /// `nil` if unknown; stereo at 44,100 Hz is used then.
  public var sourceAudioFormat: FormatDescription? {
    get { state.withLock { $0.audio } }
    set { state.withLock { $0.audio = newValue } }
  }

  /// Average duration of a frame.
  ///
  /// Default 1/30 s.
  ///
  /// Setting a time that is not numeric and positive restores the default.
  public var sourceVideoAverageFrameDuration: MediaTime {
    get { state.withLock { $0.average } }
    set {
      let isUsable = newValue.isNumeric && newValue > .zero
      state.withLock { $0.average = isUsable ? newValue : MediaTime(value: 1, timescale: 30) }
    }
  }

  /// Minimum duration of a frame.
  ///
  /// Default `sourceVideoAverageFrameDuration`.
  ///
  /// The H.264 level is chosen for this rate. Setting a time that is not numeric and positive restores the default.
  public var sourceVideoMinFrameDuration: MediaTime {
    get { state.withLock { $0.minimum ?? $0.average } }
    set {
      let isUsable = newValue.isNumeric && newValue > .zero
      state.withLock { $0.minimum = isUsable ? newValue : nil }
    }
  }

  /// Settings for video: H.264, not larger than the source, with even sides.
  public var videoSettings: AssetWriterInput.Settings {
    let (format, frame) = state.withLock { ($0.video?.track, $0.average) }
    let shortest = min(frame, sourceVideoMinFrameDuration)
    let box = preset.box ?? (1280, 720)
    var size = (width: box.width, height: box.height)
    if let format, format.width > 0, format.height > 0 {
      let fitted = FrameSize.fit(
        width: format.width, height: format.height, sampleAspect: format.sampleAspect,
        box: Respool.Preset.Size(box.width, box.height), enlarge: false)
      size = (fitted.width, fitted.height)
    }
    let level = H264Level.lowest(
      width: size.width, height: size.height, frameRate: 1 / shortest.seconds)
    return .video(
      codec: "h264", width: size.width, height: size.height,
      bitRate: Self.bitRate(size.width, size.height, framesPerSecond: 1 / frame.seconds),
      options: [PluginOption("profile", "high")]
        + (level.map { [PluginOption("level", $0.name)] } ?? []))
  }

  /// Settings for audio: AAC, with the source's sample rate and channel layout if supported.
  public var audioSettings: AssetWriterInput.Settings {
    let format = state.withLock { $0.audio?.track }
    var rate = format?.sampleRate ?? 44100
    // ISO/IEC 14496-3 table 1.18; at these rates encoders keep exact lengths.
    if ![32000, 44100, 48000].contains(rate) { rate = rate % 11025 == 0 ? 44100 : 48000 }
    let channels = format?.channelLayout.channelCount ?? 2
    let layout: ChannelLayout =
      channels == 1 ? .mono : channels == 6 ? format?.channelLayout ?? .stereo : .stereo
    return .audio(
      codec: "aac", sampleRate: rate, channelLayout: layout,
      bitRate: channels == 1 ? 64_000 : layout.channelCount == 6 ? 320_000 : 128_000)
  }

  /// Returns the bit rate: 5 Mb/s for 720p at 30 frames per second.
  ///
  /// It grows with the pixel rate to the power of 3/4, because large frames are smoother.
  private static func bitRate(_ width: Int, _ height: Int, framesPerSecond: Double) -> Int64 {
    let rate = min(max(framesPerSecond, 1), 240)
    let share = Double(width * height) * rate / (1280 * 720 * 30)
    return Int64(5_000_000 * share.squareRoot() * share.squareRoot().squareRoot())
  }
}
