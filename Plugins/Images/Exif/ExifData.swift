import RespoolPlugin

/// Exif data: directories of fields in a TIFF structure (CIPA DC-008-2023 4.5; TIFF 6.0, section 2).
struct ExifData {
  /// The structure from its byte order on.
  private(set) var bytes: [UInt8]
  private let isLittle: Bool
  /// Fields of the first directory, of the Exif directory and of that with the position.
  private(set) var main: [UInt16: Field] = [:]
  private(set) var details: [UInt16: Field] = [:]
  private(set) var position: [UInt16: Field] = [:]
  /// Place of the offset of the directory of the preview; `nil` if there is none.
  private var previewLink: Int?

  /// A field of a directory.
  struct Field {
    let type: UInt16
    let count: Int
    /// Place of the first value in the structure.
    let place: Int
    /// Size of all values in bytes.
    let size: Int
  }

  /// More fields than any camera writes.
  private static let mostFields = 4096

  /// Reads the directories; `nil` if the first one is damaged.
  init?(_ bytes: [UInt8]) {
    if bytes.starts(with: [0x49, 0x49, 42, 0]) {
      isLittle = true
    } else if bytes.starts(with: [0x4D, 0x4D, 0, 42]) {
      isLittle = false
    } else {
      return nil
    }
    self.bytes = bytes
    guard let start = number(at: 4, size: 4), let found = fields(at: start) else { return nil }
    main = found.fields
    if let next = number(at: found.end, size: 4), next != 0 { previewLink = found.end }
    details = directory(.exifDirectory, in: main)
    position = directory(.positionDirectory, in: main)
  }

  /// Returns the fields of the directory to which a field of another one refers; empty if there is none.
  func directory(_ tag: ExifTag, in parent: [UInt16: Field]) -> [UInt16: Field] {
    guard let place = integer(parent[tag.rawValue]) else { return [:] }
    return fields(at: place)?.fields ?? [:]
  }

  /// Returns the fields of a directory and the place behind them; `nil` if it is damaged.
  func fields(at start: Int) -> (fields: [UInt16: Field], end: Int)? {
    guard start > 0, let count = number(at: start, size: 2), count <= Self.mostFields,
      start + 2 + count * 12 <= bytes.count
    else { return nil }
    var fields: [UInt16: Field] = [:]
    for index in 0..<count {
      let entry = start + 2 + index * 12
      guard let tag = number(at: entry, size: 2), let type = number(at: entry + 2, size: 2),
        let count = number(at: entry + 4, size: 4), let unit = Self.sizes[UInt16(type)]
      else { continue }
      let size = count * unit
      let place = size <= 4 ? entry + 8 : number(at: entry + 8, size: 4) ?? .max
      guard size <= bytes.count, place <= bytes.count - size else { continue }
      fields[UInt16(tag)] = Field(type: UInt16(type), count: count, place: place, size: size)
    }
    return (fields, start + 2 + count * 12)
  }

  /// Sizes of the types in bytes.
  private static let sizes: [UInt16: Int] = [
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 129: 1,
  ]

  // MARK: Values

  /// Returns an unsigned number of the structure; `nil` outside of it.
  func number(at place: Int, size: Int) -> Int? {
    guard place >= 0, place <= bytes.count - size else { return nil }
    let part = bytes[place..<place + size]
    return isLittle
      ? part.reversed().reduce(0) { $0 << 8 | Int($1) } : part.reduce(0) { $0 << 8 | Int($1) }
  }

  /// The first value of a field with whole numbers.
  func integer(_ field: Field?) -> Int? { integers(field, most: 1).first }

  /// Returns the values of a field with whole numbers, at most `most`.
  func integers(_ field: Field?, most: Int = 1 << 20) -> [Int] {
    guard let field, [1, 3, 4, 13].contains(field.type), let size = Self.sizes[field.type] else {
      return []
    }
    return (0..<min(field.count, most)).compactMap {
      number(at: field.place + $0 * size, size: size)
    }
  }

  /// Returns the bytes of a field; `nil` if there is no field or no byte.
  func bytes(of field: Field?) -> [UInt8]? {
    guard let field, field.size > 0 else { return nil }
    return Array(bytes[field.place..<field.place + field.size])
  }

