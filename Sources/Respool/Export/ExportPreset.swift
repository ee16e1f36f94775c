public import RespoolMedia

/// Preset with the name of an AVFoundation preset, such as `AVAssetExportPreset1280x720`.
public struct ExportPreset: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  private static let prefix = "AVAssetExportPreset"

  private init(_ name: String) { self.init(rawValue: Self.prefix + name) }

  /// `true` if the name has the form of AVFoundation's.
  var isAVFoundations: Bool { rawValue.hasPrefix(Self.prefix) }

  public static let lowQuality = ExportPreset("LowQuality")
  public static let mediumQuality = ExportPreset("MediumQuality")
  public static let highestQuality = ExportPreset("HighestQuality")
  public static let size640x480 = ExportPreset("640x480")
  public static let size960x540 = ExportPreset("960x540")
  public static let size1280x720 = ExportPreset("1280x720")
  public static let size1920x1080 = ExportPreset("1920x1080")
  public static let size3840x2160 = ExportPreset("3840x2160")
  public static let m4vCellular = ExportPreset("AppleM4VCellular")
  public static let m4viPod = ExportPreset("AppleM4ViPod")
  public static let m4v480pSD = ExportPreset("AppleM4V480pSD")
  public static let m4vAppleTV = ExportPreset("AppleM4VAppleTV")
  public static let m4vWiFi = ExportPreset("AppleM4VWiFi")
  public static let m4v720pHD = ExportPreset("AppleM4V720pHD")
  public static let m4v1080pHD = ExportPreset("AppleM4V1080pHD")
  public static let m4a = ExportPreset("AppleM4A")
  public static let passthrough = ExportPreset("Passthrough")

  /// All presets that AVFoundation has.
  public static let all: [ExportPreset] =
    [
      lowQuality, mediumQuality, highestQuality, size640x480, size960x540, size1280x720,
      size1920x1080, size3840x2160, m4vCellular, m4viPod, m4v480pSD, m4vAppleTV, m4vWiFi,
      m4v720pHD, m4v1080pHD, m4a, passthrough,
    ] + withoutEncoder.map { ExportPreset($0) }

  private static let withoutEncoder = [
    "HEVCHighestQuality", "HEVC1920x1080", "HEVC3840x2160", "HEVC4320x2160", "HEVC7680x4320",
    "HEVCHighestQualityWithAlpha", "HEVC1920x1080WithAlpha", "HEVC3840x2160WithAlpha",
    "MVHEVC960x960", "MVHEVC1440x1440", "AppleProRes422LPCM", "AppleProRes4444LPCM",
  ]

  /// Returns the presets that the available plugins support.
  public static func available(in registry: PluginRegistry = .standard) -> [ExportPreset] {
    all.filter { $0.unavailability(in: registry) == nil }
  }

  /// Returns the available presets that are compatible with an asset; blocks while it is opened.
  ///
  /// Throws if the asset cannot be read.
  public static func compatible(with asset: Asset, in registry: PluginRegistry = .standard)
    throws(MediaError) -> [ExportPreset]
  {
    let tracks = try asset.tracks()
    let hasVideo = tracks.contains { $0.description.isMovingPicture }
    let hasAudio = tracks.contains { $0.mediaType == .audio }
    return available(in: registry).filter { $0 == .m4a ? hasAudio : hasVideo || hasAudio }
  }

  /// Returns the reason why the preset is not available; `nil` if it is.
  public func unavailability(in registry: PluginRegistry = .standard) -> String? {
    guard Self.all.contains(self) else { return "there is no preset \(rawValue)" }
    let name = rawValue.dropFirst(Self.prefix.count)
    if name.contains("HEVC") { return missing("hevc", "HEVC", registry) }
    if name.contains("ProRes") { return missing("prores", "ProRes", registry) }
    if self == .passthrough { return nil }
    if registry.encoders(for: "aac").isEmpty { return "no plugin encodes AAC" }
    if self != .m4a, registry.encoders(for: "h264").isEmpty { return "no plugin encodes H.264" }
    return nil
  }

  private func missing(_ codec: String, _ name: String, _ registry: PluginRegistry) -> String {
    registry.encoders(for: codec).isEmpty
      ? "no plugin encodes \(name)"
      : "a preset of your own can use the plugins that encode \(name)"
  }

  /// File types that the preset can be written as; the first is the default.
  public var containers: [String] {
    switch self {
    case .m4a: ["m4a"]
    case .passthrough: ["mov", "mp4", "m4v", "m4a", "matroska", "webm", "wav", "ogg"]
    case _ where device != nil: ["m4v"]
    default: ["mp4", "mov", "m4v"]
    }
  }

  /// Throws `invalidArgument` if the preset cannot be written as a file type, under any name of its muxer.
  ///
  /// Does not check that a plugin writes the file type.
  func checkType(_ type: String, _ available: AvailablePlugins) throws(MediaError) {
    let muxer = available.muxer(named: type)
    guard !containers.contains(type),
      !containers.contains(where: { muxer != nil && available.muxer(named: $0) == muxer })
    else { return }
    throw MediaError(
      .invalidArgument,
      "\(rawValue) is written as \(containers.joined(separator: ", ")), not as \(type)")
  }

  /// Returns the settings of the preset for `container`, or for the default container if that is `nil`.
  ///
  /// Throws `unsupported` if the preset is not available, and `invalidArgument` for a container that it cannot be
  /// written as.
  public func preset(in registry: PluginRegistry = .standard, container: String? = nil)
    throws(MediaError) -> Preset
  {
    if let reason = unavailability(in: registry) {
      throw MediaError(.unsupported, "\(rawValue) is not available: \(reason)")
    }
    if let container { try checkType(container, registry.availablePlugins) }
    var preset = Preset(name: rawValue, container: container ?? containers[0])
    guard self != .passthrough else {
      var (video, audio) = (Preset.Video(), Preset.Audio())
      (video.passThrough, audio.passThrough) = (.only, .only)
      (preset.video, preset.audio) = (video, audio)
      preset.tracks = .all
      return preset
    }
    var audio = Preset.Audio()
    audio.codec = "aac"
    audio.bitRate =
      self == .lowQuality || self == .m4vCellular
      ? 64_000 : self == .mediumQuality ? 96_000 : 128_000
    audio.channels = 2
    preset.audio = audio
    guard self != .m4a else { return preset }
    preset.video = video
    return preset
  }

  /// Limits of a device: frame size, H.264 profile and bits per second.
  private typealias Device = (width: Int, height: Int, profile: String, bitRate: Int64)

  /// Limits of the device that the preset is for; `nil` if it is not for a device.
  ///
  /// Apple documents the purpose of these presets, but numbers only for the export for iPod and Apple TV that
  /// they replaced (Technical Note TN2188). These are 640x480 in the baseline profile, 3 Mb/s up to 848x480, and
  /// 5 Mb/s up to 1280x720, at 30 frames per second or less. The other rates are Respool's choice, in proportion.
  private var device: Device? {
    switch self {
    case .m4vCellular: (400, 300, "baseline", 500_000)
    case .m4viPod, .m4vWiFi: (640, 480, "baseline", 1_500_000)
    case .m4v480pSD: (848, 480, "main", 3_000_000)
    case .m4vAppleTV: (1280, 720, "main", 5_000_000)
    case .m4v720pHD: (1280, 720, "high", 5_000_000)
    case .m4v1080pHD: (1920, 1080, "high", 10_000_000)
    default: nil
    }
  }

  private var video: Preset.Video {
    var video = Preset.Video()
    video.codec = "h264"
    if let device {
      video.options = [PluginOption("profile", device.profile)]
      video.size = Preset.Size(device.width, device.height)
      video.bitRate = device.bitRate
      video.frameRate = Rational(30, 1)
      return video
    }
    video.options = [PluginOption("profile", "high")]
    let box: (Int, Int)?
    switch self {
    case .lowQuality: (box, video.quality) = ((480, 360), 28)
    case .mediumQuality: (box, video.quality) = ((960, 540), 25)
    case .size640x480: (box, video.quality) = ((640, 480), 21)
    case .size960x540: (box, video.quality) = ((960, 540), 21)
    case .size1280x720: (box, video.quality) = ((1280, 720), 21)
    case .size1920x1080: (box, video.quality) = ((1920, 1080), 21)
    case .size3840x2160: (box, video.quality) = ((3840, 2160), 21)
    default: (box, video.quality) = (nil, 18)
    }
    video.size = box.map { Preset.Size($0.0, $0.1) }
    return video
  }
}

