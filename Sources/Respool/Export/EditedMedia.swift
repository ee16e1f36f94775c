import RespoolMedia

/// Description of an edited asset as a file, and the origin of each of its tracks.
///
/// The edit is a part, an audio mix, a video composition or a rotation.
struct EditedMedia {
  enum Origin {
    case track(AssetTrack)
    case mix([AssetTrack])
    case composition([AssetTrack], VideoComposition)
    /// A file of subtitles beside the film.
    case sidecar
  }

  let asset: Asset
  /// Exported range, on the asset's timeline; its start becomes 0.
  let timeRange: TimeRange
  /// The media, with the reasons against copying its tracks.
  private(set) var source: SourceMedia
  private(set) var media: MediaDescription {
    get { source.media }
    set { source.media = newValue }
  }
  /// Origins of the media's tracks, in the same order.
  private(set) var origins: [Origin] = []
  /// Types of chapter records that a part of the file cannot keep.
  private var recordsOfWhole: [FourCC] = []
  let configuration: ExportConfiguration

  /// Creates the description of an asset with the edits of a configuration.
  ///
  /// `mixesAudio` is `true` if the audio tracks of a composition are mixed even without an audio mix.
  init(_ asset: Asset, _ configuration: ExportConfiguration, mixesAudio: Bool = true)
    throws(MediaError)
  {
    (self.asset, self.configuration) = (asset, configuration)
    var timeRange = configuration.timeRange
    source = SourceMedia(try asset.mediaDescription(), size: asset.fileSize)
    let whole = try asset.duration()
    guard timeRange.isValid, timeRange.start.isNumeric else {
      throw MediaError(.invalidArgument, "the time range to export is not numeric")
    }
    // There is no media before 0.
    timeRange = TimeRange(start: max(.zero, timeRange.start), end: timeRange.end)
    let end = whole.isNumeric ? min(whole, timeRange.end) : timeRange.end
    let length = end - timeRange.start
    guard end > timeRange.start else {
      throw MediaError(
        .invalidArgument,
        "the time range to export begins at \(timeRange.start.seconds) s, but the source ends at "
          + "\(whole.seconds) s")
    }
    // A duration that a file declares is often an estimate: the media ends when no more samples come.
    self.timeRange =
      asset.isFile && end == whole
      ? TimeRange(start: timeRange.start, end: .positiveInfinity)
      : TimeRange(start: timeRange.start, end: end)
    let nanoseconds = length.convertScale(1_000_000_000, method: .default)
    if nanoseconds.isNumeric { media.duration = nanoseconds.value }
    cutChapters()

    let tracks = try asset.tracks()
    let stated = media
    media.tracks = []
    let audioTracks = tracks.filter { $0.mediaType == .audio }
    let videoTracks = tracks.filter { $0.description.isMovingPicture }
    let mixes =
      configuration.audioMix != nil || mixesAudio && !asset.isFile && audioTracks.count > 1
    let mixesSeparately =
      configuration.keepsAudioTracksSeparate || configuration.preservesAlternates
    for track in tracks {
      if track.mediaType == .audio, mixes, mixesSeparately {
        addMix([track])
      } else if track.mediaType == .audio, mixes {
        if track === audioTracks.first || track.trackKey == audioTracks.first?.trackKey {
          addMix(audioTracks)
        }
      } else if track.description.isMovingPicture,
        let videoComposition = configuration.videoComposition
      {
        if track.trackKey == videoTracks.first?.trackKey {
          try add(videoComposition, of: videoTracks)
        }
      } else {
        add(track)
      }
    }
    media.references = stated.references.compactMap { reference in
      guard stated.tracks.indices.contains(reference.track) else { return nil }
      let id = stated.tracks[reference.track].id
      return media.tracks.firstIndex { $0.id == id }.map {
        TrackReference(track: $0, type: reference.type, trackID: reference.trackID)
      }
    }
  }

  /// Takes field orders that were seen in frames, by the index of the asset's track.
  mutating func takeFields(_ orders: [Int: TrackDescription.FieldOrder]) throws(MediaError) {
    guard !orders.isEmpty else { return }
    let stated = try asset.mediaDescription().tracks
    for index in media.tracks.indices {
      guard case .track(let track) = origins[index], media.tracks[index].isMovingPicture,
        let number = stated.firstIndex(where: { $0.id == track.description.id }),
        let order = orders[number]
      else { continue }
      media.tracks[index].fieldOrder = order
    }
  }

  /// Adds the tracks of files of subtitles, cut to the exported range, after those of the asset.
  mutating func add(_ sidecars: inout SidecarSet) {
    sidecars.cut(to: timeRange)
    media = sidecars.added(to: media)
    origins += sidecars.sidecars.map { _ in .sidecar }
  }

  private mutating func cutChapters() {
    let start = nanoseconds(timeRange.start)
    let end = timeRange.end.isNumeric ? nanoseconds(timeRange.end) : .max
    let whole = media.chapters
    media.chapters = media.chapters.compactMap { chapter in
      guard chapter.start < end, chapter.end > start || chapter.start >= start else { return nil }
      var chapter = chapter
      chapter.start = max(0, chapter.start - start)
      chapter.end = max(chapter.start, min(chapter.end, end) - start)
      return chapter
    }
    // Some of these records contain sample numbers.
    guard media.chapters != whole || start > 0 else { return }
    recordsOfWhole = media.sideData.filter {
      $0.isAboutChapters && $0.type != .matroskaPlainChapters
    }
    .map(\.type)
    media.sideData.removeAll(where: \.isAboutChapters)
  }

