public import CRespool

extension MediaDescription {
  /// A copy of the C form.
  ///
  /// Takes a pointer: the struct of an older plugin ends before the tags, and is read no further.
  public init(_ media: UnsafePointer<rsp_media>) {
    var tracks: [TrackDescription] = []
    if let list = media.pointee.tracks {
      for index in 0..<Int(media.pointee.track_count) {
        if let track = list[index] { tracks.append(TrackDescription(track.pointee)) }
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
    guard size >= MemoryLayout<rsp_media>.size, let list = media.pointee.tags else { return }
    nativeTags = (0..<Int(media.pointee.tag_count)).map { NativeTag(list[$0]) }
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
      tag_count: UInt32(nativeTags.count), reserved: 0)
  }
}
