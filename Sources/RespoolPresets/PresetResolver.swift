public import RespoolMedia

/// A resolver of a preset to concrete settings for one source and the plugins that are present.
///
/// It uses descriptions only and opens nothing, so the same arguments give the same settings on every
/// machine. Every decision is recorded with its reason.
public struct PresetResolver {
  package typealias Subject = ResolvedSettings.Setting.Subject

  package let preset: Preset
  package let source: MediaDescription
  package let available: AvailablePlugins
  package let muxer: AvailablePlugins.Factory
  package let uncopied: [Int: String]
  package let cutClips: Set<Int>
  package let isOneOfMany: Bool
  package var decisions: [ResolvedSettings.Decision] = []

  /// Resolves every setting.
  ///
  /// - Parameters:
  ///   - preset: the preset.
  ///   - source: description of the source. Tracks to be converted should state their size, pixel format,
  ///     sample rate and layout. If a demuxer leaves them open, decode a frame first.
  ///   - available: the plugins that may be used.
  ///   - uncopied: reasons why tracks cannot be copied, by index, if their descriptions do not show it:
  ///     mixed or composed media have no packets.
  ///   - cutPieces: indexes of composition tracks whose segments are parts of their source tracks.
  ///   - isOneOfMany: `true` if other files are converted at the same time, as in a batch.
  /// - Throws: ``MediaError`` if the preset cannot be applied: a plugin is missing, no decoder reads the
  ///   track, or the frame size of the track is unknown.
  public static func resolve(
    preset: Preset, source: MediaDescription, available: AvailablePlugins,
    uncopied: [Int: String] = [:], cutClips: Set<Int> = [], isOneOfMany: Bool = false
  ) throws(MediaError) -> ResolvedSettings {
    guard let muxer = available.muxer(named: preset.container) else {
      throw MediaError(
        .unsupported,
        "no plugin writes \(preset.container), which preset \(preset.name) asks for; there are "
          + list(available.all(.muxer).map(\.description.name)), file: preset.path)
    }
    var assistant = PresetResolver(
      preset: preset, source: source, available: available, muxer: muxer, uncopied: uncopied,
      cutClips: cutClips, isOneOfMany: isOneOfMany)
    return try assistant.resolve()
  }

  private init(
    preset: Preset, source: MediaDescription, available: AvailablePlugins,
    muxer: AvailablePlugins.Factory, uncopied: [Int: String], cutClips: Set<Int>, isOneOfMany: Bool
  ) {
    self.preset = preset
    self.source = source
    self.available = available
    self.muxer = muxer
    self.uncopied = uncopied
    self.cutClips = cutClips
    self.isOneOfMany = isOneOfMany
  }

  private mutating func resolve() throws(MediaError) -> ResolvedSettings {
    let format = muxer.description
    let fileExtension =
      format.extensions.contains(preset.container)
      ? preset.container : format.extensions.first ?? format.name
    record(output("container"), format.name, "preset \(preset.name) says \(preset.container)")
    record(output("fileExtension"), fileExtension, "usual for \(preset.container)")

    let chosen = chooseTracks()
    var tracks: [ResolvedSettings.Track] = []
    var covers: Set<Int> = []
    var counts: [TrackDescription.Kind: Int] = [:]
    for (index, track) in source.tracks.enumerated() {
      let action: ResolvedSettings.Track.Action
      if let reason = chosen.dropped[index] {
        action = .drop(reason: reason)
      } else if chosen.covers.contains(index) {
        action = cover(track)
        if action == .passThrough { covers.insert(index) }
      } else {
        counts[track.kind, default: 0] += 1
        let number = counts[track.kind] ?? 1
        switch track.kind {
        case .video: action = try video(track, about: .video(number), index: index)
        case .audio: action = try audio(track, about: .audio(number), index: index)
        default: action = other(track, index: index)
        }
      }
      if case .drop(let reason) = action {
        record(
          .init(.track(TrackNumber(index: index)), .treatment), "drop \(Self.describe(track))",
          reason)
      }
      var resolved = ResolvedSettings.Track(source: index, kind: track.kind, action: action)
      resolved.isReplaced = chosen.replaced.contains(index)
      tracks.append(resolved)
    }

    // Subtitles alone are an output only if the preset makes nothing else.
    let kinds: [TrackDescription.Kind] =
      preset.video == nil && preset.audio == nil ? [.subtitle] : [.video, .audio]
    let hasMedia = tracks.contains {
      !$0.isDropped && kinds.contains($0.kind) && !covers.contains($0.source)
    }
    let skipReason = hasMedia ? nil : whyNothing(tracks)
    if let skipReason { record(output("output"), "none", skipReason) }
    let keepsMetadata = metadata()
    recordChapters()
    return ResolvedSettings(
      preset: preset.name, muxer: muxer, fileExtension: fileExtension,
      containerOptions: preset.containerOptions, tracks: tracks, keepsMetadata: keepsMetadata,
      keepsChapters: keepsChapters, decisions: decisions, skipReason: skipReason, covers: covers)
  }

