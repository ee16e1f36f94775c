import RespoolMedia

/// Timed text of 3GPP TS 26.245 (tx3g), and the parts of QuickTime text that are the same.
struct TimedText {
  /// Face flags of TS 26.245 5.2.
  private static let bold: UInt8 = 1
  private static let italic: UInt8 = 2
  private static let underline: UInt8 = 4

  /// `true` if the sample entry is QuickTime's, whose style records differ.
  let isQuickTime: Bool
  private var font: UInt16 = 1
  private var face: UInt8 = 0
  private var size: UInt8 = 16
  private var color: [UInt8] = [255, 255, 255, 255]
  /// Justification as the sample entry numbers it: 0 left, 1 center, -1 right.
  private var horizontal: Int8 = 1
  private var vertical: Int8 = -1

  /// Creates a format from the bytes of `sampleEntry` after its first 8; the default format if they are empty.
  ///
  /// `isQuickTime` is `true` for QuickTime's own entry, whose style records differ.
  init(sampleEntry: [UInt8], isQuickTime: Bool) {
    self.isQuickTime = isQuickTime
    guard !isQuickTime, sampleEntry.count >= 30 else { return }
    horizontal = Int8(bitPattern: sampleEntry[4])
    vertical = Int8(bitPattern: sampleEntry[5])
    font = UInt16(sampleEntry[22]) << 8 | UInt16(sampleEntry[23])
    (face, size) = (sampleEntry[24], sampleEntry[25])
    color = Array(sampleEntry[26..<30])
    // Opaque black is what FFmpeg stores; players do not draw it.
    if sampleEntry[9] > 0, sampleEntry[6..<10] != [0, 0, 0, 255] {
      styles.append("its background color")
    }
    if sampleEntry[10..<18].contains(where: { $0 != 0 }) { styles.append("its text box") }
    // 16 and 18 are what writers of converted text store.
    if size != 16, size != 18 { styles.append("its font size") }
  }

  /// Names of the properties of the sample entry that a ``Caption`` cannot hold, if they are not the usual ones.
  private(set) var styles: [String] = []

  // MARK: Reading

  func caption(in sample: [UInt8]) throws(MediaError) -> CaptionReading {
    var reader = ByteReader(sample)
    let count = Int(try reader.big(UInt16.self))
    let text = Self.text(try reader.take(count))
    var boxes = Boxes()
    while reader.remaining >= 8 {
      let size = Int(try reader.big(UInt32.self))
      let type = FourCC(rawValue: try reader.big(UInt32.self))
      // A truncated box is ignored; the text is complete.
      guard size >= 8, let box = try? reader.sub(size - 8) else { break }
      do throws(MediaError) { try boxes.read(type, box, isQuickTime: isQuickTime) } catch { break }
    }
    var caption = Caption(styled(text, boxes), timeRange: .invalid)
    switch horizontal {
    case 0: caption.textAlignment = .left
    case -1: caption.textAlignment = .right
    default: break
    }
    switch vertical {
    case 0: caption.region = .top
    case 1: caption.region = .middle
    default: break
    }
    return CaptionReading(caption: caption, skipped: boxes.skipped)
  }

