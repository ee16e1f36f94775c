import RespoolPlugin

/// `dref`, read: which files have a track's media (ISO/IEC 14496-12 8.7.2).
struct DataReferences {
  /// The place that each entry names.
  ///
  /// `nil` for this file, and for an entry of a file that names nothing.
  private(set) var files: [String?] = []

  init() {}

  /// Reads the payload of the box; damage ends the list.
  init(_ reader: ByteReader) {
    var reader = reader
    guard (try? reader.skip(8)) != nil else { return }
    // Numbers of the list have 16 bits.
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
      return text.isEmpty ? nil : FileName.text(text)
    case "urn ":
      // The name, and perhaps a location behind it.
      let texts = try reader.take(reader.remaining).split(separator: 0)
      return texts.isEmpty
        ? "that a urn without a name stands for"
        : texts.map { FileName.text($0) }.joined(separator: " ")
    default:
      // An alias to a resource fork, item data, or what later editions define: never the file as such.
      return reader.isAtEnd && type == "rsrc" ? nil : "that an entry \"\(type)\" of dref names"
    }
  }

  /// Returns the first other file that samples of a track lie in; `nil` if they are in this one.
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
