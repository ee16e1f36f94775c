import RespoolMedia

/// Handling of audio tracks that are alternatives to each other, such as languages.
public struct AssetTrackGroupOutputHandling: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Writes each of them as a separate track, passed through if the file type can store it.
  public static let preserveAlternateTracks = AssetTrackGroupOutputHandling(rawValue: 1)
}

extension ExportSession {
  /// Settings of the session in addition to its preset.
  struct Requests {
    var outputFileType: FileType?
    var outputPath: String?
    var isOptimizedForNetwork: Bool?
    var trackGroups: AssetTrackGroupOutputHandling = []
    var temporaryFolder: String?
    var pitch = AudioTimePitchAlgorithm.spectral
  }

  /// File type to write.
  ///
  /// The preset's by default. Set it before `prepare`, which throws if the preset cannot be written as this type.
  public var outputFileType: FileType {
    get { requests.outputFileType ?? FileType(preset.container) }
    set { requests.outputFileType = newValue }
  }

  /// Exports as a file type, which replaces `outputFileType`, and blocks until that is done.
  ///
  /// Throws as ``exportAndWait(to:progress:)`` does, and `invalidArgument` if the session has been prepared for
  /// another type.
  @discardableResult
  public func exportAndWait(
    to path: String, as type: FileType, progress: (@Sendable (Double) -> Void)? = nil
  ) throws(MediaError) -> ExportReport {
    try choose(type)
    return try exportAndWait(to: path, progress: progress)
  }

  func choose(_ type: FileType) throws(MediaError) {
    guard media == nil || type == outputFileType else {
      throw MediaError(
        .invalidArgument, "the export was prepared for \(outputFileType), not for \(type)")
    }
    outputFileType = type
  }

  /// `true` if the data that a player needs first comes first in the file.
  ///
  /// Set it before `prepare`. The default is the preset's setting, or `true` if the preset has none.
  /// AVFoundation's default is `false`. File types in which this data always comes first ignore it.
  public var shouldOptimizeForNetworkUse: Bool {
    get {
      requests.isOptimizedForNetwork
        ?? (preset.containerOptions.last { $0.name == "faststart" }?.value != "false")
    }
    set { requests.isOptimizedForNetwork = newValue }
  }

  /// Handling of audio tracks that are alternatives.
  ///
  /// Empty, the default: no special handling. Set it before `prepare`, which throws `invalidArgument` if there is
  /// also an audio mix: tracks that are mixed cannot be preserved.
  public var audioTrackGroupHandling: AssetTrackGroupOutputHandling {
    get { requests.trackGroups }
    set { requests.trackGroups = newValue }
  }

  /// Algorithm for audio that a composition plays slower or faster, if the audio mix sets none.
  ///
  /// `spectral` by default. Set it before `prepare`.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm {
    get { requests.pitch }
    set { requests.pitch = newValue }
  }

  var preservesAlternates: Bool { audioTrackGroupHandling.contains(.preserveAlternateTracks) }

  /// Throws if the settings of the session contradict each other.
  func checkRequests() throws(MediaError) {
    if preservesAlternates, audioMix != nil {
      throw MediaError(
        .invalidArgument,
        "an audio mix cannot be combined with preserved alternate tracks: set one of them")
    }
    guard let named, let type = requests.outputFileType else { return }
    let available = registry.availablePlugins
    if available.muxer(named: type.rawValue) != nil {
      try named.checkType(type.rawValue, available)
    }
  }

  /// The media to be exported, with the reasons against copying it.
  struct SourceMedia {
    var media: MediaDescription
    /// Reasons why tracks cannot be copied, by track index.
    var uncopied: [Int: String] = [:]
    /// Indices of tracks whose clips contain only a part of their source tracks.
    var cutClips: Set<Int> = []

    init(_ media: MediaDescription) { self.media = media }

    init(_ edited: EditedMedia) {
      (media, uncopied, cutClips) = (edited.media, edited.uncopied, edited.cutClips)
    }
  }

  /// Resolves the preset for a source and a container.
  func resolve(
    _ source: SourceMedia, as container: String, _ available: AvailablePlugins
  ) throws(MediaError) -> ResolvedSettings {
    var preset = preset
    if available.muxer(named: container) != available.muxer(named: preset.container) {
      // Options belong to one muxer and mean nothing to another.
      preset.containerOptions = []
    }
    preset.container = container
    var settings = try PresetResolver.resolve(
      preset: preset, source: source.media, available: available, uncopied: source.uncopied,
      cutClips: source.cutClips, isOneOfMany: isOneOfMany)
    if named == .passthrough { try checkKinds(of: settings, source.media) }
    if preservesAlternates, var audio = preset.audio {
      preset.tracks = .all
      if audio.passThrough != .only { audio.passThrough = .any }
      preset.audio = audio
      let all = try PresetResolver.resolve(
        preset: preset, source: source.media, available: available, uncopied: source.uncopied,
        cutClips: source.cutClips, isOneOfMany: isOneOfMany)
      settings.takeAudio(of: all)
    }
    settings.isOptimizedForNetwork = requests.isOptimizedForNetwork
    return settings
  }
}

extension ExportSession {
  /// Throws `unsupported` if pass-through would lose all video or all audio that the container could store.
  ///
  /// Pass-through should keep the media whole.
  private func checkKinds(of settings: ResolvedSettings, _ media: MediaDescription)
    throws(MediaError)
  {
    for (kind, type) in [(TrackDescription.Kind.video, MediaType.video), (.audio, .audio)] {
      let tracks = settings.tracks.filter {
        let track = media.tracks[$0.source]
        return track.kind == kind && (kind == .audio || track.isMovingPicture)
      }
      guard !tracks.isEmpty, tracks.allSatisfy(\.isDropped),
        settings.muxer.description.codecs.contains(where: { CodecKind.mediaType(of: $0) == type }),
        case .drop(let reason) = tracks[0].action
      else { continue }
      throw MediaError(
        .unsupported, "the track cannot be copied into \(settings.container): \(reason)",
        track: tracks[0].source)
    }
  }
}

extension ResolvedSettings {
  /// Replaces the audio settings with those of `other`, which has the same source.
  fileprivate mutating func takeAudio(of other: ResolvedSettings) {
    for index in tracks.indices where tracks[index].kind == .audio {
      tracks[index] = other.tracks[index]
    }
    decisions.removeAll(where: \.setting.isOfAudio)
    decisions += other.decisions.filter(\.setting.isOfAudio)
    if !outputTracks.isEmpty { skipReason = skipReason.flatMap { _ in other.skipReason } }
  }
}
