import RespoolPlugin

/// The texts of a `LIST` chunk of type `INFO`.
enum InfoList {
  /// Chunk names and FFmpeg's names for them.
  ///
  /// If two have the same meaning, the first is written.
  private static let names: [(chunk: String, name: String)] = [
    ("INAM", "title"), ("IART", "artist"), ("IPRD", "album"), ("ICMT", "comment"),
    ("ICRD", "date"), ("IGNR", "genre"), ("IPRT", "track"), ("ITRK", "track"),
    ("ICOP", "copyright"), ("ILNG", "language"), ("ISFT", "encoder"), ("ISMP", "timecode"),
    ("ITCH", "encoded_by"),
  ]

  /// Parses the texts after the list's type.
  ///
  /// A truncated list yields its complete texts.
  static func read(_ reader: ByteReader) -> [NativeTag] {
    var reader = reader
    var tags: [NativeTag] = []
    while reader.remaining > 8 {
      guard let code = try? reader.take(4), let count = try? reader.little(UInt32.self),
        let bytes = try? reader.take(Int(count))
      else { break }
      if count % 2 == 1, reader.remaining > 0 { try? reader.skip(1) }
      let text = String(utf8OrLatin1: bytes.prefix { $0 != 0 })
      guard !text.isEmpty else { continue }
      let chunk = String(decoding: code, as: UTF8.self)
      let name = names.first { $0.chunk == chunk }?.name ?? chunk
      tags.append(NativeTag(keySpace: "riff", key: chunk, name: name, value: text))
    }
    return tags
  }

  /// Returns the chunk's body.
  ///
  /// `nil` if it would be empty.
  ///
  /// The encoder's name is not written, because it describes the source.
  static func body(_ metadata: [MetadataEntry]) -> [UInt8]? {
    var list = LittleEndianBytes()
    for (chunk, text) in texts(metadata) { list.add(chunk: chunk, Array(text.utf8) + [0]) }
    return list.bytes.isEmpty ? nil : Array("INFO".utf8) + list.bytes
  }

  /// Returns the texts with the names of their chunks.
  static func texts(_ metadata: [MetadataEntry]) -> [(chunk: String, text: String)] {
    metadata.compactMap { entry in
      guard entry.name.lowercased() != "encoder", !entry.value.isEmpty else { return nil }
      return chunk(for: entry.name).map { ($0, entry.value) }
    }
  }

  /// Returns `true` if the list has a chunk for tags of this name.
  static func holds(_ name: String) -> Bool { chunk(for: name) != nil }

  private static func chunk(for name: String) -> String? {
    let known = names.first { $0.name == name.lowercased() }?.chunk
    return known ?? (isChunkName(name) ? name : nil)
  }

  /// Returns `true` for a chunk name.
  ///
  /// Tags that were unknown when read are written under their original names.
  private static func isChunkName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    return bytes.count == 4 && bytes[0] == UInt8(ascii: "I")
      && bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }
}
