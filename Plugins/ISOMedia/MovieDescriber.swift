import RespoolPlugin

/// A converter from the boxes of a movie to the descriptions that the demuxer returns.
struct MovieDescriber {
  var movie: Movie
  var layout: FileLayout
  var source: ByteSource
  var trimsEnd: Bool

  func describe() throws(MediaError) -> (MediaDescription, [TrackReader]) {
    var tracks: [TrackReader] = []
    for track in movie.tracks { tracks.append(describe(track)) }
    var fragments = MediaDescription.Fragments.none
    if movie.isFragmented {
      let isThere = source.isSeekable ? try surveyFragments(&tracks) : false
      fragments = isThere ? .present : .possible
    }
    let chapterIDs = Set(movie.tracks.flatMap(\.chapterTrackIDs))
    var chapters: [MediaDescription.Chapter] = []
    for number in movie.tracks.indices
    where chapterIDs.contains(movie.tracks[number].header.trackID) {
      tracks[number].isSilent = true
      guard movie.tracks[number].handler.handlerType != "vide" else {
        tracks[number].description.disposition.insert(.attachedPicture)
        continue
      }
      tracks[number].description.kind = .data
      tracks[number].description.codec = "bin_data"
      if chapters.isEmpty {
        chapters = ChapterTrack(track: tracks[number], source: source).chapters()
      }
    }
    var parts = layout.others.parts + movie.others.parts
    for cover in movie.metadata.covers + movie.tracks.flatMap(\.metadata.covers)
    where cover.length > 0 {
      if cover.codec.isEmpty {
        if let file = attached(cover, number: tracks.count) {
          tracks.append(file)
        } else {
          parts.append("cover of an unknown image format")
        }
      } else {
        tracks.append(describe(cover))
      }
    }
    for number in tracks.indices { tracks[number].description.completeSampleDescriptions() }
    var media = MediaDescription(format: "mov,mp4,m4a,3gp,3g2,mj2")
    media.duration = duration(tracks)
    media.tracks = tracks.map(\.description)
    media.fragments = fragments
    media.preferredRate = Double(movie.header.rate) / 65536
    media.preferredVolume = Double(movie.header.volume) / 256
    media.references = references
    media.metadata = metadata
    media.nativeTags = movie.metadata.tags
    if !movie.metadata.unknownBoxes.isEmpty {
      media.sideData = [SideData(.userData, movie.metadata.unknownBoxes)]
    }
    media.sideData += layout.others.records + movie.others.records
    if movie.header.displayTimes.prefix(3).contains(where: { $0 != 0 }) {
      let times = [movie.header.timeScale] + movie.header.displayTimes
      media.sideData.append(SideData(.displayTimes, times.flatMap(\.bigEndianBytes)))
    }
    if !parts.isEmpty { media.sideData.append(SideData(unwrittenElements: parts)) }
    for (index, track) in movie.tracks.enumerated() {
      media.nativeTags += track.metadata.tags.map { tag in
        var tag = tag
        tag.track = index
        return tag
      }
    }
    if !chapters.isEmpty { media.sideData.append(SideData(.chapterTrack, [1])) }
    media.chapters = chapters.isEmpty ? listedChapters(until: media.duration) : chapters
    if let size = source.size, let duration = media.duration, duration > 0 {
      media.bitRate = Int64(clamping: Int128(size) * 8_000_000_000 / Int128(duration))
    }
    let damaged = movie.tracks.compactMap { $0.damage ?? $0.descriptionDamage }
    if let first = damaged.first { media.warning = first.description }
    if let missing = layout.missing, layout.isMovieCut || lacksSamples(tracks) {
      (media.warning, media.endsEarly) = (missing, true)
    }
    return (media, tracks)
  }

  /// Returns `false` if all samples lie within the file: some writers store a wrong size for the media box.
  ///
  /// Returns `true` for a fragmented file, whose samples are not known yet.
  private func lacksSamples(_ tracks: [TrackReader]) -> Bool {
    guard let size = source.size, !movie.isFragmented, movie.tracks.allSatisfy({ $0.damage == nil })
    else { return true }
    return tracks.contains { track in
      var track = track
      while let packet = track.take(track: 0) {
        if case .range(let offset, let length) = packet.payload,
          offset < 0 || length > size || offset > size - length
        {
          return true
        }
      }
      return false
    }
  }

