import RespoolMedia

extension MetadataItem {
  /// Returns the tags of a file, or of one of its tracks.
  ///
  /// Key spaces and keys are those that the demuxer reports. If it reports names only, they are derived from the name
  /// and the container.
  static func items(of media: MediaDescription, track: Int? = nil) -> [MetadataItem] {
    guard media.nativeTags.isEmpty else {
      return media.nativeTags.filter { $0.track == track }.map { MetadataItem($0) }
    }
    guard let track else { return items(media.metadata, format: media.format) }
    guard media.tracks.indices.contains(track) else { return [] }
    // The language of a track is a property of the track.
    return items(
      media.tracks[track].metadata.filter { $0.name != "language" }, format: media.format)
  }

  private static func items(_ entries: [MetadataEntry], format: String) -> [MetadataItem] {
    entries.filter { MetadataNames.isTag($0.name) }.map { entry in
      let (keySpace, key) = MetadataNames.origin(of: entry.name, format: format)
      return MetadataItem(
        keySpace: keySpace, key: key, value: .string(entry.value), name: entry.name, language: nil)
    }
  }

  private init(_ tag: NativeTag) {
    let value: Value =
      switch tag.kind {
      case .text: .string(tag.value)
      case .integer: Int64(tag.value).map { .integer($0) } ?? .string(tag.value)
      case .real: Double(tag.value).map { .real($0) } ?? .string(tag.value)
      case .data: Value(tag.bytes ?? [], code: tag.dataType ?? 0)
      }
    self.init(
      keySpace: MetadataKeySpace(rawValue: tag.keySpace), key: tag.key, value: value,
      name: tag.name, language: tag.language.map { LanguageMatch.tag($0) })
    dataType = tag.dataType.map { MetadataDataType(.wellKnown($0)) }
  }

  /// Returns the items in the form that muxers take: texts by FFmpeg's names.
  ///
  /// Data is left out: `FileTags` has it. If several key spaces have the same name, the last one is used. A key space
  /// may have several values for a name.
  static func entries(_ items: [MetadataItem]) -> [MetadataEntry] {
    var taken: [(space: MetadataKeySpace?, entry: MetadataEntry)] = []
    for item in items {
      guard let name = item.tagName, let text = item.stringValue else { continue }
      taken.removeAll { $0.entry.name == name && $0.space != item.keySpace }
      taken.append((item.keySpace, MetadataEntry(name, text)))
    }
    return taken.map(\.entry)
  }
}
