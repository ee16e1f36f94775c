import RespoolMedia

/// Compares the facts of an output with those of its source and with the settings.
///
/// The output is read back by the available demuxers, so the report is about the file and not about intentions.
struct OutputCheck {
  let source: MediaDescription
  let settings: ResolvedSettings
  /// `true` if the times of the source are already those of the output, as for parts and compositions.
  var isEdited = false
  /// Indexes of the source's tracks of which no sample was written.
  var emptyTracks: Set<Int> = []
  /// Tags and covers of the output.
  let tags: FileTags
  /// Filter for the tags of tracks.
  ///
  /// `nil` if all are written.
  let trackTags: MetadataItemFilter?

  /// Maximum number of sentences; a malicious file may have any number of tags.
  private static let limit = 200

  /// Returns a sentence for each fact that the output should state and does not.
  func losses(in output: MediaDescription) -> [String] {
    let places = matches(in: output)
    var losses = kept.filter { places[$0.source] == nil }.map {
      "\(Self.words(for: $0.source, in: source)) is left out: the output has no sample of the track"
    }
    let expected = expectation(kept.filter { places[$0.source] != nil }, in: output.format)
    let found = facts(of: output, places)
    for (fact, values) in expected.values.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      let there = found.values[fact] ?? []
      // A container with one place for tags may move tags between a track and the file.
      let elsewhere = found.tags(as: fact)
      let all = there + elsewhere
      let same = Set(all)
      for value in values
      where !same.contains(value) && !fact.property.isKept(value, in: all) {
        let words = Self.sentence(fact, value, there)
        // Several boxes of one type are reported as one loss.
        if losses.last != words { losses.append(words) }
      }
    }
    if losses.count > Self.limit {
      let more = losses.count - Self.limit
      losses.replaceSubrange(Self.limit..., with: ["lost: \(more) more facts"])
    }
    return losses
  }

  /// Tracks that the output should have, without covers.
  private var kept: [ResolvedSettings.Track] {
    settings.outputTracks.filter { !settings.coverIndexes.contains($0.source) }
  }

  private func facts(of output: MediaDescription, _ places: [Int: Int]) -> MediaFacts {
    MediaFacts(
      output, tags: output.metadata, items: output.nativeTags,
      tracks: Dictionary(places.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })
    )
  }

  /// Returns the first wrong orientation or shape of frames in the output as part of a sentence; `nil` if there is none.
  ///
  /// A rotation that the container has no place for is a loss instead.
  func shapeDifference(in output: MediaDescription) -> String? {
    let places = matches(in: output)
    let expected = expectation(kept.filter { places[$0.source] != nil }, in: output.format).values
    let found = facts(of: output, places).values
    let stated = Set(found.keys.filter { Self.shape.contains($0.property) })
    var wrong = stated.filter { found[$0] != expected[$0] }
    if settings.muxer.description.flags.contains(.keepsRotation) {
      wrong.formUnion(expected.keys.filter { $0.property == .rotation && found[$0] == nil })
    }
    return wrong.map { fact in
      let (found, expected) = (found[fact] ?? ["none"], expected[fact] ?? ["none"])
      return "the \(fact) is \(found.joined(separator: ", ")) instead of "
        + expected.joined(separator: ", ")
    }.min()
  }

  private static let shape: [MediaFact.Property] = [.rotation, .scale, .cleanAperture]

  /// Returns the first track of audio or video with samples that the output lacks, or that it has beside those of the
  /// settings, as part of a sentence; `nil` if there is none.
  func trackDifference(in output: MediaDescription) -> String? {
    let missing = missingTracks(in: output).first {
      source.tracks[$0].kind == .audio || source.tracks[$0].kind == .video
    }
    if let missing { return "it lacks \(Self.words(for: missing, in: source))" }
    // Readers find further tracks in the packets of streams.
    guard settings.muxer.description.flags.storesTimes else { return nil }
    for kind in [TrackDescription.Kind.video, .audio, .subtitle] {
      let count = kept.count { $0.kind == kind }
      let found = output.tracks.indices.filter {
        output.tracks[$0].kind == kind && !output.tracks[$0].disposition.contains(.attachedPicture)
      }
      if found.count > count {
        return "it has another track, \(Self.words(for: found[count], in: output))"
      }
    }
    return nil
  }

  /// Returns a sentence for each track with samples that the output should have and lacks.
  func doubts(of output: MediaDescription) -> [String] {
    missingTracks(in: output).map { "the output lacks \(Self.words(for: $0, in: source))" }
  }

  /// Returns the indexes of the source's tracks with samples that the output should have and lacks.
  private func missingTracks(in output: MediaDescription) -> [Int] {
    let places = matches(in: output)
    return kept.map(\.source).filter { places[$0] == nil && !emptyTracks.contains($0) }
  }

  /// Names a track of a file, with the facts about it.
  static func words(for index: Int, in media: MediaDescription) -> String {
    let facts = MediaFacts(media, tags: [], tracks: [index: index]).values
      .filter { $0.key.subject == .track(index) }
      .map { "\($0.key.property) \($0.value.joined(separator: ", "))" }
    let track = media.tracks[index]
    // Edited tracks have no codec of their own.
    let codec = track.codec == TrackDescription.editedCodec ? "" : track.codec
    let words = [([codec, "\(track.kind)"].filter { !$0.isEmpty }).joined(separator: " ")]
    return "\(TrackNumber(index: index)) (\((words + facts.sorted()).joined(separator: "; ")))"
  }

  private static func sentence(_ fact: MediaFact, _ expected: String, _ found: [String]) -> String {
    func short(_ text: String, _ most: Int = 60) -> String {
      text.count > most ? "\(text.prefix(most - 3))..." : text
    }
    // Names may come from the file and be long.
    let fact = short("\(fact)", 160)
    guard !found.isEmpty else {
      return "lost: the \(fact)" + (expected == "present" ? "" : " (\(short(expected)))")
    }
    let words = found.prefix(8).joined(separator: ", ")
    // Long texts are shown from shortly before their first difference.
    let same = zip(expected, words).prefix { $0 == $1 }.count
    func part(_ text: String) -> String {
      short(same > 40 ? "..." + text.dropFirst(same - 20) : text)
    }
    return "changed: the \(fact) from \(part(expected)) to \(part(words))"
  }

  /// Returns the index of the output's track for each kept track, by its index in the source.
  ///
  /// Tracks of one kind have the same order in both.
  private func matches(in output: MediaDescription) -> [Int: Int] {
    var places: [Int: Int] = [:]
    for kind in Set(kept.map(\.kind)) {
      let indices = output.tracks.indices.filter {
        output.tracks[$0].kind == kind && !output.tracks[$0].disposition.contains(.attachedPicture)
      }
      var sources = kept.filter { $0.kind == kind }
      if indices.count < sources.count { sources.removeAll { emptyTracks.contains($0.source) } }
      for (track, index) in zip(sources, indices) {
        places[track.source] = index
      }
    }
    // An image that is an attached file in one container may be a cover in the other.
    for track in kept where track.kind == .attachment && places[track.source] == nil {
      guard let name = source.tracks[track.source].fileName else { continue }
      places[track.source] = output.tracks.firstIndex {
        $0.disposition.contains(.attachedPicture) && $0.fileName == name
      }
    }
    return places
  }

  /// Returns the facts that an output in the container `format` should state.
  private func expectation(_ kept: [ResolvedSettings.Track], in format: String) -> MediaFacts {
    var media = source
    // Other containers have chapters in one form only.
    if format != source.format { media.sideData.removeAll { $0.type == .chapterTrack } }
    media.removeChapterEndAtEnd()
    if !isEdited { media.moveChapters(with: settings) }
    for track in kept {
      media.tracks[track.source] = promised(
        media.tracks[track.source], track.action, isCopy: track.passThrough?.copiesAll ?? false)
    }
    media.sideData.removeAll {
      $0.isCarriedWithTags
        || ($0.isAboutChapters || $0.type == .chapterTrack)
          && ($0.type == .id3Places ? !settings.keepsMetadata : settings.applied.chapters == .drop)
    }
    media.sideData += tags.records
    if settings.applied.chapters == .drop { media.chapters = [] }
    if !settings.keepsMetadata { media.removeCreationTimes() }
    return MediaFacts(
      media, tags: tags.entries, items: tags.native,
      tracks: Dictionary(
        kept.map { ($0.source, $0.source) }, uniquingKeysWith: { first, _ in first }),
      coverCount: settings.coverIndexes.count + tags.covers.count)
  }

  /// Returns the track as the settings should make it.
  ///
  /// `isCopy` is `true` if the preset copies whatever it can.
  private func promised(
    _ source: TrackDescription, _ action: ResolvedSettings.Track.Action, isCopy: Bool
  ) -> TrackDescription {
    var track = source
    if let trackTags {
      track.metadata.removeAll { entry in
        !trackTags.includes(MetadataItem(name: entry.name, entry.value))
      }
    }
    // What the output's format of text cannot store is named by its stage.
    if case .convertCaptions = action { track.extradata = [] }
    // A preset that only copies should change nothing, even if the container required encoding.
    if case .convertAudio(let conversion) = action, !isCopy {
      track.channelLayout = conversion.channelLayout
    }
    if case .convertVideo(let conversion) = action, let filters = conversion.filters {
      track = track.filtered(to: filters.output, changesTimes: filters.changesTimes)
      (track.width, track.height) = (conversion.width, conversion.height)
    }
    // Subtitles are drawn into upright frames, and a container without rotations gets those.
    if case .convertVideo(let conversion) = action, isCopy,
      case .rotatePixels = conversion.rotation, !track.displayMatrix.isOblique
    {
      track.displayMatrix = track.displayMatrix.withoutOrientation
    }
    guard case .convertVideo(let conversion) = action, !isCopy else { return track }
    let isTranslated = track.displayMatrix.isTranslated(
      width: track.width, height: track.height, sampleAspect: track.sampleAspect)
    let place = isTranslated ? (track.displayMatrix.x, track.displayMatrix.y) : (0, 0)
    // Pixels are rotated by multiples of 90 degrees only: other angles, scaling and skew are kept or lost.
    if !track.displayMatrix.isOblique {
      switch conversion.rotation {
      case .keepMatrix(let matrix) where matrix != .identity: track.displayMatrix = matrix
      case .keepMatrix, .rotatePixels:
        track.displayMatrix = track.displayMatrix.withoutOrientation
      }
    }
    (track.displayMatrix.x, track.displayMatrix.y) = place
    track.cleanAperture = conversion.cleanAperture(of: track)
    (track.width, track.height) = (conversion.width, conversion.height)
    track.color = conversion.color
    track.fieldOrder = conversion.fieldOrder
    track.pixelFormat = conversion.pixelFormat
    // Tone mapping makes it meaningless.
    if source.color.isHighDynamicRange, !conversion.color.isHighDynamicRange {
      track.sideData.removeAll { FourCC.highDynamicRange.contains($0.type) }
    }
    return track
  }
}

