import RespoolPlugin

/// The `bext` chunk of Broadcast Wave files (EBU Tech 3285): originator, date and description of a recording.
///
/// Its tags have FFmpeg's names.
struct BroadcastExtension {
  private(set) var tags: [NativeTag] = []

  /// A text field of fixed length.
  private struct Field {
    var key: String
    /// The tag's name in FFmpeg.
    var name: String
    /// The tag's name if another chunk has a different value under `name`.
    ///
    /// Empty if no other chunk has such a tag.
    var ownName = ""
    /// Size in the chunk in bytes.
    var length: Int
  }

  /// Fields in chunk order, up to the time reference.
  private static let fields = [
    Field(key: "Description", name: "comment", ownName: "broadcast_description", length: 256),
    Field(key: "Originator", name: "encoded_by", ownName: "originator", length: 32),
    Field(key: "OriginatorReference", name: "originator_reference", length: 32),
    Field(key: "OriginationDate", name: "date", ownName: "origination_date", length: 10),
    Field(key: "OriginationTime", name: "origination_time", length: 8),
  ]
  private static let timeReference = "time_reference"
  private static let codingHistory = "coding_history"
  /// Tags that no other chunk has.
  private static let own: Set<String> = Set(
    fields.map { $0.ownName.isEmpty ? $0.name : $0.ownName } + [timeReference, codingHistory])
  /// Position and size in bytes of the version, the UMID, the loudness and the reserved bytes.
  private static let codedStart = 346
  private static let codedLength = 256

  /// Returns `true` if a chunk has a UMID or loudness values.
  static func hasCodedValues(_ body: [UInt8]) -> Bool {
    body.dropFirst(codedStart + 2).prefix(codedLength - 2).contains { $0 != 0 }
  }

  /// Parses the body of a chunk.
  ///
  /// A truncated one yields its complete fields.
  init(_ body: [UInt8]) {
    var reader = ByteReader(body)
    func add(_ key: String, _ name: String, _ value: String) {
      guard !value.isEmpty else { return }
      tags.append(NativeTag(keySpace: "bext", key: key, name: name, value: value))
    }
    for field in Self.fields {
      guard let bytes = try? reader.take(field.length) else { return }
      add(field.key, field.name, String(utf8OrLatin1: bytes.prefix { $0 != 0 }))
    }
    guard let samples = try? reader.little(UInt64.self) else { return }
    add("TimeReference", Self.timeReference, "\(samples)")
    guard (try? reader.skip(Self.codedLength)) != nil,
      let history = try? reader.take(reader.remaining)
    else { return }
    add("CodingHistory", Self.codingHistory, String(utf8OrLatin1: history.prefix { $0 != 0 }))
  }

  /// Renames the fields that differ from other chunks to names that only this chunk has.
  ///
  /// `others` holds the values of the file's other tags by name. A field that is the beginning of such a
  /// value was truncated to its length.
  mutating func separate(from others: [String: String]) {
    for index in tags.indices {
      guard let field = Self.fields.first(where: { $0.key == tags[index].key }),
        !field.ownName.isEmpty, let other = others[field.name], !other.hasPrefix(tags[index].value)
      else { continue }
      tags[index].name = field.ownName
    }
  }

  /// Returns the body of a chunk.
  ///
  /// `nil` if no entry belongs only to Broadcast Wave and the source has no chunk.
  ///
  /// `source` is the body of the chunk in the source file. It provides the UMID and the loudness.
  static func body(_ metadata: [MetadataEntry], source: ArraySlice<UInt8>? = nil) -> [UInt8]? {
    func value(_ name: String) -> String? {
      metadata.last { $0.name.lowercased() == name }?.value
    }
    guard source != nil || own.contains(where: { value($0) != nil }) else { return nil }
    var body = LittleEndianBytes()
    for field in fields {
      let bytes = (value(field.ownName) ?? value(field.name) ?? "").utf8.prefix(field.length)
      body.bytes += bytes
      body.bytes += Array(repeating: 0, count: field.length - bytes.count)
    }
    body.add(value(timeReference).flatMap { UInt64($0) } ?? 0)
    let coded = source?.dropFirst(codedStart).prefix(codedLength) ?? []
    if coded.count == codedLength {
      body.bytes += coded
    } else {
      // Version 1 has a UMID, which is all zeros if there is none.
      body.add(UInt16(1))
      body.bytes += Array(repeating: 0, count: codedLength - 2)
    }
    body.bytes += Array((value(codingHistory) ?? "").utf8)
    return body.bytes
  }

  /// Returns `true` if only this chunk can hold an entry of this name.
  static func holds(_ name: String) -> Bool { own.contains(name) }
}
