import RespoolPlugin

/// The elements before the clusters that do not depend on them.
struct SegmentHead {
  let media: MediaDescription
  var tracks: [MatroskaTrack]
  let isWebM: Bool
  /// Milliseconds by which the whole time line is shifted.
  let shift: Int64

  /// Returns the EBML header (RFC 8794 11.2.1).
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

  /// The metadata name for DateUTC if a tag has another creation time.
  static let dateElement = "DateUTC"

  /// The entry from which DateUTC is written: its own, or the creation time.
  private var recordingDate: MetadataEntry? {
    media.metadata.first { $0.name.lowercased() == Self.dateElement.lowercased() }
      ?? media.metadata.first { $0.name.lowercased() == MetadataDate.creationTime }
  }

  /// The entry that DateUTC fully represents.
  ///
  /// A date in another spelling is also kept as a tag, with its time zone, and so is the beginning of 2001:
  /// readers take a DateUTC of 0 for an unknown date.
  private var dateTag: MetadataEntry? {
    guard let tag = recordingDate, let date, date != 0,
      MetadataDate.text(microseconds: date / 1000 + SegmentDescriber.epoch) == tag.value
    else { return nil }
    return tag
  }

  /// The metadata name for the Title element if a tag has another title.
  static let titleElement = "SegmentTitle"

  private var title: String? {
    func value(_ name: String) -> String? {
      media.metadata.first { $0.name.lowercased() == name }?.value
    }
    return value(Self.titleElement.lowercased()) ?? value("title")
  }

  /// `true` if the Title element and the tag of that name differ.
  private var hasOwnTitle: Bool {
    media.metadata.contains { $0.name.lowercased() == Self.titleElement.lowercased() }
  }

  /// Nanoseconds since 2001.
  ///
  /// `nil` if unknown.
  private var date: Int64? {
    guard let seconds = recordingDate.flatMap({ MetadataDate.seconds($0.value) }) else {
      return nil
    }
    let microseconds = (seconds * 1_000_000).rounded() - Double(SegmentDescriber.epoch)
    guard microseconds.magnitude < 9e15 else { return nil }
    return Int64(microseconds) * 1000
  }

  /// Returns the Info element.
  ///
  /// `duration` is in milliseconds; the length does not depend on it.
  func info(duration: Double) -> [UInt8] {
    var writer = EBMLWriter()
    writer.master(.info) { info in
      info.unsigned(.timestampScale, 1_000_000)
      info.float(.duration, duration)
      // Dates have 8 bytes (RFC 8794 7.6) for every value.
      if let date, date != 0 { info.binary(.dateUTC, date.bigEndianBytes) }
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

  /// Returns the Chapters element.
  ///
  /// Empty if there are no chapters.
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

  /// The source's own Chapters element.
  ///
  /// `nil` if there is none, or if WebM does not allow parts of it.
  private var chapterRecord: [UInt8]? {
    let record = media.sideData[.matroskaChapters] ?? media.sideData[.matroskaPlainChapters]
    guard !isWebM, let body = record else { return nil }
    return try? ChapterRecord.moved(ByteReader(body), by: shift * 1_000_000)
  }

  /// Returns the Tags element.
  ///
  /// Empty if there are no tags.
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
