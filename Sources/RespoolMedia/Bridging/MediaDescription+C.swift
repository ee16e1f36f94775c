public import CRespool

extension MediaDescription {
  /// A copy of the C form.
  ///
  /// Takes a pointer: the structs of older plugins end before the tags, or the references, and are read no
  /// further.
  public init(_ media: UnsafePointer<rsp_media>) {
    var tracks: [TrackDescription] = []
    if let list = media.pointee.tracks {
      for index in 0..<Int(media.pointee.track_count) {
        if let track = list[index] { tracks.append(TrackDescription(track)) }
      }
    }
    var chapters: [Chapter] = []
    if let list = media.pointee.chapters {
      chapters = (0..<Int(media.pointee.chapter_count)).map {
        Chapter(
          id: list[$0].id, start: list[$0].start, end: list[$0].end,
          title: String(cString: list[$0].title),
          language: list[$0].language.map { String(cString: $0) })
      }
    }
    self.init(
      format: String(cString: media.pointee.format), tracks: tracks,
      metadata: entries(media.pointee.metadata, media.pointee.metadata_count), chapters: chapters,
      duration: time(media.pointee.duration), bitRate: media.pointee.bit_rate,
      warning: media.pointee.warning.map { String(cString: $0) })
    let size = Int(media.pointee.struct_size)
    guard size >= MemoryLayout<rsp_media>.offset(of: \.references) ?? .max else { return }
    if let list = media.pointee.tags {
      nativeTags = (0..<Int(media.pointee.tag_count)).map { NativeTag(list[$0]) }
    }
    guard size >= MemoryLayout<rsp_media>.size else { return }
    if let list = media.pointee.references {
      references = (0..<Int(media.pointee.reference_count)).map { TrackReference(list[$0]) }
    }
    let facts = Int(media.pointee.facts)
    if facts & RSP_MEDIA_CAN_CONTAIN_FRAGMENTS != 0 { fragments = .possible }
    if facts & RSP_MEDIA_CONTAINS_FRAGMENTS != 0 { fragments = .present }
    if facts & RSP_MEDIA_HAS_RATE != 0 { preferredRate = media.pointee.rate }
    if facts & RSP_MEDIA_HAS_VOLUME != 0 { preferredVolume = media.pointee.volume }
  }

  private var facts: UInt32 {
    var facts = 0
    if fragments != .none { facts |= RSP_MEDIA_CAN_CONTAIN_FRAGMENTS }
    if fragments == .present { facts |= RSP_MEDIA_CONTAINS_FRAGMENTS }
    if preferredRate != nil { facts |= RSP_MEDIA_HAS_RATE }
    if preferredVolume != nil { facts |= RSP_MEDIA_HAS_VOLUME }
    return UInt32(facts)
  }

  /// The C form; what it points to lives as long as `arena`.
  public func cValue(in arena: CArena) -> rsp_media {
    let tracks = tracks.map { track in
      Optional(UnsafePointer(arena.box(track.cValue(in: arena))))
    }
    let chapters = chapters.map {
      rsp_chapter(
        id: $0.id, start: $0.start, end: $0.end, title: arena.string($0.title),
        language: arena.string($0.language))
    }
    return rsp_media(
      struct_size: structSize(rsp_media.self), track_count: UInt32(tracks.count),
      tracks: arena.array(tracks), metadata: arena.texts(metadata),
      chapters: arena.array(chapters), metadata_count: UInt32(metadata.count),
      chapter_count: UInt32(chapters.count), format: arena.string(format),
      duration: duration ?? .min, bit_rate: bitRate, warning: arena.string(warning),
      tags: arena.array(nativeTags.map { $0.cValue(in: arena) }),
      tag_count: UInt32(nativeTags.count), reserved: 0,
      references: arena.array(references.map(\.cValue)),
      reference_count: UInt32(references.count), facts: facts, rate: preferredRate ?? 0,
      volume: preferredVolume ?? 0)
  }
}
