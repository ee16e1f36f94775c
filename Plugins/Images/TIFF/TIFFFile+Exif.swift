import RespoolPlugin

extension TIFFFile {
  /// Fields that describe the photo and not how its pixels are stored (CIPA DC-008-2023 4.6.5; those of Windows).
  private static let described: Set<UInt16> = [
    0x10E, 0x10F, 0x110, 0x112, 0x11A, 0x11B, 0x128, 0x131, 0x132, 0x13B, 0x13C, 0x4746, 0x4749,
    0x8298, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F,
  ]

  /// Exif data with the fields that describe the image; `nil` if there are none.
  var exif: [UInt8]? {
    var main = entries(image) { Self.described.contains($0) }
    var details = entries(data.directory(.exifDirectory, in: image)) {
      $0 != TIFFTag.interoperability
    }
    let position = entries(data.directory(.positionDirectory, in: image)) { _ in true }
    let exchange = entries(interoperability) { _ in true }
    guard !details.isEmpty || !position.isEmpty || main.contains(where: { $0.tag != 0x112 }) else {
      return nil
    }
    if !exchange.isEmpty { details.append(Entry(pointer: TIFFTag.interoperability)) }
    if !details.isEmpty { main.append(Entry(pointer: ExifTag.exifDirectory.rawValue)) }
    if !position.isEmpty { main.append(Entry(pointer: ExifTag.positionDirectory.rawValue)) }
    var bytes = Array(data.bytes.prefix(4)) + data.encoded(8, 4)
    var start = 8
    var places: [UInt16: Int] = [:]
    let parts: [(tag: UInt16, entries: [Entry])] = [
      (0, main), (ExifTag.exifDirectory.rawValue, details),
      (ExifTag.positionDirectory.rawValue, position), (TIFFTag.interoperability, exchange),
    ]
    for part in parts where !part.entries.isEmpty {
      places[part.tag] = start
      start += Self.size(of: part.entries)
    }
    for part in parts where !part.entries.isEmpty {
      bytes += directory(part.entries, at: bytes.count, places)
    }
    return bytes
  }

  private var interoperability: [UInt16: ExifData.Field] {
    let details = data.directory(.exifDirectory, in: image)
    guard let place = data.integer(details[TIFFTag.interoperability]) else { return [:] }
    return data.fields(at: place)?.fields ?? [:]
  }

  /// A field with its values, or with the place of a directory that follows.
  private struct Entry {
    let tag: UInt16
    var type: UInt16 = 4
    var count = 1
    /// `nil` for the place of a directory.
    var value: [UInt8]?

    init(pointer tag: UInt16) { self.tag = tag }

    init(_ tag: UInt16, _ field: ExifData.Field, _ value: [UInt8]) {
      self.init(pointer: tag)
      (type, count, self.value) = (field.type, field.count, value)
    }

    /// Bytes after the directory, of even number.
    var outside: [UInt8] {
      guard let value, value.count > 4 else { return [] }
      return value.count.isMultiple(of: 2) ? value : value + [0]
    }
  }

  private func entries(
    _ fields: [UInt16: ExifData.Field], where isIncluded: (UInt16) -> Bool
  ) -> [Entry] {
    fields.sorted { $0.key < $1.key }.compactMap { tag, field in
      guard isIncluded(tag), let value = data.bytes(of: field) else { return nil }
      return Entry(tag, field, value)
    }
  }

  private static func size(of entries: [Entry]) -> Int {
    2 + entries.count * 12 + 4 + entries.reduce(0) { $0 + $1.outside.count }
  }

  /// Returns a directory that begins at `start`; `places` has the places of those that it refers to.
  private func directory(_ entries: [Entry], at start: Int, _ places: [UInt16: Int]) -> [UInt8] {
    let entries = entries.sorted { $0.tag < $1.tag }
    var bytes = data.encoded(entries.count, 2)
    var values: [UInt8] = []
    let valueStart = start + 2 + entries.count * 12 + 4
    for entry in entries {
      bytes += data.encoded(Int(entry.tag), 2) + data.encoded(Int(entry.type), 2)
      bytes += data.encoded(entry.count, 4)
      guard let value = entry.value else {
        bytes += data.encoded(places[entry.tag] ?? 0, 4)
        continue
      }
      if value.count > 4 {
        bytes += data.encoded(valueStart + values.count, 4)
        values += entry.outside
      } else {
        bytes += value + Array(repeating: 0, count: 4 - value.count)
      }
    }
    return bytes + [0, 0, 0, 0] + values
  }
}
