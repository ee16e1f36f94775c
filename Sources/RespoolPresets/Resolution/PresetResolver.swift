public import RespoolMedia

/// A resolver of a preset to concrete settings for one source and the plugins that are present.
///
/// It uses descriptions only and opens nothing, so the same arguments give the same settings on every
/// machine. Every decision is recorded with its reason.
public struct PresetResolver {
  private let input: ResolutionInput
  private let preset: Preset
  private let source: MediaDescription
  private let muxer: FactoryDescription
  /// `true` if the file's chapters are written.
  private let keepsChapters: Bool
  private let recorder = DecisionRecorder()

  /// Resolves every setting.
  ///
  /// - Parameters:
  ///   - preset: the preset.
  ///   - source: description of the source. Tracks to be converted should state their size, pixel format,
  ///     sample rate and layout. If a demuxer leaves them open, decode a frame first.
  ///   - available: the plugins that may be used.
  ///   - uncopied: reasons why tracks cannot be copied, by index, if their descriptions do not show it:
  ///     mixed or composed media have no packets.
  ///   - cutClips: indexes of composition tracks whose segments are parts of their source tracks.
  ///   - size: size of the source in bytes; `nil` if it is not a file.
  ///   - isOneOfMany: `true` if other files are converted at the same time, as in a batch.
  /// - Throws: ``MediaError`` if the preset cannot be applied: a plugin is missing, no decoder reads the
  ///   track, or the frame size of the track is unknown.
  public static func resolve(
    preset: Preset, source: MediaDescription, available: AvailablePlugins,
    uncopied: [Int: String] = [:], cutClips: Set<Int> = [], size: Int64? = nil,
    isOneOfMany: Bool = false
  ) throws(MediaError) -> ResolvedSettings {
    try resolve(
      preset: preset, source: source, available: available, uncopied: uncopied,
      cutClips: cutClips, size: size, seen: [:], showsFrames: true, isOneOfMany: isOneOfMany)
  }

  /// Resolves every setting for a source some of whose frames have been looked at.
  package static func resolve(
    preset: Preset, source: MediaDescription, available: AvailablePlugins,
    uncopied: [Int: String], cutClips: Set<Int>, size: Int64?, seen: [Int: SeenFrames],
    showsFrames: Bool, isOneOfMany: Bool
  ) throws(MediaError) -> ResolvedSettings {
    guard let muxer = available.muxer(named: preset.container) else {
      throw MediaError(
        .unsupported,
        "no plugin writes \(preset.container), which preset \(preset.name) asks for; there are "
          + Spelling.list(available.all(.muxer).map(\.description.name)), file: preset.path
      ).explained(
        by: available.unusable.explanation(for: .muxer, named: preset.container))
    }
    let (applied, variant) = preset.applied(to: source, size: size)
    let input = ResolutionInput(
      preset: applied, source: source, size: size, available: available, factory: muxer,
      uncopied: uncopied, cutClips: cutClips, seen: seen, showsFrames: showsFrames,
      isOneOfMany: isOneOfMany)
    let resolver = PresetResolver(input)
    if let variant {
      resolver.recorder.recordVariant(variant, of: preset.variants.map(\.condition))
    }
    return try resolver.resolve()
  }

  private init(_ input: ResolutionInput) {
    self.input = input
    (preset, source, muxer) = (input.preset, input.source, input.muxer)
    keepsChapters =
      !source.chapters.isEmpty && preset.chapters == .keep && muxer.flags.contains(.keepsChapters)
  }

  private func resolve() throws(MediaError) -> ResolvedSettings {
    let fileExtension =
      muxer.extensions.contains(preset.container)
      ? preset.container : muxer.extensions.first ?? muxer.name
    recorder.record("container", muxer.name, "preset \(preset.name) says \(preset.container)")
    recorder.record("fileExtension", fileExtension, "usual for \(preset.container)")
    if let limit = preset.fileSizeLimit {
      recorder.record(
        "fileSizeLimit", limit.counting("byte"),
        "from the preset; bit rates are lowered if the file would be larger")
    }
    let selection = TrackSelection(
      by: input, writesChapters: keepsChapters, recorder)
    let tracks = try resolveTracks(selection)
    let covers = selection.covers.filter { !tracks[$0].isDropped }
    // Subtitles alone are an output only if the preset makes nothing else.
    let kinds: [TrackDescription.Kind] =
      preset.video == nil && preset.audio == nil ? [.subtitle] : [.video, .audio]
    let hasMedia = tracks.contains {
      !$0.isDropped && kinds.contains($0.kind) && !covers.contains($0.source)
    }
    let skipReason = hasMedia ? nil : whyNothing(tracks.map(\.action))
    if let skipReason { recorder.record("output", "none", skipReason) }
    let keepsMetadata = preset.metadata == .keep
    recorder.record(
      "metadata", keepsMetadata ? "keep" : "drop",
      keepsMetadata ? "the preset keeps metadata" : "the preset drops metadata")
    recordChapters()
    return ResolvedSettings(
      preset: preset.name, applied: preset, muxer: input.factory, fileExtension: fileExtension,
      containerOptions: preset.containerOptions, tracks: tracks, keepsMetadata: keepsMetadata,
      keepsChapters: keepsChapters, decisions: recorder.decisions, skipReason: skipReason,
      coverIndexes: covers)
  }

