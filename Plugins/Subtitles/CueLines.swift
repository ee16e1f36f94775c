import RespoolPlugin

/// The lines of a file of text, which end with line feeds, carriage returns or both.
struct CueLines {
  typealias Line = ArraySlice<UInt8>

  /// The text without a byte order mark and without bytes of zero; UTF-16 and UTF-32 are converted.
  let text: [UInt8]
  /// Offset of the first byte of zero that has text after it; `nil` if there is none.
  let firstZero: Int?
  /// Offset of the next line; after the end if there is none.
  private var position = 0

  /// Reads the bytes of a file.
  init(_ bytes: [UInt8]) {
    let text = Self.utf8(bytes)
    if let first = text.firstIndex(of: 0) {
      firstZero = text[first...].contains { $0 != 0 } ? first : nil
      self.text = text.filter { $0 != 0 }
    } else {
      (self.text, firstZero) = (text, nil)
    }
  }

  /// Creates the lines of a part of such a text.
  init(_ part: Line) { (text, firstZero) = (Array(part), nil) }

  /// `true` after the last line, which may be empty.
  var isEmpty: Bool { position > text.count }

  /// The next line without its end; `nil` after the last one.
  var first: Line? { isEmpty ? nil : text[position..<end] }

  /// Removes and returns the next line without its end; `nil` after the last one.
  mutating func removeFirst() -> Line? {
    guard let line = first else { return nil }
    position = line.endIndex + 1
    if line.endIndex + 1 < text.count, text[line.endIndex] == 13, text[line.endIndex + 1] == 10 {
      position += 1
    }
    return line
  }

  private var end: Int {
    var end = position
    while end < text.count, text[end] != 10, text[end] != 13 { end += 1 }
    return end
  }

  /// Returns bytes without a byte order mark, and UTF-16 and UTF-32 as UTF-8.
  private static func utf8(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
    // The mark of UTF-32 begins with that of UTF-16.
    let marks: [(bytes: [UInt8], isBig: Bool)] = [
      ([0, 0, 0xFE, 0xFF], true), ([0xFF, 0xFE, 0, 0], false), ([0xFE, 0xFF], true),
      ([0xFF, 0xFE], false),
    ]
    if let mark = marks.first(where: { bytes.starts(with: $0.bytes) }) {
      return utf8(bytes.dropFirst(mark.bytes.count), unit: mark.bytes.count, isBig: mark.isBig)
    }
    // Files without a mark begin with two ASCII characters, such as a number and a line end.
    let zeros = bytes.prefix(4).map { $0 == 0 }
    let isBig = zeros == [true, false, true, false]
    guard isBig || zeros == [false, true, false, true] else { return bytes }
    return utf8(bytes[...], unit: 2, isBig: isBig)
  }

  /// Converts code units of two or four bytes; an incomplete one at the end is left out.
  private static func utf8(_ bytes: Line, unit: Int, isBig: Bool) -> [UInt8] {
    let values = (0..<bytes.count / unit).lazy.map { index in
      (0..<unit).reduce(UInt32(0)) { value, place in
        let place = bytes.startIndex + index * unit + (isBig ? place : unit - 1 - place)
        return value << 8 | UInt32(bytes[place])
      }
    }
    return unit == 2
      ? Array(String(decoding: values.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self).utf8)
      : Array(String(decoding: values, as: UTF32.self).utf8)
  }
}
