/// The texts of a frame, in the encoding that its first byte tells (ID3 2.4.0 section 4).
struct ID3Text {
  private let encoding: UInt8
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    encoding = bytes.first ?? 0
    rest = bytes.dropFirst()
  }

  /// Takes bytes that are no text.
  @discardableResult mutating func take(_ count: Int) -> ArraySlice<UInt8> {
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Takes Latin-1 up to a zero, whatever the encoding.
  mutating func plain() -> String {
    let bytes = rest.prefix { $0 != 0 }
    rest = rest.dropFirst(bytes.count + 1)
    return String(latin1: bytes)
  }

  /// Takes the next text, up to a zero or the end.
  mutating func next() -> String {
    guard encoding == 1 || encoding == 2 else {
      let bytes = rest.prefix { $0 != 0 }
      rest = rest.dropFirst(bytes.count + 1)
      return encoding == 3 ? String(decoding: bytes, as: UTF8.self) : String(latin1: bytes)
    }
    var units: [UInt16] = []
    while rest.count >= 2 {
      let pair = take(2)
      let unit = UInt16(pair[pair.startIndex]) << 8 | UInt16(pair[pair.startIndex + 1])
      if unit == 0 { break }
      units.append(unit)
    }
    // Half a unit is dropped; otherwise callers would try to read it again and again.
    if rest.count < 2 { rest = [] }
    // UTF-16 begins with a mark that tells the order of bytes; UTF-16BE has none.
    if units.first == 0xFFFE { units = units.map(\.byteSwapped) }
    if units.first == 0xFEFF { units.removeFirst() }
    return String(decoding: units, as: UTF16.self)
  }

  /// Takes all texts that are not empty.
  mutating func all() -> [String] {
    var values: [String] = []
    while !rest.isEmpty {
      let value = next()
      if !value.isEmpty { values.append(value) }
    }
    return values
  }

  /// Takes texts in pairs, the second of which may be empty.
  mutating func pairs() -> [(String, String)] {
    var pairs: [(String, String)] = []
    while !rest.isEmpty {
      let first = next()
      pairs.append((first, next()))
    }
    return pairs
  }
}
