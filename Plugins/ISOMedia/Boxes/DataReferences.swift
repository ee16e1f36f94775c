import RespoolPlugin

/// `dref`, read: which files have a track's media (ISO/IEC 14496-12 8.7.2).
struct DataReferences {
  /// Nil: the file that the box is in, or nothing that can be made out.
  private(set) var files: [String?] = []

  init() {}

  /// `reader` holds the box's payload; damage ends the list.
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
    default: return nil
    }
  }

  /// The first other file that a track's samples lie in; nil: they are in this one.
  func otherFile(of track: MovieTrack) -> String? {
    guard files.contains(where: { $0 != nil }) else { return nil }
    for run in track.table.sampleToChunk.runs {
      let number = Int(run.descriptionIndex) - 1
      guard track.descriptions.entries.indices.contains(number) else { continue }
      let payload = track.descriptions.entries[number].payload
      guard payload.count >= 8 else { continue }
      let reference = Int(payload[6]) << 8 | Int(payload[7])
      if files.indices.contains(reference - 1), let file = files[reference - 1] { return file }
    }
    return nil
  }
}
