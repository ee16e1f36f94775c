public import RespoolMedia

/// Edits of one file that need no composition: a time range, rotation, size, overlays, volume and fades.
public struct EditOptions: Hashable, Sendable {
  /// Text over the video.
  public struct Caption: Hashable, Sendable {
    public var text: String
    public var anchor: OverlayPosition.Anchor
    /// Font size: points of the upright frame, or a fraction of its height.
    public var size: OverlayLength

    public init(
      _ text: String, anchor: OverlayPosition.Anchor = .bottom,
      size: OverlayLength = .fraction(0.06)
    ) {
      self.text = text
      self.anchor = anchor
      self.size = size
    }
  }

  /// Start of the exported range, on the time line of the file.
  ///
  /// `nil` for the start of the file.
  public var start: MediaTime?
  /// End of the exported range.
  ///
  /// `nil`, or a time after the end of the file, for the end of the file.
  public var end: MediaTime?
  public var rotation: Rotation?
  /// Size that the video is fitted into; overrides that of the preset.
  public var size: Preset.Size?
  /// Images over the video, later ones over earlier ones.
  public var overlays: [Overlay] = []
  /// Text over the video and the images.
  public var caption: Caption?
  /// Volume.
  ///
  /// 0 is silent. Default 1, the original volume.
  public var volume: Float = 1
  /// Fade-in duration for audio and video, the latter from black.
  public var fadeIn = MediaTime.zero
  /// Fade-out duration for audio and video, the latter to black.
  public var fadeOut = MediaTime.zero

  /// Creates options without edits.
  public init() {}

  private var fades: Bool { fadeIn > .zero || fadeOut > .zero }
  private var composes: Bool { fades || !overlays.isEmpty || caption != nil }
  private var mixes: Bool { fades || volume != 1 }
}

extension EditOptions {
  /// Creates an export of `asset` by `preset` with these edits; not prepared yet.
  ///
  /// Throws errors of reading the asset. Throws `invalidArgument` if an edit cannot be applied:
  /// - the file or the preset's output has no video or audio for it,
  /// - the time range is empty,
  /// - the fades are longer than the time range,
  /// - the preset only copies.
  public func makeSession(
    for asset: Asset, preset: Preset, registry: PluginRegistry = .standard, threads: Int = 1
  ) throws(MediaError) -> ExportSession {
    guard self != EditOptions() else {
      return try ExportSession(asset: asset, preset: preset, registry: registry, threads: threads)
    }
    let asset = try hasToMeasure(asset) ? asset.measured() : asset
    let preset = preset.applied(to: try asset.mediaDescription(), size: asset.fileSize).preset
    let tracks = try asset.tracks()
    let videoTracks = tracks.filter { $0.description.isMovingPicture }
    let audioTracks = tracks.filter { $0.mediaType == .audio }
    try check(preset, hasVideo: !videoTracks.isEmpty, hasAudio: !audioTracks.isEmpty)
    let part = try part(of: asset)
    let session = try ExportSession(
      asset: asset, preset: adapted(preset), registry: registry, threads: threads)
    if start != nil || end != nil {
      session.timeRange = TimeRange(start: part.start, end: end ?? .positiveInfinity)
    }
    if composes, preset.video != nil, let first = videoTracks.first {
      session.videoComposition = try composition(of: first, part)
    } else {
      session.rotation = rotation
    }
    if mixes, preset.audio != nil, !audioTracks.isEmpty {
      session.audioMix = MutableAudioMix(
        inputParameters: try audioTracks.map { (track) throws(MediaError) in
          try loudness(of: track, part)
        })
      // Tracks of one file are alternatives and not to be mixed.
      session.keepsAudioTracksSeparate = true
    }
    return session
  }

  /// Returns `true` if the exact end of the file is needed; its header may store a wrong duration or none.
  private func hasToMeasure(_ asset: Asset) throws(MediaError) -> Bool {
    if fadeOut > .zero || composes { return true }
    let whole = try asset.duration()
    return start.map { whole.isNumeric && $0 >= whole } ?? false
  }

