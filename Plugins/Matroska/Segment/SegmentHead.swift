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

  /// `duration` in milliseconds; always of the same length.
  func info(duration: Double) -> [UInt8] {
    var writer = EBMLWriter()
    writer.master(.info) { info in
      info.unsigned(.timestampScale, 1_000_000)
      info.float(.duration, duration)
      if let title = media.metadata.first(where: { $0.name.lowercased() == "title" })?.value {
        info.text(.title, title)
      }
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
              display.text(.chapLanguage, LanguageTag(chapter.language).iso639)
            }
          }
        }
      }
    }
    return writer.bytes
  }

  /// Names that have an element of their own, or tell about the source's streams.
  private static let foreign: Set<String> = [
    "title", "language", "encoder", "filename", "mimetype", "bps", "number_of_frames",
    "number_of_bytes",
  ]

  /// Names that Matroska spells in another way; others are only in capitals.
  private static let tagNames = ["track": "PART_NUMBER", "performer": "LEAD_PERFORMER"]

  /// Empty where there are none.
  func tags() -> [UInt8] {
    var writer = EBMLWriter()
    var isEmpty = true
    writer.master(.tags) { tags in
      func add(_ metadata: [MetadataEntry], track: Int?, index: Int?) {
        func language(of entry: MetadataEntry) -> String? {
          media.nativeTags.first {
            $0.track == index && $0.name.lowercased() == entry.name.lowercased()
              && $0.value == entry.value && $0.language != nil
          }?.language
        }
        let kept = metadata.filter {
          let name = $0.name.lowercased()
          // The title's own element says nothing of its language.
          if name == "title", language(of: $0) != nil { return true }
          return !Self.foreign.contains(name) && !$0.isOfFile && !name.isEmpty
        }
        guard !kept.isEmpty else { return }
        isEmpty = false
        tags.master(.tag) { tag in
          tag.master(.targets) { targets in
            if let track { targets.unsigned(.tagTrackUID, track) }
          }
          for entry in kept {
            tag.master(.simpleTag) { simple in
              let name = entry.name.lowercased()
              simple.text(.tagName, Self.tagNames[name] ?? entry.name.uppercased())
              if let language = language(of: entry) {
                let tag = LanguageTag(language)
                simple.text(.tagLanguage, tag.iso639)
                if let bcp47 = tag.bcp47 { simple.text(.tagLanguageBCP47, bcp47) }
              }
              simple.text(.tagString, entry.value)
            }
          }
        }
      }
      add(media.metadata, track: nil, index: nil)
      for track in tracks {
        add(track.description.metadata, track: track.number, index: track.index)
      }
    }
    return isEmpty ? [] : writer.bytes
  }

  /// Covers by the names that players look for; empty where there are none.
  static func attachments(_ covers: [(mediaType: String, data: [UInt8])]) -> [UInt8] {
    guard !covers.isEmpty else { return [] }
    var writer = EBMLWriter()
    writer.master(.attachments) { attachments in
      for (index, cover) in covers.enumerated() {
        attachments.master(.attachedFile) { file in
          let name = index == 0 ? "cover" : "cover\(index + 1)"
          file.text(.fileName, name + (cover.mediaType == "image/png" ? ".png" : ".jpg"))
          file.text(.fileMediaType, cover.mediaType)
          file.binary(.fileData, cover.data)
          file.unsigned(.fileUID, index + 1)
        }
      }
    }
    return writer.bytes
  }
}