extension TrackDescription {
  /// The name of an attached file.
  var fileName: String? { metadata.first { $0.name.lowercased() == "filename" }?.value }
}

extension Preset.PassThrough {
  /// `true` if every codec that the container carries is copied.
  fileprivate var copiesAll: Bool { self == .any || self == .only }
}

extension MediaDescription {
  /// Removes the end of the last chapter if it is the end of the file, which every container implies.
  ///
  /// Encoders pad audio, and durations of some files are estimates, so both may differ by a few frames.
  fileprivate mutating func removeChapterEndAtEnd() {
    guard let last = chapters.indices.max(by: { chapters[$0].start < chapters[$1].start }),
      duration.map({ chapters[last].end > $0 - 100_000_000 }) ?? true
    else { return }
    chapters[last].end = chapters[last].start
  }

  fileprivate mutating func removeCreationTimes() {
    metadata.removeAll(where: \.isCreationTime)
    for index in tracks.indices { tracks[index].metadata.removeAll(where: \.isCreationTime) }
  }
}

extension ResolvedSettings {
  /// Returns a sentence for each track of a source that is dropped.
  package func drops(of source: MediaDescription) -> [String] {
    tracks.filter { !$0.isReplaced }.compactMap { track in
      guard case .drop(let reason) = track.action else { return nil }
      return "\(OutputCheck.words(for: track.source, in: source)) is dropped: \(reason)"
    }
  }
}
