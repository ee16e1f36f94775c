package import CRespool

extension MediaDescription {
  /// Copies the C form as far as the struct's own size says.
  package init(_ media: UnsafePointer<rsp_media>) {
    let value = rsp_media.copy(media)
    var tracks: [TrackDescription] = []
    if let list = value.tracks {
      for index in 0..<Int(value.track_count) {
        if let track = list[index] { tracks.append(TrackDescription(track)) }
      }
    }
    let chapters = rsp_chapter.list(value.chapters, value.chapter_count, size: value.chapter_size)
      .map {
        Chapter(
          id: $0.id, start: $0.start, end: $0.end, title: String(cString: $0.title),
          language: $0.language.map { String(cString: $0) })
      }
    self.init(
      format: String(cString: value.format), tracks: tracks,
      metadata: entries(value.metadata, value.metadata_count, size: value.metadata_size),
      chapters: chapters,
      duration: time(value.duration), bitRate: value.bit_rate,
      warning: value.warning.map { String(cString: $0) })
    nativeTags = rsp_tag.list(value.tags, value.tag_count, size: value.tag_size).map {
      NativeTag($0)
    }
    references = rsp_reference.list(
      value.references, value.reference_count, size: value.reference_size
    )
    .map { TrackReference($0) }
    let facts = Int(value.facts)
    if facts & RSP_MEDIA_CAN_CONTAIN_FRAGMENTS != 0 { fragments = .possible }
    if facts & RSP_MEDIA_CONTAINS_FRAGMENTS != 0 { fragments = .present }
    endsEarly = facts & RSP_MEDIA_ENDS_EARLY != 0
    declaresDuration = facts & RSP_MEDIA_DECLARES_DURATION != 0
    if facts & RSP_MEDIA_HAS_RATE != 0 { preferredRate = value.rate }
    if facts & RSP_MEDIA_HAS_VOLUME != 0 { preferredVolume = value.volume }
    sideData = [SideData](value.side_data, value.side_data_count)
  }

  private var facts: UInt32 {
    var facts = 0
    if fragments != .none { facts |= RSP_MEDIA_CAN_CONTAIN_FRAGMENTS }
    if fragments == .present { facts |= RSP_MEDIA_CONTAINS_FRAGMENTS }
    if preferredRate != nil { facts |= RSP_MEDIA_HAS_RATE }
    if preferredVolume != nil { facts |= RSP_MEDIA_HAS_VOLUME }
    if endsEarly { facts |= RSP_MEDIA_ENDS_EARLY }
    if declaresDuration { facts |= RSP_MEDIA_DECLARES_DURATION }
    return UInt32(facts)
  }

  /// The C form; what it points to lives as long as `arena`.
  package func cValue(in arena: CArena) -> rsp_media {
    let tracks = tracks.map { track in
      Optional(UnsafePointer(arena.box(track.cValue(in: arena))))
    }
    let chapters = arena.list(
      chapters.map {
        rsp_chapter(
          id: $0.id, start: $0.start, end: $0.end, title: arena.string($0.title),
          language: arena.string($0.language))
      })
    let texts = arena.texts(metadata)
    let tags = arena.list(nativeTags.map { $0.cValue(in: arena) })
    let referenceList = arena.list(references.map(\.cValue))
    return rsp_media(
      struct_size: structSize(rsp_media.self), track_count: UInt32(tracks.count),
      tracks: arena.array(tracks), metadata: texts.start, chapters: chapters.start,
      metadata_count: UInt32(metadata.count), chapter_count: UInt32(self.chapters.count),
      format: arena.string(format), duration: duration ?? .min, bit_rate: bitRate,
      warning: arena.string(warning), tags: tags.start, tag_count: UInt32(nativeTags.count),
      tag_size: tags.size, references: referenceList.start,
      reference_count: UInt32(references.count), facts: facts, rate: preferredRate ?? 0,
      volume: preferredVolume ?? 0, side_data: sideData.cValue(in: arena),
      side_data_count: UInt32(sideData.count), reference_size: referenceList.size,
      metadata_size: texts.size, chapter_size: chapters.size)
  }
}