  /// Returns text in UTF-8, or in UTF-16 after a byte order mark (TS 26.245 5.17).
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    guard bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) else {
      return lines(String(decoding: bytes, as: UTF8.self))
    }
    let isBig = bytes.first == 0xFE
    let units = stride(from: bytes.startIndex + 2, to: bytes.endIndex - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    return lines(String(decoding: units, as: UTF16.self))
  }

  /// Replaces QuickTime's carriage returns by line feeds, one scalar each, so that offsets in styles stay valid.
  private static func lines(_ text: String) -> String {
    guard text.utf8.contains(13), !text.utf8.contains(10) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { $0 == "\r" ? "\n" : $0 }))
  }

  private func styled(_ text: String, _ boxes: Boxes) -> StyledText {
    let scalars = Array(text.unicodeScalars)
    var styled = StyledText()
    func append(_ range: Range<Int>, _ style: StyledText.Style) {
      styled.append(String(String.UnicodeScalarView(scalars[range])), style)
    }
    var end = 0
    let plain = style(face: face, color: color)
    // Records come in order and do not overlap (TS 26.245 5.17.1.1).
    for record in boxes.styles {
      let first = min(Int(record.start), scalars.count)
      let last = min(Int(record.end), scalars.count)
      guard first >= end, last > first else { continue }
      append(end..<first, plain)
      append(first..<last, style(face: record.face, color: record.color))
      end = last
    }
    append(end..<scalars.count, plain)
    if let highlight = boxes.highlight, let color = boxes.highlightColor {
      styled.change(highlight) { $0.backgroundColor = VideoColor(bytes: color) }
    }
    return styled
  }

  /// Returns the differences from the default style, which is upright and white.
  private func style(face: UInt8, color: [UInt8]) -> StyledText.Style {
    var style = StyledText.Style()
    if face & Self.bold != 0 { style.fontWeight = .bold }
    if face & Self.italic != 0 { style.fontStyle = .italic }
    if face & Self.underline != 0 { style.decoration = .underline }
    if color != [255, 255, 255, 255] { style.textColor = VideoColor(bytes: color) }
    return style
  }

  /// The boxes after the text of a sample.
  private struct Boxes {
    struct Style {
      var start, end: UInt16
      var face: UInt8
      var color: [UInt8]
    }

    var styles: [Style] = []
    var highlight: Range<Int>?
    var highlightColor: [UInt8]?
    var skipped: [String] = []

    mutating func read(_ type: FourCC, _ box: ByteReader, isQuickTime: Bool) throws(MediaError) {
      var box = box
      switch type {
      case "styl" where !isQuickTime:
        let count = Int(try box.big(UInt16.self))
        for _ in 0..<min(count, box.remaining / 12) {
          let (start, end) = (try box.big(UInt16.self), try box.big(UInt16.self))
          try box.skip(2)
          let face = try box.u8()
          try box.skip(1)
          styles.append(
            Style(start: start, end: end, face: face, color: Array(try box.take(4))))
        }
      case "hlit" where box.remaining >= 4:
        let (start, end) = (Int(try box.big(UInt16.self)), Int(try box.big(UInt16.self)))
        if start < end { highlight = start..<end }
      case "hclr" where box.remaining >= 4 && !isQuickTime:
        highlightColor = Array(try box.take(4))
      case "encd", "free": break
      default:
        let name = type.description
        if skipped.count < 16, !skipped.contains(name) { skipped.append(name) }
      }
    }
  }

  // MARK: Writing

  /// Returns a sample that shows texts below each other; an empty sample if there are none.
  ///
  /// It holds up to 65,535 bytes of text; the rest is left out. Alignment and position are those of the sample entry.
  /// Only one range of the text can have a background color.
  func sample(_ texts: [StyledText]) -> [UInt8] {
    var bytes: [UInt8] = []
    var styles: [(range: Range<Int>, face: UInt8, color: [UInt8])] = []
    var highlight: (range: Range<Int>, color: [UInt8])?
    var place = 0
    var isFull = false
    func append(_ piece: Substring, _ style: StyledText.Style) {
      var count = 0
      for scalar in piece.unicodeScalars {
        let coded = Array(String(scalar).utf8)
        isFull = isFull || bytes.count + coded.count > Int(UInt16.max)
        guard !isFull else { break }
        bytes += coded
        count += 1
      }
      guard count > 0 else { return }
      let range = place..<place + count
      let (face, color) = (self.face(of: style), style.textColor?.bytes ?? self.color)
      if face != self.face || color != self.color {
        styles.append((range, face, color))
      }
      if let color = style.backgroundColor?.bytes {
        if highlight == nil {
          highlight = (range, color)
        } else if let before = highlight, before.color == color,
          before.range.upperBound == range.lowerBound
        {
          highlight = (before.range.lowerBound..<range.upperBound, color)
        }
      }
      place += count
    }
    for (index, text) in texts.enumerated() {
      if index > 0 { append("\n", .plain) }
      for piece in text.pieces { append(piece.text, piece.style) }
    }
    var sample = UInt16(bytes.count).bigEndianBytes + bytes
    if !styles.isEmpty {
      var records = UInt16(styles.count).bigEndianBytes
      for (range, face, color) in styles {
        records += UInt16(range.lowerBound).bigEndianBytes + UInt16(range.upperBound).bigEndianBytes
        records += font.bigEndianBytes + [face, size] + color
      }
      sample += Self.box("styl", records)
    }
    if let (range, color) = highlight {
      sample += Self.box(
        "hlit", UInt16(range.lowerBound).bigEndianBytes + UInt16(range.upperBound).bigEndianBytes)
      sample += Self.box("hclr", color)
    }
    return sample
  }

  private func face(of style: StyledText.Style) -> UInt8 {
    var face = self.face
    func set(_ flag: UInt8, _ isSet: Bool?) {
      if let isSet { face = isSet ? face | flag : face & ~flag }
    }
    set(Self.bold, style.fontWeight == .unknown ? nil : style.fontWeight == .bold)
    set(Self.italic, style.fontStyle == .unknown ? nil : style.fontStyle == .italic)
    if style.decoration.contains(.underline) { face |= Self.underline }
    return face
  }

  private static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
    UInt32(clamping: body.count + 8).bigEndianBytes + Array(type.utf8) + body
  }
}
