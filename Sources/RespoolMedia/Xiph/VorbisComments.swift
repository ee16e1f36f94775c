/// The comments of Vorbis, Opus and FLAC: a vendor and fields of `NAME=value` (RFC 7845 5.2.1).
public struct VorbisComments: Equatable, Sendable {
  public var vendor: String
  public var fields: [MetadataEntry]

  public init(vendor: String, fields: [MetadataEntry]) {
    self.vendor = vendor
    self.fields = fields
  }

  /// Parses the bytes after the packet's signature.
  ///
  /// Bytes after the last field are padding.
  public init(_ bytes: some Collection<UInt8>) throws(MediaError) {
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

  /// The comments as they are stored, without a signature.
  public var bytes: [UInt8] {
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
  ]

  /// The fields by FFmpeg's names, without covers; several values of a name are one text.
  public var metadata: [MetadataEntry] { NativeTag.entries(tags) }

  /// The fields as they stand in the file, without covers.
  public var tags: [NativeTag] {
    let hasComment = fields.contains { $0.name.uppercased() == "COMMENT" }
    return fields.compactMap { field in
      let upper = field.name.uppercased()
      guard upper != Self.pictureField else { return nil }
      var name = Self.fieldNames.first { $0.value == upper }?.key ?? field.name.lowercased()
      // Both names are in use for what FFmpeg calls a comment.
      if upper == "DESCRIPTION", !hasComment { name = "comment" }
      return NativeTag(keySpace: "org.xiph.comment", key: upper, name: name, value: field.value)
    }
  }

  /// Makes fields of a file's metadata by FFmpeg's names, and of further entries.
  ///
  /// A name has ASCII characters from 0x20 to 0x7D except `=`; entries with other names are left out. Entries that
  /// describe the source file are left out too, such as its encoder and an unknown language. Equal fields are
  /// written once.
  public static func fields(of media: MediaDescription, and others: [MetadataEntry])
    -> [MetadataEntry]
  {
    let values = TagValues(media)
    let all = media.metadata.flatMap { entry in
      values[entry].map { MetadataEntry(entry.name, $0) }
    }
    // A comment becomes a description, unless it was a comment in the source.
    let hasDescription =
      media.metadata.contains { $0.name.lowercased() == "description" }
      || media.nativeTags.contains { $0.keySpace == "org.xiph.comment" && $0.key == "COMMENT" }
    var seen: Set<MetadataEntry> = []
    return (all + others).compactMap { entry in
      let key = entry.name.lowercased()
      guard !entry.describesSourceFile, key != "encoder", key != "language" || entry.value != "und"
      else {
        return nil
      }
      var name = fieldNames[key] ?? entry.name.uppercased()
      if name == "COMMENT", !hasDescription { name = "DESCRIPTION" }
      // FFmpeg's programs look the language of a stream up by its name in small letters.
      if key == "language" { name = key }
      guard !name.isEmpty, name.utf8.allSatisfy({ (0x20...0x7D).contains($0) && $0 != 0x3D })
      else { return nil }
      let field = MetadataEntry(name, entry.value)
      return seen.insert(field).inserted ? field : nil
    }
  }

  /// The field with a picture in Base64, see ``FLACPicture``.
  public static let pictureField = "METADATA_BLOCK_PICTURE"
}