  private func nanoseconds(_ time: MediaTime) -> Int64 {
    let time = time.convertScale(1_000_000_000, method: .default)
    return time.isNumeric ? time.value : .max
  }

  private mutating func add(_ track: AssetTrack) {
    var description = track.description
    description.timeBase = timeBase(of: track)
    if !track.isSelfContained {
      source.uncopied[media.tracks.count] = track.whyNotJoined(in: timeRange)
      if track.hasTrimmedClips(in: timeRange) { source.cutClips.insert(media.tracks.count) }
      if let keys = JoinedKeys(of: track, in: timeRange) {
        (description.extradata, description.furtherSampleDescriptions) = (keys.extradata, [])
      } else {
        description.furtherSampleDescriptions =
          JoinedFormats(description, of: track, in: timeRange).further
      }
    }
    description = cut(description)
    if let rotation = configuration.rotation, description.isMovingPicture {
      description.displayMatrix = rotation.applied(to: description.displayMatrix)
    }
    append(description, .track(track))
  }

  private mutating func addMix(_ tracks: [AssetTrack]) {
    guard let first = tracks.first else { return }
    let output = AssetReaderAudioMixOutput(audioTracks: tracks)
    let audioFormat = output.audioFormat
    var description = uncoded(first.description)
    description.preferredVolume = nil
    (description.sampleRate, description.channelLayout) = (
      audioFormat.sampleRate, audioFormat.channelLayout
    )
    description.sampleFormat = .fltp
    description.bitsPerSample = output.descriptions.map(\.losslessDepth).max() ?? 0
    source.uncopied[media.tracks.count] = "the audio is mixed, which needs re-encoding"
    description.timeBase = Rational(1, Int32(clamping: audioFormat.sampleRate))
    append(description, .mix(tracks))
  }

  private mutating func add(_ composition: VideoComposition, of tracks: [AssetTrack])
    throws(MediaError)
  {
    guard let first = tracks.first else { return }
    try composition.check(tracks, of: asset, in: timeRange)
    let sources = tracks.map(\.compositionSource)
    // The compositor matters only for HDR.
    let hasHDR = sources.contains { $0.color.isHighDynamicRange }
    let target = try CompositionTarget(
      composition, sources: sources, compositor: hasHDR ? try composition.makeCompositor() : nil,
      pixelFormat: nil)
    var description = uncoded(first.description)
    (description.width, description.height) = (target.width, target.height)
    description.sampleAspect = Rational(1, 1)
    description.displayMatrix = .identity
    description.cleanAperture = nil
    let frame = composition.frameDuration
    let rate = tracks.leaders(of: composition).map(\.greatestFrameRate)
      .max { $0.doubleValue < $1.doubleValue }
    description.frameRate =
      rate.flatMap { $0.isPositive ? $0 : nil }
      ?? Rational(reducing: Int64(frame.timescale), frame.value)
    description.baseFrameRate = description.frameRate
    description.fieldOrder = .progressive
    (description.pixelFormat, description.color) = (target.pixelFormat, target.tag)
    source.uncopied[media.tracks.count] = "the video is composed, which needs re-encoding"
    append(description, .composition(tracks, composition))
  }

  /// Losses caused by editing, for the report.
  var losses: [ResolvedSettings.Decision] {
    var losses: [ResolvedSettings.Decision] = []
    for case .composition(let tracks, _) in origins
    where tracks.contains(where: { $0.description.fieldOrder.isInterlaced }) {
      let reason =
        "a composition renders progressive frames: two fields of the interlaced source become "
        + "one frame, and half of the motion is lost"
      losses.append(
        .init(.video(1), "fields", value: "joined", reason: reason, loss: "video: \(reason)"))
    }
    for type in recordsOfWhole {
      let reason = "their times refer to the whole file, and the output is only a part"
      let name = MediaFact.Property.sideData(type).description
      losses.append(
        .init(
          .output, "chapters", value: "plain", reason: reason, loss: "lost: the \(name): \(reason)")
      )
    }
    return losses
  }

  private mutating func append(_ description: TrackDescription, _ origin: Origin) {
    media.tracks.append(description)
    origins.append(origin)
  }

  /// Returns the description of the track within the time range, decoded and edited.
  private func uncoded(_ track: TrackDescription) -> TrackDescription {
    var track = cut(track)
    track.codec = TrackDescription.editedCodec
    (track.extradata, track.furtherSampleDescriptions) = ([], [])
    return track
  }

  /// Returns the description of the track within the time range.
  private func cut(_ track: TrackDescription) -> TrackDescription {
    var track = track
    track.start = 0
    track.edits = []
    track.packetCount = nil
    track.duration = media.duration.map {
      Rational.nanoseconds.convert($0, to: track.timeBase)
    }
    return track
  }
}
