import RespoolPlugin

/// An ID3v2 tag, which taggers put into a chunk `id3 ` (ID3 tag versions 2.2.0, 2.3.0 and 2.4.0).
///
/// A tag that is cut off or damaged gives what is whole in front of the damage. Frames that are compressed or
/// encrypted are passed over.
struct ID3Tag {
  private(set) var texts: [NativeTag] = []
  /// Picture files.
  private(set) var pictures: [[UInt8]] = []

  private static let headSize = 10

  init(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let head = try? reader.take(Self.headSize), head.starts(with: Array("ID3".utf8)) else {
      return
    }
    let (version, flags) = (head[3], head[5])
    // Bit 6 of version 2.2 says that the tag is compressed in a way that was never settled.
    guard (2...4).contains(version), version > 2 || flags & 0x40 == 0 else { return }
    let size = Self.syncSafe(head[6...])
    guard let rest = try? reader.take(min(size, reader.remaining)) else { return }
    let isUnsynchronised = flags & 0x80 != 0
    let body = isUnsynchronised && version < 4 ? Self.synchronised(rest) : Array(rest)
    var frames = ByteReader(body)
    do throws(MediaError) {
      if flags & 0x40 != 0 {
        // Its size is without itself in 2.3 and with itself in 2.4.
        let count = try frames.take(4)
        try frames.skip(version == 3 ? Self.number(count) : max(0, Self.syncSafe(count) - 4))
      }
      while let frame = try Frame(&frames, version: version, isUnsynchronised: isUnsynchronised) {
        read(frame)
      }
    } catch {
      // What is behind the damage cannot be found.
    }
  }

  /// A frame whose bytes are as they are meant.
  private struct Frame {
    /// Four letters; those of version 2.2 have three.
    var name: String
    var body: ArraySlice<UInt8>