  private func resolveTracks(_ selection: TrackSelection) throws(MediaError)
    -> [ResolvedSettings.Track]
  {
    let video = VideoResolver(input, drawing: selection.burnt)
    let audio = AudioResolver(input)
    let others = OtherTrackRule(input)
    /// Settings of the preset for a track of video or audio; `nil` if it makes none.
    func wanted<Settings: VariantSettings>(
      _ settings: Settings?, _ track: TrackDescription, _ recorder: DecisionRecorder
    ) -> Settings? { settings.map { $0.applied(to: track, input, recorder) } }
    var tracks: [ResolvedSettings.Track] = []
    var counts: [TrackDescription.Kind: Int] = [:]
    for (index, track) in source.tracks.enumerated() {
      var action = ResolvedSettings.Track.Action.drop(reason: "the preset makes no \(track.kind)")
      var passThrough: Preset.PassThrough?
      var statesLoudness = false
      if let reason = selection.dropped[index] {
        action = .drop(reason: reason)
      } else if selection.covers.contains(index) {
        action = others.cover(track)
      } else {
        let number = counts[track.kind, default: 0] + 1
        counts[track.kind] = number
        switch track.kind {
        case .video:
          let recorder = recorder.about(.video(number))
          guard let wanted = wanted(preset.video, track, recorder) else { break }
          passThrough = wanted.passThrough
          action = try video.resolve(track, index, wanted, recorder)
        case .audio:
          let recorder = recorder.about(.audio(number))
          guard let wanted = wanted(preset.audio, track, recorder) else { break }
          (passThrough, statesLoudness) = (wanted.passThrough, wanted.loudness == .tags)
          action = try audio.resolve(track, index, wanted, recorder)
        default: action = others.resolve(track, index, recorder)
        }
      }
      if case .drop(let reason) = action {
        let codec = track.codec.isEmpty ? "" : "\(track.codec) "
        recorder.about(.track(TrackNumber(index: index))).record(
          .treatment, "drop \(codec)\(track.kind)", reason)
      }
      var resolved = ResolvedSettings.Track(source: index, kind: track.kind, action: action)
      resolved.isReplaced = selection.replaced.contains(index)
      (resolved.passThrough, resolved.statesLoudness) = (passThrough, statesLoudness)
      tracks.append(resolved)
    }
    return tracks
  }

  private func recordChapters() {
    if source.chapters.isEmpty { return }
    if keepsChapters {
      recorder.record("chapters", "keep", source.chapters.count.counting("chapter"))
    } else if preset.chapters == .drop {
      recorder.record("chapters", "drop", "the preset drops chapters")
    } else {
      recorder.record(
        "chapters", "drop", "the muxer \(muxer.name) writes no chapters", isWarning: true)
    }
  }

  private func whyNothing(_ actions: [ResolvedSettings.Track.Action]) -> String {
    let hasAudio = source.tracks.contains { $0.kind == .audio }
    let hasVideo = source.tracks.contains { $0.isMovingPicture }
    if preset.video == nil, preset.audio == nil {
      return "the source has no subtitles that the container carries, "
        + "and the preset makes nothing else"
    }
    if preset.video == nil, !hasAudio {
      return "the source has no audio, and the preset makes nothing else"
    }
    if input.writesStills, !source.tracks.contains(where: { $0.disposition.contains(.stillImage) })
    {
      let isAnimation =
        source.tracks.contains { ["gif", "apng"].contains($0.codec) }
        || source.tracks.contains(where: \.isMovingPicture)
          && ["avif", "heif"].contains(source.containerName)
      return "\(muxer.name) holds one still image, and the source "
        + (isAnimation ? "is an animation, which presets for video convert" : "has none")
    }
    if preset.audio == nil, !hasVideo, !input.writesStills {
      return "the source has no moving video, and the preset makes nothing else"
    }
    if !hasAudio, !hasVideo {
      return source.tracks.contains { $0.kind == .video }
        ? "a still image, not video" : "the source has neither video nor audio"
    }
    for case .drop(let reason) in actions { return "nothing is left: \(reason)" }
    return "nothing is left to write"
  }
}