  private func output(_ name: String) -> ResolvedSettings.Setting {
    Subject.output.setting(name)
  }

  /// Records a decision.
  ///
  /// A decision with a loss is a warning.
  package mutating func record(
    _ setting: ResolvedSettings.Setting, _ value: String, _ reason: String, isWarning: Bool = false,
    loss: String? = nil
  ) {
    var decision = ResolvedSettings.Decision(
      setting: setting, value: value, reason: reason, isWarning: isWarning || loss != nil)
    decision.loss = loss
    decisions.append(decision)
  }

  // MARK: Other than video and audio

  private func cover(_ track: TrackDescription) -> ResolvedSettings.Track.Action {
    if preset.cover == .drop { return .drop(reason: "the preset drops covers") }
    if let refusal = available.refusal(of: muxer, for: track) { return .drop(reason: refusal) }
    return .passThrough
  }

  private mutating func other(_ track: TrackDescription, index: Int)
    -> ResolvedSettings.Track.Action
  {
    if track.kind == .subtitle, preset.subtitles == .drop {
      return .drop(reason: "the preset drops subtitles")
    }
    if let reason = uncopied[index] { return .drop(reason: reason) }
    guard let refusal = whyNot(copy: track) else { return .passThrough }
    // Output that drops its video needs no text for it.
    guard preset.video != nil, let codec = captionCodec(for: track) else {
      return .drop(reason: refusal)
    }
    record(
      .init(.track(TrackNumber(index: index)), .treatment), codec, "\(refusal); the text is kept")
    return .convertCaptions(codec: codec)
  }

  private func whyNot(copy track: TrackDescription) -> String? {
    if let refusal = available.refusal(of: muxer, for: track) { return refusal }
    return track.isTextOfMovies
      ? "the track stores \(track.codec) in the form of another container" : nil
  }

  /// Returns the codec for text that the container does not carry unchanged; `nil` if there is none.
  private func captionCodec(for track: TrackDescription) -> String? {
    guard track.isReadableText else { return nil }
    return TrackDescription.writableText.first { codec in
      var text = track
      (text.codec, text.codecTag, text.extradata) = (codec, 0, [])
      return available.refusal(of: muxer, for: text) == nil
    }
  }

  private mutating func metadata() -> Bool {
    let keeps = preset.metadata == .keep
    record(
      output("metadata"), keeps ? "keep" : "drop",
      keeps ? "the preset keeps metadata" : "the preset drops metadata")
    return keeps
  }

  /// `true` if the file's chapters are written.
  package var keepsChapters: Bool {
    !source.chapters.isEmpty && preset.chapters == .keep
      && muxer.description.flags.contains(.keepsChapters)
  }

  private mutating func recordChapters() {
    if source.chapters.isEmpty { return }
    if keepsChapters {
      record(output("chapters"), "keep", "\(source.chapters.count) chapters")
    } else if preset.chapters == .drop {
      record(output("chapters"), "drop", "the preset drops chapters")
    } else {
      record(
        output("chapters"), "drop", "the muxer \(muxer.description.name) writes no chapters",
        isWarning: true)
    }
  }

  private func whyNothing(_ tracks: [ResolvedSettings.Track]) -> String {
    let hasAudio = source.tracks.contains { $0.kind == .audio }
    let hasVideo = source.tracks.contains { $0.isMovingPicture }
    if preset.video == nil, preset.audio == nil {
      return "the source has no subtitles that the container carries, "
        + "and the preset makes nothing else"
    }
    if preset.video == nil, !hasAudio {
      return "the source has no audio, and the preset makes nothing else"
    }
    if preset.audio == nil, !hasVideo {
      return "the source has no moving video, and the preset makes nothing else"
    }
    if !hasAudio, !hasVideo {
      return source.tracks.contains { $0.kind == .video }
        ? "a still image, not video" : "the source has neither video nor audio"
    }
    for case .drop(let reason) in tracks.map(\.action) { return "nothing is left: \(reason)" }
    return "nothing is left to write"
  }

  // MARK: Words

  package static func list(_ words: [String]) -> String {
    words.isEmpty ? "none" : words.joined(separator: ", ")
  }

  package static func describe(_ track: TrackDescription) -> String {
    let codec = track.codec.isEmpty ? "" : "\(track.codec) "
    return codec + "\(track.kind)"
  }
}
