import RespoolPlugin

/// The `bext` chunk of Broadcast Wave files (EBU Tech 3285): who recorded what, when.
///
/// The names of its tags are FFmpeg's.
struct BroadcastExtension {
  private(set) var tags: [NativeTag] = []

  /// The fields of fixed length in the order of the chunk, in bytes, before the time reference.
  private static let texts: [(key: String, name: String, length: Int)] = [
    ("Description", "comment", 256), ("Originator", "encoded_by", 32),
    ("OriginatorReference", "originator_reference", 32), ("OriginationDate", "date", 10),
    ("OriginationTime", "origination_time", 8),
  ]
  private static let timeReference = "time_reference"
  private static let codingHistory = "coding_history"
  /// Version, UMID, loudness values and reserved bytes, which stand before the coding history.
  private static let reservedLength = 254

  /// Reads the body of a chunk; one that is cut off gives the fields that are whole.
  init(_ body: [UInt8]) {
    var reader = ByteReader(body)
    func add(_ key: String, _ name: String, _ value: String) {
      guard !value.isEmpty else { return }
      tags.append(NativeTag(keySpace: "bext", key: key, name: name, value: value))
    }
    for text in Self.texts {
      guard let bytes = try? reader.take(text.length) else { return }
      add(text.key, text.name, InfoList.text(bytes.prefix { $0 != 0 }))
    }
    guard let samples = try? reader.little(UInt64.self) else { return }
    add("TimeReference", Self.timeReference, "\(samples)")
    guard (try? reader.skip(Self.reservedLength)) != nil,
      let history = try? reader.take(reader.remaining)
    else { return }
    add("CodingHistory", Self.codingHistory, InfoList.text(history.prefix { $0 != 0 }))
  }

  /// Makes the body of a chunk; `nil` if no entry belongs to Broadcast Wave alone.
  static func body(_ metadata: [MetadataEntry]) -> [UInt8]? {
    func value(_ name: String) -> String? {
      metadata.last { $0.name.lowercased() == name }?.value
    }
    let own = ["originator_reference", "origination_time", timeReference, codingHistory]
    guard own.contains(where: { value($0) != nil }) else { return nil }
    var body = LittleEndianBytes()
    for text in texts {
      let bytes = (value(text.name) ?? "").utf8.prefix(text.length)
      body.bytes += bytes
      body.bytes += Array(repeating: 0, count: text.length - bytes.count)
    }
    body.add(value(timeReference).flatMap { UInt64($0) } ?? 0)
    // Version 1 has a UMID, which is all zeros if there is none.
    body.add(UInt16(1))
    body.bytes += Array(repeating: 0, count: reservedLength - 2)
    body.bytes += Array((value(codingHistory) ?? "").utf8)
    return body.bytes
  }

  /// `true` if the chunk holds an entry of this name.
  static func holds(_ name: String) -> Bool {
    ["originator_reference", "origination_time", timeReference, codingHistory].contains(name)
  }
}
