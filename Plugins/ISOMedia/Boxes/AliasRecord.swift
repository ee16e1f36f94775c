import RespoolPlugin

/// The location of a file in an `alis` entry of `dref` (QuickTime File Format, "Data Reference Atoms"): a Mac
/// OS alias, version 2.
///
/// FFmpeg follows only aliases; it does not support the `url ` entries of ISO/IEC 14496-12 8.7.2.
struct AliasRecord: Hashable, Sendable {
  static let type: FourCC = "alis"
  /// File path.
  ///
  /// Absolute if it begins with a slash, otherwise relative to the folder of the movie.
  var path: String

  private static let volume = Array("Volume".utf8)
  /// Tag of the record that holds the full path, with colons as separators.
  private static let pathTag: UInt16 = 2
  private static let lastTag: UInt16 = 0xFFFF

  /// Throws `unsupported` if the record cannot store the path.
  init(path: String) throws(MediaError) {
    let bytes = PathName.bytes(path)
    guard !bytes.contains(UInt8(ascii: ":")), !bytes.contains(0), bytes.count < 32768 else {
      throw MediaError(
        .unsupported,
        "a movie cannot refer to a path with a colon, a NUL or over 32767 bytes: \(path)")
    }
    self.path = path
  }

  /// Reads the record after version and flags of the entry.
  ///
  /// Returns `nil` if the alias names no file.
  init?(from reader: inout ByteReader) throws(MediaError) {
    guard reader.remaining >= 150 else { return nil }
    try reader.skip(10)
    let volume = try Self.name(&reader, room: 27)
    try reader.skip(12)
    let file = try Self.name(&reader, room: 63)
    try reader.skip(16)
    let levelsUp = Int16(bitPattern: try reader.big())
    let levelsDown = Int16(bitPattern: try reader.big())
    try reader.skip(16)
    var stated: [UInt8] = []
    while reader.remaining >= 4 {
      let tag: UInt16 = try reader.big()
      let count = Int(try reader.big(UInt16.self))
      guard tag != Self.lastTag else { break }
      let value = try reader.take(min(count + count % 2, reader.remaining)).prefix(count)
      if tag == Self.pathTag {
        stated = value.map { $0 == UInt8(ascii: ":") ? UInt8(ascii: "/") : $0 }
      }
    }
    if stated.isEmpty { stated = file }
    if stated.starts(with: volume), stated.dropFirst(volume.count).first == UInt8(ascii: "/") {
      stated.removeFirst(volume.count)
    }
    if levelsUp > 0, levelsDown > 0 {
      let parts = stated.split(separator: UInt8(ascii: "/")).suffix(Int(levelsDown))
      stated = Array(parts.joined(separator: [UInt8(ascii: "/")]))
    }
    guard !stated.isEmpty else { return nil }
    path = PathName.text(stated)
  }

  /// Reads a name with a length byte, in a field of `room` bytes.
  private static func name(_ reader: inout ByteReader, room: Int) throws(MediaError) -> [UInt8] {
    let count = Int(try reader.u8())
    return Array(try reader.take(room).prefix(count))
  }

  /// Writes the record after version and flags of the entry.
  func write(to writer: inout BoxWriter) {
    let bytes = PathName.bytes(path)
    let parts = bytes.split(separator: UInt8(ascii: "/"))
    let isRelative = bytes.first != UInt8(ascii: "/")
    var full = Self.volume
    for part in parts { full += [UInt8(ascii: ":")] + part }
    let padding = full.count % 2
    writer.zeros(4)
    writer.u16(UInt16(150 + 4 + full.count + padding + 4))
    writer.u16(2)
    writer.u16(0)
    Self.write(Self.volume[...], room: 27, to: &writer)
    writer.zeros(4)
    writer.raw("H+".utf8)
    writer.zeros(6)
    Self.write(parts.last ?? [], room: 63, to: &writer)
    writer.zeros(16)
    // Levels up to the common folder and down to the file. -1 if unknown.
    writer.i16(isRelative ? 1 : -1)
    writer.i16(isRelative ? Int16(clamping: parts.count) : -1)
    writer.zeros(16)
    writer.u16(Self.pathTag)
    writer.u16(UInt16(full.count))
    writer.raw(full)
    writer.zeros(padding)
    writer.u16(Self.lastTag)
    writer.u16(0)
  }

  private static func write(_ name: ArraySlice<UInt8>, room: Int, to writer: inout BoxWriter) {
    let name = name.prefix(room)
    writer.u8(UInt8(name.count))
    writer.raw(name)
    writer.zeros(room - name.count)
  }
}
