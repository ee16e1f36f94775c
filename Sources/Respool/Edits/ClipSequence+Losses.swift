import RespoolMedia

extension ClipSequence {
  /// Returns a sentence for each track that is left out, and up to three for each clip about other data that is left
  /// out.
  static func losses(of clips: [Clip], _ crossfade: MediaTime) -> [String] {
    guard let first = clips.first.map({ facts(of: $0.media) }) else { return [] }
    return clips.enumerated().flatMap { index, clip in
      var losses = clip.losses
      let parts = parts(of: clip.media)
      if !parts.isEmpty { losses.append("\(clip.fileName): left out: \(list(parts))") }
      let chapters = chaptersInCrossfade(
        of: clip, isLast: index == clips.count - 1, crossfade)
      if !chapters.isEmpty {
        losses.append(
          "\(clip.fileName): left out: chapters that begin during the crossfade: \(list(chapters))")
      }
      let tags = index == 0 ? [] : differences(of: facts(of: clip.media), from: first)
      if !tags.isEmpty {
        losses.append(
          "\(clip.fileName): the output has the tags of the first clip, without these: "
            + "\(list(tags))"
        )
      }
      return losses
    }
  }

  private static func facts(of media: MediaDescription) -> MediaFacts {
    MediaFacts(media, tags: media.metadata, items: media.nativeTags, tracks: [:])
  }

  /// Returns the names of tags that the first clip does not have, or has with another value.
  private static func differences(of facts: MediaFacts, from first: MediaFacts) -> [String] {
    facts.values.compactMap { fact, values in
      switch fact.property {
      // Each clip has its own creation time.
      case .tag("creation_time"): return nil
      case .tag, .item:
        let there = first.values[fact] ?? []
        return values.allSatisfy { fact.property.isKept($0, in: there) } ? nil : "\(fact)"
      default: return nil
      }
    }.sorted()
  }

  /// Returns the names of data other than tags, tracks and chapters.
  private static func parts(of media: MediaDescription) -> [String] {
    var parts = facts(of: media).values.keys.compactMap { fact -> String? in
      switch fact.property {
      // It is kept with the chapters.
      case .sideData(.chapterTrack): nil
      case .sideData, .userData, .chunk, .id3Frame, .part: "\(fact)"
      default: nil
      }
    }.sorted()
    let covers = media.tracks.count { $0.disposition.contains(.attachedPicture) }
    let files = media.tracks.count { $0.kind == .attachment }
    if covers > 0 { parts.append(covers == 1 ? "its cover" : "\(covers) covers") }
    if files > 0 { parts.append(files == 1 ? "an attached file" : "\(files) attached files") }
    return parts
  }

  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(8).joined(separator: ", ")
    return names.count > 8 ? "\(shown) and \(names.count - 8) more" : shown
  }
}
