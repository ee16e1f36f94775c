import RespoolPlugin

/// The texts of Exif data under the names of tags.
extension ExifData {
  private static let names: [(tag: ExifTag, name: String)] = [
    (.description, "description"), (.make, "make"), (.model, "model"), (.artist, "artist"),
    (.copyright, "copyright"),
  ]

  /// Returns the texts whose names are not among those of `known`.
  func texts(besides known: [MetadataEntry]) -> [MetadataEntry] {
    var texts = Self.names.compactMap { tag, name in
      text(main[tag.rawValue]).map { MetadataEntry(name, $0) }
    }
    if let date { texts.append(MetadataEntry(MetadataDate.creationTime, date)) }
    if let place { texts.append(MetadataEntry("location", place)) }
    return texts.filter { text in !known.contains { $0.name == text.name } }
  }

  /// The time at which the image was taken, with its zone if that is stored (CIPA DC-008-2023 4.6.6.3).
  private var date: String? {
    guard let text = text(details[ExifTag.takenAt.rawValue]), text.utf8.count == 19 else {
      return nil
    }
    let parts = text.split(separator: " ")
    guard parts.count == 2 else { return nil }
    var date = parts[0].split(separator: ":").joined(separator: "-") + "T" + parts[1]
    if let fraction = self.text(details[ExifTag.takenAtFraction.rawValue]),
      fraction.allSatisfy({ $0.isASCII && $0.isNumber })
    {
      date += ".\(fraction)"
    }
    date += self.text(details[ExifTag.takenAtZone.rawValue]) ?? ""
    return MetadataDate.seconds(date) == nil ? nil : date
  }

  /// The position as ISO 6709 writes it (annex H), in degrees and metres.
  private var place: String? {
    guard
      let latitude = degrees(ExifTag.latitude, ExifTag.latitudeSide, negative: "S", digits: 2),
      let longitude = degrees(ExifTag.longitude, ExifTag.longitudeSide, negative: "W", digits: 3)
    else { return nil }
    var text = latitude + longitude
    if let height = fractions(position[ExifTag.altitude]).first {
      let isBelow = byte(position[ExifTag.altitudeSide]) == 1
      text += (isBelow ? "-" : "+") + Self.decimal(height, digits: 1, places: 3)
    }
    return text + "/"
  }

  private func degrees(_ tag: UInt16, _ side: UInt16, negative: String, digits: Int) -> String? {
    let parts = fractions(position[tag])
    guard parts.count == 3, let side = text(position[side]) else { return nil }
    let value = parts[0] + parts[1] / 60 + parts[2] / 3600
    guard value <= 180 else { return nil }
    return (side == negative ? "-" : "+") + Self.decimal(value, digits: digits, places: 5)
  }

  /// Returns a number of 0 or more with a fixed number of digits behind the point and a minimum before it.
  private static func decimal(_ value: Double, digits: Int, places: Int) -> String {
    let scale = (0..<places).reduce(1) { product, _ in product * 10 }
    let number = Int64((min(value, 1e9) * Double(scale)).rounded())
    let (whole, part) = ("\(number / Int64(scale))", "\(number % Int64(scale))")
    return String(repeating: "0", count: max(0, digits - whole.count)) + whole + "."
      + String(repeating: "0", count: places - part.count) + part
  }

  // MARK: Writing

  /// Creates data with the texts that have fields.
  init?(texts: [MetadataEntry]) {
    var fields: [(tag: ExifTag, value: [UInt8])] = Self.names.compactMap { tag, name in
      texts.first { $0.name == name }.map { (tag, Array($0.value.utf8) + [0]) }
    }
    var details: [(tag: ExifTag, value: [UInt8])] = []
    if let date = texts.first(where: { $0.name == MetadataDate.creationTime })?.value {
      details = Self.date(date)
    }
    fields.sort { $0.tag.rawValue < $1.tag.rawValue }
    self.init(Self.structure(fields, details))
  }

  /// Returns the fields of a date such as `2024-05-06T07:08:09.123+02:00`; empty if it has no time.
  private static func date(_ text: String) -> [(tag: ExifTag, value: [UInt8])] {
    let text = Array(text.utf8)
    guard text.count >= 19, MetadataDate.seconds(String(decoding: text, as: UTF8.self)) != nil
    else { return [] }
    var date = Array(text[..<19])
    for place in [4, 7] { date[place] = UInt8(ascii: ":") }
    date[10] = UInt8(ascii: " ")
    var rest = text[19...]
    var fraction: [UInt8] = []
    if rest.first == UInt8(ascii: ".") {
      fraction = Array(rest.dropFirst().prefix { (0x30...0x39).contains($0) })
      rest = rest.dropFirst(fraction.count + 1)
    }
    let zone = rest.elementsEqual("Z".utf8) ? Array("+00:00".utf8) : Array(rest)
    var fields: [(tag: ExifTag, value: [UInt8])] = [(.takenAt, date + [0])]
    if zone.count == 6 { fields.append((.takenAtZone, zone + [0])) }
    if fraction.contains(where: { $0 != 0x30 }) {
      fields.append((.takenAtFraction, fraction + [0]))
    }
    return fields
  }

  /// Returns a structure with texts in the first and in the Exif directory.
  private static func structure(
    _ fields: [(tag: ExifTag, value: [UInt8])], _ details: [(tag: ExifTag, value: [UInt8])]
  ) -> [UInt8] {
    var bytes: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
    let count = fields.count + (details.isEmpty ? 0 : 1)
    var values: [UInt8] = []
    let valueStart = 8 + 2 + count * 12 + 4
    bytes += encode(count, 2, false)
    func add(_ field: (tag: ExifTag, value: [UInt8])) {
      bytes += entry(field.tag, type: 2, count: field.value.count, isLittle: false)
      if field.value.count <= 4 {
        bytes += field.value + Array(repeating: 0, count: 4 - field.value.count)
      } else {
        bytes += encode(valueStart + values.count, 4, false)
        values += field.value + (field.value.count % 2 == 0 ? [] : [0])
      }
    }
    for field in fields where field.tag.rawValue < ExifTag.exifDirectory.rawValue { add(field) }
    let size = fields.reduce(0) { $0 + ($1.value.count > 4 ? ($1.value.count + 1) / 2 * 2 : 0) }
    let second = valueStart + size
    if !details.isEmpty {
      bytes += entry(.exifDirectory, type: 4, count: 1, isLittle: false) + encode(second, 4, false)
    }
    bytes += [0, 0, 0, 0] + values
    guard !details.isEmpty else { return bytes }
    var texts: [UInt8] = []
    let textStart = second + 2 + details.count * 12 + 4
    bytes += encode(details.count, 2, false)
    for field in details {
      bytes += entry(field.tag, type: 2, count: field.value.count, isLittle: false)
      if field.value.count <= 4 {
        bytes += field.value + Array(repeating: 0, count: 4 - field.value.count)
      } else {
        bytes += encode(textStart + texts.count, 4, false)
        texts += field.value + (field.value.count % 2 == 0 ? [] : [0])
      }
    }
    return bytes + [0, 0, 0, 0] + texts
  }
}
