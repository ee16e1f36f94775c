import RespoolPlugin

/// `dref`, parsed: the files that hold a track's media (ISO/IEC 14496-12 8.7.2).
struct DataReferences {
  /// The file that each entry names.
  ///
  /// `nil` if an entry refers to this file, or to another file without naming it.
  private(set) var files: [String?] = []

  init() {}

  /// Parses the payload of the box.
  ///
  /// The list ends at the first damaged entry.
  init(_ reader: ByteReader) {
    var reader = reader
    guard (try? reader.skip(8)) != nil else { return }
    // Sample descriptions refer to entries with 16-bit numbers.
    while files.count < Int(UInt16.max), let box = try? reader.nextBox() {
      files.append(try? Self.file(box.type, box.payload))
    }
  }

  private static func file(_ type: FourCC, _ payload: ByteReader) throws(MediaError) -> String? {
    var reader = payload
    // Flag 1: the media is in this file.
    guard try reader.versionAndFlags().flags & 1 == 0 else { return nil }
    switch type {
    case AliasRecord.type: return try AliasRecord(from: &reader)?.path
    case "url ":
      let text = try reader.take(reader.remaining).prefix { $0 != 0 }
      return text.isEmpty ? nil : PathName.text(text)
    case "urn ":
      // The name, optionally followed by a location.
      let texts = try reader.take(reader.remaining).split(separator: 0)
      return texts.isEmpty
        ? "a urn without a name"
        : texts.map { PathName.text($0) }.joined(separator: " ")
    default:
      // An alias to a resource fork, item data, or a type of a later edition: never a plain file.
      return reader.isAtEnd && type == "rsrc" ? nil : "entry \"\(type)\" of dref"
    }
  }

  /// Returns the first other file that contains samples of a track.
  ///
  /// `nil` if all are in this file.
  ///
  /// Samples in fragments may use every sample description.
  func otherFile(of track: MovieTrack, inFragments: Bool) -> String? {
    guard files.contains(where: { $0 != nil }) else { return nil }
    let entries = track.descriptions.entries
    var used = track.table.sampleToChunk.runs.map { Int($0.descriptionIndex) - 1 }
    if inFragments { used += entries.indices }
    for number in used where entries.indices.contains(number) {
      let payload = entries[number].payload
      guard payload.count >= 8 else { continue }
      let reference = Int(payload[6]) << 8 | Int(payload[7])
      if files.indices.contains(reference - 1), let file = files[reference - 1] { return file }
    }
    return nil
  }
}