  /// Maximum number of track references that are reported: a movie has a few.
  private static let mostReferences = 10_000

  private var references: [TrackReference] {
    var stated: [TrackReference] = []
    for (index, track) in movie.tracks.enumerated() {
      for reference in track.references.references {
        for trackID in reference.trackIDs.prefix(Self.mostReferences - stated.count) {
          stated.append(TrackReference(track: index, type: reference.type, trackID: Int64(trackID)))
        }
      }
    }
    return stated
  }

  private var metadata: [MetadataEntry] {
    var entries: [MetadataEntry] = []
    if let type = layout.fileType {
      entries.append(MetadataEntry("major_brand", type.majorBrand.description))
      entries.append(MetadataEntry("minor_version", "\(type.minorVersion)"))
      entries.append(
        MetadataEntry(
          "compatible_brands",
          type.compatibleBrands.filter { $0.rawValue != 0 }.map(\.description).joined()))
    }
    if let date = Dates.text(movie.header.creationTime) {
      // A tag may store the same date with fractions of a second or with a time zone.
      let tag = movie.metadata.entries.first { $0.name == MetadataDate.creationTime }?.value
      let (stored, stated) = (MetadataDate.seconds(date), tag.flatMap { MetadataDate.seconds($0) })
      if stated?.rounded(.down) != stored {
        entries.append(MetadataEntry(MetadataDate.creationTime, date))
      }
    }
    return entries + movie.metadata.entries
  }

  private func listedChapters(until end: Int64?) -> [MediaDescription.Chapter] {
    let list = movie.metadata.chapters
    return list.indices.map { index in
      let start = Int64(clamping: min(list[index].start, 1 << 55)) * 100
      let next =
        index + 1 < list.count ? Int64(clamping: min(list[index + 1].start, 1 << 55)) * 100 : end
      return MediaDescription.Chapter(
        id: Int64(index), start: start, end: max(start, next ?? start), title: list[index].title)
    }
  }

  /// Returns the duration in nanoseconds.
  ///
  /// `nil` if unknown.
  private func duration(_ tracks: [TrackReader]) -> Int64? {
    let scale = Int128(max(1, movie.header.timeScale))
    let stated = movie.header.duration == .max ? 0 : movie.header.duration
    if stated > 0, !movie.isFragmented {
      return Int64(clamping: Int128(stated) * 1_000_000_000 / scale)
    }
    if let fragments = movie.fragmentDuration, fragments > 0 {
      return Int64(clamping: Int128(fragments) * 1_000_000_000 / scale)
    }
    return tracks.compactMap { track -> Int64? in
      track.description.duration.map {
        track.description.timeBase.convert(
          $0.addingClamped(track.description.start ?? 0), to: .nanoseconds)
      }
    }.max()
  }

  /// Maximum size of a cover in bytes that is described as an attached file.
  private static let largestAttachment: Int64 = 16 << 20

  /// Describes a cover in an image format without a decoder of covers, such as AVIF, as an attached file.
  ///
  /// `nil` for unknown formats.
  private func attached(_ cover: MetadataReader.Cover, number: Int) -> TrackReader? {
    guard cover.length <= Self.largestAttachment,
      let bytes = try? source.readExactly(at: cover.offset, count: Int(cover.length)),
      let type = PictureFile.mimeType(of: bytes),
      let description = TrackDescription(
        attachedPicture: bytes, type: type, about: "", number: number)
    else { return nil }
    var reader = TrackReader(
      description: description, trackID: 0, timeline: EditedTimeline(unedited: SampleIndex()))
    reader.isSilent = true
    return reader
  }

  private func describe(_ cover: MetadataReader.Cover) -> TrackReader {
    var description = TrackDescription(
      kind: .video, codec: cover.codec, timeBase: Rational(1, 90000))
    description.disposition = .attachedPicture
    description.packetCount = 1
    var reader = TrackReader(
      description: description, trackID: 0, timeline: EditedTimeline(unedited: SampleIndex()))
    reader.cover = cover
    return reader
  }
}
