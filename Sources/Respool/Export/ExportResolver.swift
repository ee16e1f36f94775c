import RespoolMedia

/// Media to export, with the reasons against copying it.
struct SourceMedia {
  var media: MediaDescription
  /// Reasons why tracks cannot be copied, by track index.
  var uncopied: [Int: String] = [:]
  /// Indices of tracks whose clips contain only a part of their source tracks.
  var cutClips: Set<Int> = []
  /// Size of the file in bytes; `nil` if the media are edited.
  var size: Int64?
  /// `true` if frames can be looked at before the export: those of a file that is exported as a whole.
  var showsFrames = false
  /// Properties that frames of tracks were seen to have, by track index.
  var seen: [Int: SeenFrames] = [:]

  init(_ media: MediaDescription, size: Int64? = nil) { (self.media, self.size) = (media, size) }
}

/// Resolution of a preset and the settings of a session for a source.
struct ExportResolver {
  let preset: Preset
  /// AVFoundation preset that `preset` was made from; `nil` if it was not.
  let named: ExportPreset?
  let configuration: ExportConfiguration
  let registry: PluginRegistry
  let available: AvailablePlugins

  /// File type to write.
  var fileType: FileType { configuration.outputFileType ?? FileType(preset.container) }

  /// Throws `invalidArgument` if the settings contradict each other.
  func check() throws(MediaError) {
    if configuration.preservesAlternates, configuration.audioMix != nil {
      throw MediaError(
        .invalidArgument,
        "an audio mix cannot be combined with preserved alternate tracks: set one of them")
    }
    guard let named, configuration.outputFileType != nil,
      available.muxer(named: fileType.rawValue) != nil
    else { return }
    try named.checkType(fileType.rawValue, available)
  }

  /// Returns the source media of an asset that is not prepared.
  func sourceMedia(of asset: Asset) throws(MediaError) -> SourceMedia {
    try check()
    guard configuration.isEdited || !asset.isFile else {
      return SourceMedia(try asset.mediaDescription(), size: asset.fileSize)
    }
    return try editedMedia(of: asset).source
  }

  /// Returns the media of the edited asset; `start` replaces the start of the time range.
  func editedMedia(of asset: Asset, startingAt start: MediaTime? = nil) throws(MediaError)
    -> EditedMedia
  {
    var edits = configuration
    if let start { edits.timeRange = TimeRange(start: start, end: edits.timeRange.end) }
    // Media that is passed through is neither mixed nor composed.
    let isCopied = named == .passthrough
    if isCopied { (edits.audioMix, edits.videoComposition) = (nil, nil) }
    var edited = try EditedMedia(asset, edits, mixesAudio: !isCopied)
    if asset.isFile, !isCopied, let path = asset.path {
      try edited.takeFields(
        registry.unstatedFieldOrders(of: FileSource(path: path), asset.mediaDescription()))
    }
    return edited
  }

  /// Returns the file types that can be written, the session's own first.
  ///
  /// A type is included if every track of the session's own type can be written as the preset asks.
  func fileTypes(for source: SourceMedia) throws(MediaError) -> [FileType] {
    let own = try resolve(source).mediaTracks
    var answers: [AvailablePlugins.Factory: Bool] = [:]
    let candidates =
      named?.containers
      ?? available.all(.muxer).map(\.description).flatMap { [$0.name] + $0.aliases + $0.extensions }
    var types: [String] = []
    for type in [fileType.rawValue] + candidates where !types.contains(type) {
      guard let muxer = available.muxer(named: type) else { continue }
      if answers[muxer] == nil {
        // A type that cannot be resolved cannot be written; the reason is not needed here.
        let made = try? resolve(source, as: type)
        answers[muxer] =
          made.map { $0.skipReason == nil && $0.mediaTracks.isSuperset(of: own) }
          ?? false
      }
      if answers[muxer] == true { types.append(type) }
    }
    return types.map { FileType($0) }
  }

  /// Resolves the settings for a source and a container; `nil` stands for that of the session.
  func resolve(_ source: SourceMedia, as container: String? = nil) throws(MediaError)
    -> ResolvedSettings
  {
    var preset = preset
    preset.container = container ?? fileType.rawValue
    if preset.container != self.preset.container,
      available.muxer(named: preset.container) != available.muxer(named: self.preset.container)
    {
      // Options belong to one muxer and mean nothing to another.
      preset.containerOptions = []
    }
    var settings = try resolve(preset, source)
    if named == .passthrough { try checkKinds(of: settings, source.media) }
    if configuration.preservesAlternates, preset.audio != nil {
      preset.change { $0.tracks = .all }
      preset.changeAudio { audio in
        audio.trackRules = []
        if audio.passThrough != .only { audio.passThrough = .any }
      }
      settings.takeAudio(of: try resolve(preset, source))
    }
    settings.isOptimizedForNetwork = configuration.isOptimizedForNetwork
    return settings
  }

  private func resolve(_ preset: Preset, _ source: SourceMedia) throws(MediaError)
    -> ResolvedSettings
  {
    try PresetResolver.resolve(
      preset: preset, source: source.media, available: available, uncopied: source.uncopied,
      cutClips: source.cutClips, size: source.size, seen: source.seen,
      showsFrames: source.showsFrames,
      isOneOfMany: configuration.isOneOfMany)
  }

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
  /// Source indices of the video and audio tracks that are written.
  fileprivate var mediaTracks: Set<Int> {
    Set(
      outputTracks.filter {
        ($0.kind == .video || $0.kind == .audio) && !coverIndexes.contains($0.source)
      }.map(\.source))
  }

  /// Replaces the audio settings with those of `other`, which has the same source.
  fileprivate mutating func takeAudio(of other: ResolvedSettings) {
    for index in tracks.indices where tracks[index].kind == .audio {
      tracks[index] = other.tracks[index]
    }
    decisions.removeAll(where: \.setting.isForAudio)
    decisions += other.decisions.filter(\.setting.isForAudio)
    if !outputTracks.isEmpty { skipReason = skipReason.flatMap { _ in other.skipReason } }
  }
}