  private func check(_ preset: Preset, hasVideo: Bool, hasAudio: Bool) throws(MediaError) {
    let edits = [
      (!overlays.isEmpty, "an overlay"), (caption != nil, "a text"),
      (rotation != nil, "a rotation"),
      (size != nil, "a size"),
    ]
    if let edit = edits.first(where: \.0)?.1 {
      try require("video", edit, hasVideo, preset.video != nil, preset)
    }
    if volume != 1 { try require("audio", "a volume", hasAudio, preset.audio != nil, preset) }
    if composes, hasVideo, preset.video?.passThrough == .only {
      throw MediaError(
        .invalidArgument,
        "the preset \(preset.name) copies video; use one that encodes video")
    }
    if fades {
      let (seen, heard) = (hasVideo && preset.video != nil, hasAudio && preset.audio != nil)
      try require("video or audio", "a fade", hasVideo || hasAudio, seen || heard, preset)
    }
    if size != nil, preset.video?.passThrough == .only {
      throw MediaError(
        .invalidArgument, "the preset \(preset.name) copies video, so the size cannot change")
    }
    if mixes, hasAudio, preset.audio?.passThrough == .only {
      throw MediaError(
        .invalidArgument,
        "the preset \(preset.name) copies audio; use one that encodes audio")
    }
  }

  private func require(
    _ media: String, _ edit: String, _ isThere: Bool, _ isMade: Bool, _ preset: Preset
  ) throws(MediaError) {
    if !isThere {
      throw MediaError(.invalidArgument, "\(edit) needs \(media), which the file does not have")
    }
    if !isMade {
      throw MediaError(
        .invalidArgument, "\(edit) needs \(media), and the preset \(preset.name) makes none")
    }
  }

  /// Returns the range of the asset to export; its end is infinite if unknown.
  private func part(of asset: Asset) throws(MediaError) -> TimeRange {
    let whole = try asset.duration()
    let from = start ?? .zero
    var to = end ?? .positiveInfinity
    if whole.isNumeric { to = min(to, whole) }
    guard to > from else {
      let until = end.map { " to \($0.seconds.decimalText) s" } ?? ""
      throw MediaError(
        .invalidArgument,
        "the file has nothing from \(from.seconds.decimalText) s\(until); its duration is "
          + "\(whole.seconds.decimalText) s")
    }
    if fadeOut > .zero, !to.isNumeric {
      throw MediaError(
        .unsupported, "a fade-out needs an end, but the file states no duration")
    }
    if to.isNumeric, fadeIn + fadeOut > to - from {
      throw MediaError(
        .invalidArgument,
        "fades of \((fadeIn + fadeOut).seconds) s are longer than the part of "
          + "\((to - from).seconds) s")
    }
    return TimeRange(start: from, end: to)
  }

  private func adapted(_ preset: Preset) -> Preset {
    var preset = preset
    if let size {
      preset.changeVideo { video in
        video.size = size
        // With `any`, the video would be copied in its original size.
        if video.passThrough == .any { video.passThrough = .auto }
      }
    }
    if rotation != nil { preset.changeVideo { $0.turnsPicture = true } }
    return preset
  }

  private func loudness(of track: AssetTrack, _ part: TimeRange) throws(MediaError)
    -> AudioMixInputParameters
  {
    let parameters = MutableAudioMixInputParameters(track: track)
    try parameters.setVolume(volume, at: .zero)
    if fadeIn > .zero {
      try parameters.setVolumeRamp(
        fromStartVolume: 0, toEndVolume: volume,
        timeRange: TimeRange(start: part.start, duration: fadeIn))
    }
    if fadeOut > .zero {
      try parameters.setVolumeRamp(
        fromStartVolume: volume, toEndVolume: 0,
        timeRange: TimeRange(start: part.end - fadeOut, duration: fadeOut))
    }
    return parameters
  }
}
