import RespoolPlugin

/// XMP of JPEG files that is too long for one segment (XMP specification part 3, 1.1.3.1).
///
/// A packet names an extension by its hash, and segments of their own have the parts of the extension.
enum ExtendedXMP {
  private static let identifier = Array("http://ns.adobe.com/xmp/extension/\0".utf8)
  private static let nameSize = 32

  /// A part of an extension.
  struct Part {
    /// MD5 hash of the extension in hexadecimal.
    let name: [UInt8]
    /// Length of the extension in bytes.
    let total: Int
    let offset: Int
    let bytes: ArraySlice<UInt8>

    /// Reads the body of a segment; `nil` if it is another one.
    init?(_ body: [UInt8]) {
      guard body.starts(with: identifier), body.count > identifier.count + nameSize + 8 else {
        return nil
      }
      let rest = body[identifier.count...]
      func number(_ start: Int) -> Int {
        rest.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) }
      }
      name = Array(rest.prefix(nameSize))
      (total, offset) = (number(nameSize), number(nameSize + 4))
      bytes = rest.dropFirst(nameSize + 8)
    }
  }

  /// Returns the extension of a name; `nil` if a part of it is missing.
  static func whole(_ name: [UInt8], in parts: [Part]) -> [UInt8]? {
    let sorted = parts.filter { $0.name == name }.sorted { $0.offset < $1.offset }
    var whole: [UInt8] = []
    for part in sorted {
      guard part.offset == whole.count, part.total == sorted[0].total else { return nil }
      whole += part.bytes
    }
    return whole.isEmpty || whole.count != sorted[0].total ? nil : whole
  }

  /// Returns the name of the extension to which a packet refers; `nil` if there is none.
  static func name(in packet: [UInt8]) -> [UInt8]? {
    let key = Array("HasExtendedXMP".utf8)
    guard let start = places(of: key, in: packet).first else { return nil }
    let name = packet[start...].dropFirst(key.count).drop { !isDigit($0) }.prefix(nameSize)
    return name.count == nameSize && name.allSatisfy(isDigit) ? Array(name) : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
  }

  /// Returns `true` if a packet has no property besides the name of its extension.
  static func isEmpty(_ packet: [UInt8]) -> Bool {
    let key = Array("xmlns:".utf8)
    return places(of: key, in: packet).allSatisfy { start in
      let prefix = packet[(start + key.count)...].prefix { $0 != UInt8(ascii: "=") }
      return ["x", "rdf", "xmpNote"].contains(String(decoding: prefix, as: UTF8.self))
    }
  }

  private static func places(of key: [UInt8], in bytes: [UInt8]) -> [Int] {
    var (places, rest) = ([Int](), bytes[...])
    while let start = rest.firstIndex(of: key[0]) {
      rest = rest[start...]
      if rest.starts(with: key) { places.append(start) }
      rest = rest.dropFirst()
    }
    return places
  }

  private static func hash(_ packet: [UInt8]) -> String { MD5.hex(packet).uppercased() }

  /// Returns a packet that only names its extension.
  static func packet(for extended: [UInt8]) -> [UInt8] {
    let text =
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">"
      + "<rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
      + "<rdf:Description rdf:about=\"\" xmlns:xmpNote=\"http://ns.adobe.com/xmp/note/\" "
      + "xmpNote:HasExtendedXMP=\"\(hash(extended))\"/></rdf:RDF></x:xmpmeta>"
    return Array(text.utf8)
  }

  /// Returns the bodies of the segments with an extension, of at most `most` bytes each.
  static func bodies(of extended: [UInt8], most: Int) -> [[UInt8]] {
    let name = Array(hash(extended).utf8)
    let size = most - identifier.count - nameSize - 8
    return stride(from: 0, to: extended.count, by: size).map { start in
      identifier + name + UInt32(extended.count).bigEndianBytes + UInt32(start).bigEndianBytes
        + extended[start..<min(extended.count, start + size)]
    }
  }
}