    /// Nil at the padding behind the last frame.
    init?(_ reader: inout ByteReader, version: UInt8, isUnsynchronised: Bool) throws(MediaError) {
      let isShort = version == 2
      while reader.remaining >= (isShort ? 6 : 10) {
        let letters = try reader.take(isShort ? 3 : 4)
        guard letters.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) })
        else { return nil }
        let count = try reader.take(isShort ? 3 : 4)
        let flags = isShort ? 0 : UInt16(try reader.big(UInt16.self))
        var size = version == 4 ? ID3Tag.syncSafe(count) : ID3Tag.number(count)
        // Some writers of version 2.4 do not spread the size over seven bits a byte.
        if version == 4, count.contains(where: { $0 > 127 }) { size = ID3Tag.number(count) }
        var part = try reader.sub(size)
        let isHidden = version == 4 ? flags & 0x0C != 0 : flags & 0xC0 != 0
        guard !isHidden else { continue }
        // A byte for the group, four for the length of the data.
        if flags & (version == 4 ? 0x40 : 0x20) != 0 { try part.skip(1) }
        if version == 4, flags & 0x01 != 0 { try part.skip(4) }
        body = try part.take(part.remaining)
        if version == 4, isUnsynchronised || flags & 0x02 != 0 {
          body = ID3Tag.synchronised(body)[...]
        }
        name = String(decoding: letters, as: UTF8.self)
        return
      }
      return nil
    }
  }

  private mutating func read(_ frame: Frame) {
    var text = ID3Text(frame.body)
    switch frame.name {
    case "APIC", "PIC":
      // Encoding, kind of file, what it shows, what it is; it is known by its first bytes.
      if frame.name == "PIC" { text.skip(3) } else { _ = text.plain() }
      text.skip(1)
      _ = text.next()
      if !text.rest.isEmpty { pictures.append(Array(text.rest)) }
    case "COMM", "COM", "USLT", "ULT":
      let language = String(decoding: text.skip(3), as: UTF8.self)
      let about = text.next()
      // What programs note for themselves has a description of their own.
      guard about.isEmpty || !frame.name.hasPrefix("COM") else {
        return add(frame.name, about, text.next())
      }
      add(
        frame.name, frame.name.hasPrefix("COM") ? "comment" : "lyrics", text.next(),
        language: LanguageCode(language) == nil ? nil : language)
    case "TXXX", "TXX":
      let name = text.next()
      add("TXXX:\(name)", name, text.next())
    case let name where name.hasPrefix("T"):
      add(name, Self.names[name] ?? name, text.all())
    default: break
    }
  }

  private mutating func add(_ key: String, _ name: String, _ value: String, language: String? = nil)
  {
    guard !name.isEmpty, !value.isEmpty,
      !texts.contains(where: { $0.name == name && $0.value == value })
    else { return }
    texts.append(
      NativeTag(keySpace: "org.id3", key: key, name: name, value: value, language: language))
  }

  /// What FFmpeg calls the frames.
  private static let names: [String: String] = [
    "TIT2": "title", "TT2": "title", "TPE1": "artist", "TP1": "artist", "TPE2": "album_artist",
    "TP2": "album_artist", "TPE3": "performer", "TP3": "performer", "TALB": "album",
    "TAL": "album", "TCOM": "composer", "TCM": "composer", "TCON": "genre", "TCO": "genre",
    "TCOP": "copyright", "TCR": "copyright", "TDRC": "date", "TYER": "date", "TYE": "date",
    "TENC": "encoded_by", "TEN": "encoded_by", "TLAN": "language", "TLA": "language",
    "TPOS": "disc", "TPA": "disc", "TPUB": "publisher", "TPB": "publisher", "TRCK": "track",
    "TRK": "track", "TSSE": "encoder", "TSS": "encoder", "TIT1": "grouping", "TCMP": "compilation",
    "TSRC": "isrc",
  ]

  /// Seven bits a byte (2.4.0 section 6.2).
  private static func syncSafe(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.prefix(4).reduce(0) { $0 << 7 | Int($1 & 127) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  /// Without the zeros that keep a decoder of MPEG sound from taking a tag for a frame (2.4.0 section 6.1).
  private static func synchronised(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var last: UInt8 = 0
    for byte in bytes {
      if last != 0xFF || byte != 0 { result.append(byte) }
      last = byte
    }
    return result
  }
}

/// The texts of a frame, in the encoding that its first byte tells (2.4.0 section 4).
private struct ID3Text {
  private let encoding: UInt8
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) {
    encoding = bytes.first ?? 0
    rest = bytes.dropFirst()
  }

  @discardableResult mutating func skip(_ count: Int) -> ArraySlice<UInt8> {
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  /// Latin-1 up to a zero, whatever the encoding.
  mutating func plain() -> String {
    let bytes = rest.prefix { $0 != 0 }
    rest = rest.dropFirst(bytes.count + 1)
    return Self.latin(bytes)
  }

  /// The next text, up to a zero or the end.
  mutating func next() -> String {
    guard encoding == 1 || encoding == 2 else {
      let bytes = rest.prefix { $0 != 0 }
      rest = rest.dropFirst(bytes.count + 1)
      return encoding == 3 ? String(decoding: bytes, as: UTF8.self) : Self.latin(bytes)
    }
    var units: [UInt16] = []
    while rest.count >= 2 {
      let pair = skip(2)
      let unit = UInt16(pair[pair.startIndex]) << 8 | UInt16(pair[pair.startIndex + 1])
      if unit == 0 { break }
      units.append(unit)
    }
    // Half a unit is none; left there, it would be asked for again and again.
    if rest.count < 2 { rest = [] }
    // UTF-16 begins with a mark that tells the order of bytes; UTF-16BE has none.
    if units.first == 0xFFFE { units = units.map(\.byteSwapped) }
    if units.first == 0xFEFF { units.removeFirst() }
    return String(decoding: units, as: UTF16.self)
  }

  /// All texts, for frames of version 2.4 that have several values.
  mutating func all() -> String {
    var values: [String] = []
    while !rest.isEmpty {
      let value = next()
      if !value.isEmpty { values.append(value) }
    }
    return values.joined(separator: "; ")
  }

  private static func latin(_ bytes: ArraySlice<UInt8>) -> String {
    var text = ""
    for byte in bytes { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    return text
  }
}
