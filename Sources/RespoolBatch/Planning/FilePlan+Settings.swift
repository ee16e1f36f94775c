import Respool
import RespoolMedia

extension FilePlan {
  /// Creates the plan for a readable file.
  ///
  /// `reader` is the name of the plugin that reads it.
  init(_ settings: ResolvedSettings, _ media: MediaDescription?, reader: String?) {
    let duration = Double(media?.duration ?? 0) / 1e9
    if let reason = settings.skipReason {
      self.init(action: .skip, reason: reason, isLasting: true)
      return
    }
    if let problem = FileExtension.problem(settings.fileExtension) {
      let (name, plugin) = (settings.muxer.description.name, settings.muxer.plugin)
      self.init(action: .fail, reason: "the muxer \(name) of the plugin \(plugin): \(problem)")
      return
    }
    var cost = 0.0
    var plugins = Set([reader, settings.muxer.plugin].compactMap(\.self))
    for track in settings.outputTracks {
      switch track.action {
      case .convertVideo(let video):
        plugins.insert(video.encoder.plugin)
        // Encoding video needs by far the most work; a second of audio counts like a small frame.
        cost += duration * Double(video.width * video.height) * max(1, video.frameRate.doubleValue)
      case .convertAudio(let audio):
        plugins.insert(audio.encoder.plugin)
        cost += duration * Double(audio.sampleRate)
      case .convertCaptions, .passThrough, .drop: cost += duration
      }
    }
    self.init(
      action: settings.isPassThroughOnly ? .copy : .convert,
      outputExtension: settings.fileExtension, duration: duration, cost: cost,
      size: media.flatMap { ExportEstimate(settings, $0).length } ?? 0, plugins: plugins.sorted(),
      drops: media.map { settings.drops(of: $0) } ?? [])
  }

  /// Creates the plan for an unreadable file: files that are not media are skipped, broken ones fail.
  init(_ error: MediaError, of path: String, _ registry: PluginRegistry) {
    var reason = error
    reason.file = nil
    switch error.code {
    case .malformed, .unsupported, .pluginFailure:
      // If a plugin does not work, the text may be a format that it reads.
      let isMedia = Self.isMedia(path, registry)
      // A damaged file of media may look like text. Text in its place is often the message of a failed download, so
      // that the user misses a file.
      if let kind = ForeignFile.kind(path, trustsText: error.code != .pluginFailure),
        !isMedia || kind != ForeignFile.text
      {
        self.init(
          action: .skip,
          reason: "not a media file but \(kind)"
            + (isMedia ? ", although its name is one of media" : ""), isLasting: true)
        return
      }
    default: break
    }
    let isForeign = error.code == .unsupported && error.path == nil && error.track == nil
    let text = reason.description
    if error.detail == .fileFormatNotRecognized, Self.isMedia(path, registry) {
      // As a check says too.
      self.init(
        action: .fail,
        reason: text
          + ", although its name is one of media: its start is damaged, or it is something else",
        isLasting: error.isLasting)
    } else {
      self.init(action: isForeign ? .skip : .fail, reason: text, isLasting: error.isLasting)
    }
  }

  /// Returns `true` if the file's extension is one of media.
  static func isMedia(_ path: String, _ registry: PluginRegistry) -> Bool {
    let suffix = PathName.splitExtension(PathName.last(path)).extension
    return !suffix.isEmpty
      && registry.factories(.demuxer).contains { $0.description.extensions.contains(suffix) }
  }
}

extension MediaError {
  /// `true` if the file itself is the cause, so that it fails again unless it, the preset or a plugin changes.
  var isLasting: Bool { (code == .malformed || code == .unsupported) && detail != .endsEarly }
}
