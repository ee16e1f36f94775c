import RespoolPlugin

/// Tracks with several sample descriptions (ISO/IEC 14496-12 8.5.2).
extension MovieTrack {
  /// Maximum number of sample descriptions that are read: a movie is made of a few takes.
  private static let most = 256

  /// Returns the indices, from 0, of the sample descriptions in use, in order of their first use.
  ///
  /// Returns only the first if no sample uses any. Fragments are not parsed yet, so all are returned for
  /// them.
  func usedDescriptions(inFragments: Bool) -> [Int] {
    let known = descriptions.entries.indices
    guard known.count > 1 else { return Array(known) }
    var (used, seen): ([Int], Set<Int>) = ([], [])
    func use(_ number: Int) {
      if known.contains(number), seen.insert(number).inserted, used.count < Self.most {
        used.append(number)
      }
    }
    for run in table.sampleToChunk.runs
    where run.samplesPerChunk > 0 && Int(run.firstChunk) <= table.chunkOffsets.count {
      use(Int(run.descriptionIndex) - 1)
    }
    if inFragments { for number in known { use(number) } }
    return used.isEmpty ? [0] : used
  }
}

extension MovieTrack {
  /// Damage of a sample description whose type is no code; `nil` if there is none.
  ///
  /// QuickTime stores a format of WAVE in two bytes after `ms`, and 0 for raw media.
  var descriptionDamage: MediaError? {
    guard
      let entry = descriptions.entries.first(where: { entry in
        let type = entry.format.rawValue
        return type != 0 && type >> 16 != 0x6D73 && type.bigEndianBytes.contains { $0 < 0x20 }
      })
    else { return nil }
    let type = String(entry.format.rawValue, radix: 16)
    return MediaError(
      .malformed, "a sample description has the type 0x\(type), which is no code",
      path: "\(path)/mdia/minf/stbl/stsd")
  }
}

extension MovieDescriber {
  /// Describes the used sample descriptions after the first.
  ///
  /// `blank` is a description of the track without any field from a sample description.
  func describeFurther(
    _ used: [Int], of track: MovieTrack, _ blank: TrackDescription, in reader: inout TrackReader
  ) {
    guard used.count > 1 else { return }
    var known: [SampleDescriptionBox.Entry: Int] = [:]
    for (place, number) in used.enumerated() {
      let entry = track.descriptions.entries[number]
      // The data reference does not affect the coding, so entries are compared without it.
      var coded = entry
      if coded.payload.count >= 8 { coded.payload.replaceSubrange(6..<8, with: [0, 0]) }
      if let index = known[coded] {
        reader.sampleDescriptions[number] = index
        continue
      }
      guard place > 0 else {
        (known[coded], reader.sampleDescriptions[number]) = (0, 0)
        continue
      }
      var description = blank
      do throws(MediaError) {
        guard try code(entry, of: track, into: &description) == nil else {
          throw MediaError(
            .unsupported, "audio in frames of constant size follows audio in packets",
            path: "\(track.path)/mdia/minf/stbl/stsd")
        }
        if description.kind == .video { setDisplayProperties(&description, track) }
        reader.description.furtherSampleDescriptions.append(description)
        reader.sampleDescriptions[number] = reader.description.furtherSampleDescriptions.count
      } catch {
        reader.sampleDescriptions[number] = TrackReader.unreadable
        reader.failure = reader.failure ?? error
      }
      known[coded] = reader.sampleDescriptions[number]
    }
  }
}

extension TrackDescription {
  /// Copies the fields that come from the track to the additional sample descriptions.
  mutating func completeSampleDescriptions() {
    furtherSampleDescriptions = furtherSampleDescriptions.map { stored in
      var description = stored
      description.id = id
      description.disposition = disposition
      description.language = language
      description.displayMatrix = displayMatrix
      (description.start, description.duration) = (start, duration)
      description.bitRate = bitRate
      description.frameRate = frameRate
      description.baseFrameRate = baseFrameRate
      if stored.codec == codec, stored.reorderDepth == 0 { description.reorderDepth = reorderDepth }
      return description
    }
  }
}
