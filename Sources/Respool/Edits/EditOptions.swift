public import RespoolMedia

/// The edits of one file that need no composition to be told: a part of it, a turn, a size, what is drawn
/// over it, how loud it is, and fades.
public struct EditOptions: Hashable, Sendable {
  /// Words over the picture.
  public struct Caption: Hashable, Sendable {
    public var text: String
    public var anchor: OverlayPosition.Anchor
    /// Of the em: points of the upright picture, or a part of its height.
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

  /// Where the part begins, on the time line of the file; nil: at its start.
  public var start: MediaTime?
  /// Where the part ends; nil, or behind the end: at the file's end.
  public var end: MediaTime?
  public var turn: PictureTurn?
  /// A box that the picture fits into, in place of the preset's.
  public var size: Preset.Size?
  /// Images over the picture, later ones over earlier ones.
  public var overlays: [Overlay] = []
  /// Over the images.
  public var caption: Caption?
  /// How loud: 0 silent, 1 as it is.
  public var volume: Float = 1
  /// How long sound and picture take to come up at the start of the part, the picture from black.
  public var fadeIn = MediaTime.zero
  /// How long sound and picture take to go down at the end of the part, the picture to black.
  public var fadeOut = MediaTime.zero

  /// No edits.
  public init() {}

  private var fades: Bool { fadeIn > .zero || fadeOut > .zero }
  private var composes: Bool { fades || !overlays.isEmpty || caption != nil }
  private var mixes: Bool { fades || volume != 1 }
}

extension EditOptions {
  /// An export of `asset` by `preset` with these edits; not prepared yet.
  ///
  /// Throws what reading the asset throws, and `invalidArgument` where an edit has nothing to work on: no
  /// picture or sound in the file or in what the preset makes, a part that is empty, fades longer than
  /// the part, a preset that only copies.
  public func makeSession(
    for asset: Asset, preset: Preset, registry: PluginRegistry = .standard, threads: Int = 1
  ) throws(MediaError) -> ExportSession {
    guard self != EditOptions() else {
      return try ExportSession(asset: asset, preset: preset, registry: registry, threads: threads)
    }
    let asset = try hasToMeasure(asset) ? asset.measured : asset
    let tracks = try asset.tracks()
    let pictures = tracks.filter { $0.description.isMovingPicture }
    let sounds = tracks.filter { $0.mediaType == .audio }
    try check(preset, hasPicture: !pictures.isEmpty, hasSound: !sounds.isEmpty)
    let part = try part(of: asset)
    let session = try ExportSession(
      asset: asset, preset: adapted(preset), registry: registry, threads: threads)
    if start != nil || end != nil {
      session.timeRange = TimeRange(start: part.start, end: end ?? .positiveInfinity)
    }
    if composes, preset.video != nil, let first = pictures.first {
      session.videoComposition = try composition(of: first, part)
    } else {
      session.pictureTurn = turn
    }
    if mixes, preset.audio != nil, !sounds.isEmpty {
      session.audioMix = MutableAudioMix(
        inputParameters: try sounds.map { (track) throws(MediaError) in
          try loudness(of: track, part)
        })
      // Tracks of one file are alternatives, not to be heard at once.
      session.keepsSoundTracksApart = true
    }
    return session
  }

  /// Whether it matters where the file really ends, which its header may tell wrong or not at all.
  private func hasToMeasure(_ asset: Asset) throws(MediaError) -> Bool {
    if fadeOut > .zero || composes { return true }
    let whole = try asset.duration()
    return start.map { whole.isNumeric && $0 >= whole } ?? false
  }

  private func check(_ preset: Preset, hasPicture: Bool, hasSound: Bool) throws(MediaError) {
    let edits = [
      (!overlays.isEmpty, "an overlay"), (caption != nil, "a text"), (turn != nil, "a rotation"),
      (size != nil, "a size"),
    ]
    if let edit = edits.first(where: \.0)?.1 {
      try require("a picture", edit, hasPicture, preset.video != nil, preset)
    }
    if volume != 1 { try require("sound", "a volume", hasSound, preset.audio != nil, preset) }
    if composes, hasPicture, preset.video?.passThrough == .only {
      throw MediaError(
        .invalidArgument,
        "the preset \(preset.name) copies pictures as they are; take one that encodes them")
    }
    if fades {
      let (seen, heard) = (hasPicture && preset.video != nil, hasSound && preset.audio != nil)
      try require("picture or sound", "a fade", hasPicture || hasSound, seen || heard, preset)
    }
    if size != nil, preset.video?.passThrough == .only {
      throw MediaError(
        .invalidArgument, "the preset \(preset.name) copies pictures and gives them no other size")
    }
    if mixes, hasSound, preset.audio?.passThrough == .only {
      throw MediaError(
        .invalidArgument,
        "the preset \(preset.name) copies sound as it is; take one that encodes it")
    }
  }

  private func require(
    _ media: String, _ edit: String, _ isThere: Bool, _ isMade: Bool, _ preset: Preset
  ) throws(MediaError) {
    if !isThere {
      throw MediaError(.invalidArgument, "\(edit) needs \(media), and there is none in the file")
    }
    if !isMade {
      throw MediaError(
        .invalidArgument, "\(edit) needs \(media), and the preset \(preset.name) makes none")
    }
  }

  /// What of the asset is exported; its end is infinite where nobody knows it.
  private func part(of asset: Asset) throws(MediaError) -> TimeRange {
    let whole = try asset.duration()
    let from = start ?? .zero
    var to = end ?? .positiveInfinity
    if whole.isNumeric { to = min(to, whole) }
    guard to > from else {
      throw MediaError(
        .invalidArgument,
        "there is nothing from \(from.seconds) s to \((end ?? to).seconds) s; the file is "
          + "\(whole.seconds) s long")
    }
    if fadeOut > .zero, !to.isNumeric {
      throw MediaError(
        .unsupported, "a fade-out needs an end, and the file does not say how long it is")
    }
    if to.isNumeric, fadeIn + fadeOut > to - from {
      throw MediaError(
        .invalidArgument,
        "fades of \((fadeIn + fadeOut).seconds) s do not fit into \((to - from).seconds) s")
    }
    return TimeRange(start: from, end: to)
  }

  private func adapted(_ preset: Preset) -> Preset {
    var preset = preset
    if let size {
      preset.video?.size = size
      // What is copied whatever it is like would keep its size.
      if preset.video?.passThrough == .any { preset.video?.passThrough = .auto }
    }
    if turn != nil { preset.video?.turnsPicture = true }
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