  /// Returns the texts of a field without the zero bytes at the end; `nil` for an empty one.
  func text(_ field: Field?) -> String? {
    guard let field, [2, 129].contains(field.type) else { return nil }
    let value = bytes[field.place..<field.place + field.size].prefix { $0 != 0 }
    let text = String(decoding: value, as: UTF8.self)
    let isBlank = text.allSatisfy { $0 == " " }
    return isBlank ? nil : text
  }

  /// Returns the quotients of a field with unsigned fractions.
  func fractions(_ field: Field?) -> [Double] {
    guard let field, field.type == 5 else { return [] }
    return (0..<min(field.count, 8)).compactMap { index in
      guard let over = number(at: field.place + index * 8, size: 4),
        let under = number(at: field.place + index * 8 + 4, size: 4), under > 0
      else { return nil }
      return Double(over) / Double(under)
    }
  }

  func byte(_ field: Field?) -> UInt8? {
    field.flatMap { $0.size > 0 ? bytes[$0.place] : nil }
  }

  var orientation: ExifOrientation {
    integer(main[ExifTag.orientation.rawValue]).flatMap {
      ExifOrientation(rawValue: UInt16(clamping: $0))
    }
      ?? .upright
  }

  // MARK: Changes

  /// Makes the data fit to an image of a size and an orientation.
  ///
  /// The preview of an image with another orientation is no longer referred to.
  mutating func adapt(to orientation: ExifOrientation, width: Int, height: Int) {
    if self.orientation != orientation {
      if let link = previewLink { set(0, at: link, size: 4) }
      previewLink = nil
    }
    if let field = main[ExifTag.orientation.rawValue] {
      set(Int(orientation.rawValue), in: field)
    } else if orientation != .upright {
      self = with(orientation)
    }
    for (tag, value) in [(ExifTag.pixelWidth, width), (.pixelHeight, height)] {
      if let field = details[tag.rawValue] { set(value, in: field) }
    }
    for (tag, value) in [(ExifTag.imageWidth, width), (.imageHeight, height)] {
      if let field = main[tag.rawValue] { set(value, in: field) }
    }
  }

  private mutating func set(_ value: Int, in field: Field) {
    switch field.type {
    case 3: set(value, at: field.place, size: 2)
    case 4: set(value, at: field.place, size: 4)
    default: break
    }
  }

  private mutating func set(_ value: Int, at place: Int, size: Int) {
    guard place >= 0, place <= bytes.count - size else { return }
    for index in 0..<size {
      let shift = 8 * (isLittle ? index : size - 1 - index)
      bytes[place + index] = UInt8(truncatingIfNeeded: value >> shift)
    }
  }

  /// Returns the data with a field for the orientation, in a first directory at the end.
  private func with(_ orientation: ExifOrientation) -> ExifData {
    guard let start = number(at: 4, size: 4), let found = fields(at: start),
      let count = number(at: start, size: 2)
    else { return self }
    var entry = ExifData.entry(.orientation, type: 3, count: 1, isLittle: isLittle)
    entry += Self.encode(Int(orientation.rawValue), 2, isLittle) + [0, 0]
    var entries = (0..<count).map { Array(bytes[start + 2 + $0 * 12..<start + 14 + $0 * 12]) }
    let place = entries.firstIndex {
      ExifData.decode($0[0..<2], isLittle) > Int(ExifTag.orientation.rawValue)
    }
    entries.insert(entry, at: place ?? entries.endIndex)
    var result = bytes + (bytes.count % 2 == 0 ? [] : [0])
    let directory = result.count
    result += Self.encode(entries.count, 2, isLittle) + entries.joined()
    result += bytes[found.end..<min(found.end + 4, bytes.count)]
    result.replaceSubrange(4..<8, with: Self.encode(directory, 4, isLittle))
    return ExifData(result) ?? self
  }

  static func entry(_ tag: ExifTag, type: Int, count: Int, isLittle: Bool) -> [UInt8] {
    encode(Int(tag.rawValue), 2, isLittle) + encode(type, 2, isLittle) + encode(count, 4, isLittle)
  }

  /// Returns a number in the byte order of the data.
  func encoded(_ value: Int, _ size: Int) -> [UInt8] { Self.encode(value, size, isLittle) }

  static func encode(_ value: Int, _ size: Int, _ isLittle: Bool) -> [UInt8] {
    let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isLittle ? bytes : bytes.reversed()
  }

  static func decode(_ bytes: ArraySlice<UInt8>, _ isLittle: Bool) -> Int {
    (isLittle ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
  }
}