extension ExportSession {
  /// Creates a session for an asset and one of AVFoundation's presets, such as `.highestQuality`.
  ///
  /// Throws as ``ExportPreset/preset(in:container:)`` and the other initializers do.
  public convenience init(
    asset: Asset, preset: ExportPreset, registry: PluginRegistry = .standard, threads: Int = 1
  ) throws(MediaError) {
    try self.init(asset: asset, presetName: preset.rawValue, registry: registry, threads: threads)
  }

  /// Creates a session for an asset and a preset name: an AVFoundation preset or one of the standard preset
  /// library, such as `web-720p`.
  ///
  /// `container` replaces the preset's container. `nil`: the preset's own. Throws as
  /// ``ExportPreset/preset(in:container:)``, the preset library and the other initializers do.
  public convenience init(
    asset: Asset, presetName: String, container: String? = nil,
    registry: PluginRegistry = .standard,
    threads: Int = 1
  ) throws(MediaError) {
    let named = ExportPreset(rawValue: presetName)
    guard named.isAVFoundations else {
      var preset = try PresetLibrary.standard.preset(presetName)
      if let container { preset.container = container }
      try self.init(asset: asset, preset: preset, registry: registry, threads: threads)
      return
    }
    let preset = try named.preset(in: registry, container: container)
    try self.init(
      asset: asset, preset: preset, named: named, registry: registry, threads: threads)
  }
}
