/// A frame of an ID3v2 tag, with its name in versions 2.3 and 2.4 and its bytes without unsynchronization.
public struct ID3Frame: Hashable, Sendable {
  /// Four capitals or digits.
  public var name: String
  /// The bytes after the frame's header.
  public var body: ArraySlice<UInt8>
  /// `true` if the body is compressed or encrypted, so that nothing is known of it.
  public var isCoded: Bool

  public init(_ name: String, _ body: some Sequence<UInt8>, isCoded: Bool = false) {
    self.name = name
    self.body = Array(body)[...]
    self.isCoded = isCoded
  }

  /// The frame as version 2.4 stores it (ID3 2.4.0 section 4); `nil` for a body that is too large.
  public var bytes: [UInt8]? {
    guard body.count < 1 << 28, name.utf8.count == 4 else { return nil }
    // Compressed and encrypted: readers do not interpret such a frame without the data that belongs to it.
    let flags: UInt8 = isCoded ? 0x0C : 0
    return Array(name.utf8) + Self.syncSafe(body.count) + [0, flags] + body
  }

  /// Writes a number of up to 28 bits as four bytes of seven bits each (section 6.2).
  public static func syncSafe(_ number: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: number >> $0) & 0x7F }
  }

  /// Reads a number of seven bits a byte from the first four bytes.
  public static func syncSafe(_ bytes: some Collection<UInt8>) -> Int {
    bytes.prefix(4).reduce(0) { $0 << 7 | Int($1 & 0x7F) }
  }
}

/// Reads the frames of a tag of one version, one after the other.
struct ID3FrameReader {
  let version: UInt8
  let isUnsynchronised: Bool
  private var reader: ByteReader

  init(_ bytes: ArraySlice<UInt8>, version: UInt8, isUnsynchronised: Bool) {
    self.version = version
    self.isUnsynchronised = isUnsynchronised
    reader = ByteReader(bytes)
  }

  private var headSize: Int { version == 2 ? 6 : 10 }

  /// Reads the next frame; `nil` at the padding after the last one.
  ///
  /// Throws `malformed` for a frame that is cut off.
  mutating func next() throws(MediaError) -> ID3Frame? {
    guard reader.remaining >= headSize else { return nil }
    let letters = try reader.take(version == 2 ? 3 : 4)
    guard Self.isName(letters) else { return nil }
    let count = try reader.take(version == 2 ? 3 : 4)
    let flags = version == 2 ? 0 : try reader.big(UInt16.self)
    var part = try reader.sub(size(count))
    let isCoded = version == 4 ? flags & 0x0C != 0 : flags & 0xC0 != 0
    // A byte for the group, four for the length of the data.
    if flags & (version == 4 ? 0x40 : 0x20) != 0 { try part.skip(1) }
    if version == 4, flags & 0x01 != 0 { try part.skip(4) }
    var body = try part.take(part.remaining)
    if version == 4, isUnsynchronised || flags & 0x02 != 0 {
      body = ID3Tag.synchronised(body)[...]
    }
    var name = String(decoding: letters, as: UTF8.self)
    if name == "PIC" { body = Self.picture(body) }
    if version == 2 { name = ID3Names.ofVersion2[name] ?? name + " " }
    return ID3Frame(name, body, isCoded: isCoded)
  }

  private static func isName(_ letters: ArraySlice<UInt8>) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
    }
    // Names of version 2.2 without an equivalent in 2.3 have a space as fourth letter.
    return letters.dropLast().allSatisfy(isLetter)
      && letters.last.map { isLetter($0) || letters.count == 4 && $0 == 0x20 } == true
  }

  /// Returns the size of the frame whose header has been read.
  ///
  /// Some writers of version 2.4 do not spread the size over seven bits a byte: that counts where it leads to another
  /// frame, the padding or the end, and the size as it should be does not.
  private func size(_ count: ArraySlice<UInt8>) -> Int {
    let plain = count.reduce(0) { $0 << 8 | Int($1) }
    guard version == 4, plain > 0x7F else { return plain }
    let spread = ID3Frame.syncSafe(count)
    if count.contains(where: { $0 > 0x7F }) { return plain }
    return !isFrame(after: spread) && isFrame(after: plain) ? plain : spread
  }

  private func isFrame(after size: Int) -> Bool {
    var rest = reader
    guard (try? rest.skip(size)) != nil else { return false }
    guard let letters = try? rest.take(4) else { return true }
    return letters.allSatisfy { $0 == 0 } || Self.isName(letters)
  }

  /// Makes a picture of version 2.2, whose kind has three letters, one of the later versions.
  private static func picture(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    guard body.count >= 4 else { return body }
    let kind = String(decoding: body.dropFirst().prefix(3), as: UTF8.self)
    let types = ["JPG": "image/jpeg", "PNG": "image/png", "-->": "-->"]
    let type = types[kind.uppercased()] ?? "image/" + kind.lowercased()
    return (Array(body.prefix(1)) + Array(type.utf8) + [0] + body.dropFirst(4))[...]
  }
}
