import RespoolPlugin

/// The comments of Vorbis, Opus and FLAC: a vendor and fields of `NAME=value` (RFC 7845 5.2.1).
struct VorbisComments: Equatable {
  var vendor: String
  var fields: [MetadataEntry]

  init(vendor: String, fields: [MetadataEntry]) {
    self.vendor = vendor
    self.fields = fields
  }

  /// Parses what follows the packet's signature; what is behind the last field is padding.
  init(_ bytes: some Collection<UInt8>) throws(MediaError) {
    var reader = ByteReader(Array(bytes))
    vendor = try reader.text(Int(try reader.little(UInt32.self)))
    fields = []
    for _ in 0..<(try reader.little(UInt32.self)) {
      let text = try reader.text(Int(try reader.little(UInt32.self)))
      guard let split = text.firstIndex(of: "="), split > text.startIndex else { continue }
      fields.append(
        MetadataEntry(String(text[..<split]), String(text[text.index(after: split)...])))
    }
  }

  var bytes: [UInt8] {
    var result: [UInt8] = []
    func append(_ number: Int) {
      let value = UInt32(clamping: number)
      result += [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    func append(_ text: String) {
      append(text.utf8.count)
      result += Array(text.utf8)
    }
    append(vendor)
    append(fields.count)
    for field in fields { append("\(field.name)=\(field.value)") }
    return result
  }

  // MARK: Names

  /// The field that FFmpeg calls `name`; those not here are the same in both, but for the case.
  private static let fieldNames = [
    "album_artist": "ALBUMARTIST", "track": "TRACKNUMBER", "disc": "DISCNUMBER",
    "comment": "DESCRIPTION",
  ]

  /// The fields by FFmpeg's names, without covers.
  var metadata: [MetadataEntry] { tags.map { MetadataEntry($0.name, $0.value) } }

  /// The fields as they stand in the file, without covers.
  var tags: [NativeTag] {
    var result: [NativeTag] = []
    for field in fields where field.name.uppercased() != Self.pictureField {
      let upper = field.name.uppercased()
      let name = Self.fieldNames.first { $0.value == upper }?.key ?? field.name.lowercased()
      result.append(
        NativeTag(keySpace: "org.xiph.comment", key: upper, name: name, value: field.value))
    }
    return result
  }

  /// Fields for metadata by FFmpeg's names.
  ///
  /// A name has printable ASCII but `=`; an entry with another name is left out, and what tells about the
  /// source: its encoder, that its language is not known. What two names say that become one is written once.
  static func fields(_ metadata: [MetadataEntry]) -> [MetadataEntry] {
    var seen: Set<MetadataEntry> = []
    return metadata.compactMap { entry in
      let key = entry.name.lowercased()
      guard !entry.isOfFile, key != "encoder", key != "language" || entry.value != "und" else {
        return nil
      }
      let name = fieldNames[entry.name.lowercased()] ?? entry.name.uppercased()
      guard !name.isEmpty, name.utf8.allSatisfy({ (0x20...0x7D).contains($0) && $0 != 0x3D })
      else { return nil }
      let field = MetadataEntry(name, entry.value)
      return seen.insert(field).inserted ? field : nil
    }
  }

  static let pictureField = "METADATA_BLOCK_PICTURE"
}
