import RespoolPlugin

/// What stands in front of the clusters and does not depend on them.
struct SegmentHead {
  let media: MediaDescription
  var tracks: [MatroskaTrack]
  let isWebM: Bool
  /// Milliseconds by which the whole time line is moved.
  let shift: Int64

  /// The EBML header (RFC 8794 11.2.1).
  static func header(isWebM: Bool) -> [UInt8] {
    var writer = EBMLWriter()
    writer.master(.ebml) { header in
      header.unsigned(.ebmlVersion, 1)
      header.unsigned(.ebmlReadVersion, 1)
      header.unsigned(.ebmlMaxIDLength, 4)
      header.unsigned(.ebmlMaxSizeLength, 8)
      header.text(.docType, isWebM ? "webm" : "matroska")
      header.unsigned(.docTypeVersion, 4)
      header.unsigned(.docTypeReadVersion, 2)
    }
    return writer.bytes
  }

  /// The name of the tag for the element DateUTC, where a tag states another creation time.
  static let dateElement = "DateUTC"

  /// The tag that DateUTC is written from: its own, else the creation time.
  private var recordingDate: MetadataEntry? {
    media.metadata.first { $0.name.lowercased() == Self.dateElement.lowercased() }
      ?? media.metadata.first { $0.name.lowercased() == MetadataDate.creationTime }
  }

  /// The tag for which DateUTC stands: one in another spelling is kept as well, with its time zone.
  private var dateTag: MetadataEntry? {
    guard let tag = recordingDate, let date,
      MetadataDate.text(microseconds: date / 1000 + SegmentDescriber.epoch) == tag.value
    else { return nil }
    return tag
  }

  /// The name of the tag for the element Title, where a tag states another title.
  static let titleElement = "SegmentTitle"

  private var title: String? {
    func value(_ name: String) -> String? {
      media.metadata.first { $0.name.lowercased() == name }?.value
    }
    return value(Self.titleElement.lowercased()) ?? value("title")
  }

  /// `true` if the element Title does not state what the tag of that name does.
  private var hasOwnTitle: Bool {
    media.metadata.contains { $0.name.lowercased() == Self.titleElement.lowercased() }
  }

  /// Nanoseconds since 2001; `nil`: unknown.
  private var date: Int64? {
    guard let seconds = recordingDate.flatMap({ MetadataDate.seconds($0.value) }) else {
      return nil
    }
    let microseconds = (seconds * 1_000_000).rounded() - Double(SegmentDescriber.epoch)
    guard microseconds.magnitude < 9e15 else { return nil }
    return Int64(microseconds) * 1000
  }

  /// `duration` in milliseconds; always of the same length.
  func info(duration: Double) -> [UInt8] {
    var writer = EBMLWriter()
    writer.master(.info) { info in
      info.unsigned(.timestampScale, 1_000_000)
      info.float(.duration, duration)
      // Dates have 8 bytes (RFC 8794 7.6), whatever the value.
      if let date { info.binary(.dateUTC, date.bigEndianBytes) }
      if let title { info.text(.title, title) }
      info.text(.muxingApp, "respool")
      info.text(.writingApp, "respool")
    }
    return writer.bytes
  }

  func trackEntries() -> [UInt8] {
    var writer = EBMLWriter()
    writer.master(.tracks) { entries in
      for track in tracks { track.write(to: &entries, isWebM: isWebM) }
    }
    return writer.bytes
  }

  /// Empty where there are none.
  func chapters() -> [UInt8] {
    guard !media.chapters.isEmpty else { return [] }
    if let record = chapterRecord {
      var writer = EBMLWriter()
      writer.binary(.chapters, record)
      return writer.bytes
    }
    let moved = Int128(shift) * 1_000_000
    func time(_ value: Int64) -> UInt64 { UInt64(clamping: max(0, Int128(value) + moved)) }
    var writer = EBMLWriter()
    writer.master(.chapters) { chapters in
      chapters.master(.editionEntry) { edition in
        for (index, chapter) in media.chapters.enumerated() {
          edition.master(.chapterAtom) { atom in
            atom.unsigned(.chapterUID, index + 1)
            atom.unsigned(.chapterTimeStart, time(chapter.start))
            if chapter.end > chapter.start { atom.unsigned(.chapterTimeEnd, time(chapter.end)) }
            atom.master(.chapterDisplay) { display in
              display.text(.chapString, chapter.title)
              let language = LanguageTag(chapter.language)
              display.text(.chapLanguage, language.iso639)
              if let tag = language.bcp47 { display.text(.chapLanguageBCP47, tag) }
            }
          }
        }
      }
    }
    return writer.bytes
  }

  /// The source's own Chapters element; `nil`: there is none, or WebM has no place for parts of it.
  private var chapterRecord: [UInt8]? {
    let record = media.sideData[.matroskaChapters] ?? media.sideData[.matroskaPlainChapters]
    guard !isWebM, let body = record else { return nil }
    return try? ChapterRecord.moved(ByteReader(body), by: shift * 1_000_000)
  }

  /// Empty if there are none.
  func tags() -> [UInt8] {
    var writer = TagWriter(media, date: dateTag, hasOwnTitle: hasOwnTitle)
    writer.add(media.metadata, track: nil)
    for track in tracks { writer.add(track.description.metadata, track: track) }
    if chapterRecord != nil, let more = media.sideData[.matroskaChapterTags] {
      writer.append(more)
    }
    return writer.bytes
  }
}
