import Glibc
import RespoolHost
import RespoolMedia

/// The hash of a program or library that its linker has stored in it: the note `NT_GNU_BUILD_ID` (elf(5), "Notes").
///
/// It stays the same if symbols are stripped.
struct BuildID {
  let bytes: [UInt8]

  private static let notes: UInt32 = 4
  private static let buildID: UInt32 = 3
  /// Maximum number of bytes that are read of a list of notes.
  private static let most: UInt64 = 1 << 16

  /// Reads the hash of a file; `nil` if it has none, or is no program for a processor of 64 bits with this byte order.
  init?(_ path: String) {
    let file = PathName.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { return nil }
    defer { close(file) }
    let head = Self.read(file, at: 0, count: 64)
    guard head.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
      let table: UInt64 = Self.value(head, 32), let size: UInt16 = Self.value(head, 54),
      let count: UInt16 = Self.value(head, 56), size >= 56
    else { return nil }
    let headers = Self.read(file, at: table, count: Int(size) * Int(count))
    for index in 0..<Int(count) {
      let start = index * Int(size)
      guard let type: UInt32 = Self.value(headers, start), type == Self.notes,
        let offset: UInt64 = Self.value(headers, start + 8),
        let length: UInt64 = Self.value(headers, start + 32)
      else { continue }
      let notes = Self.read(file, at: offset, count: Int(min(length, Self.most)))
      if let found = Self.find(notes) {
        bytes = found
        return
      }
    }
    return nil
  }

  /// Finds the hash among notes: each has the lengths of name and content, a type, then both at multiples of 4 bytes.
  private static func find(_ notes: [UInt8]) -> [UInt8]? {
    var offset = 0
    while let name: UInt32 = value(notes, offset), let content: UInt32 = value(notes, offset + 4),
      let type: UInt32 = value(notes, offset + 8)
    {
      let start = offset + 12 + (Int(name) + 3) / 4 * 4
      let end = start + Int(content)
      guard end <= notes.count else { return nil }
      if type == buildID, content > 0, notes[(offset + 12)...].starts(with: Array("GNU\0".utf8)) {
        return Array(notes[start..<end])
      }
      offset = start + (Int(content) + 3) / 4 * 4
    }
    return nil
  }

  /// Returns the little-endian number at an offset; `nil` if it is not within the bytes.
  private static func value<Number: FixedWidthInteger & UnsignedInteger>(
    _ bytes: [UInt8], _ offset: Int
  ) -> Number? {
    let width = Number.bitWidth / 8
    guard offset >= 0, offset <= bytes.count - width else { return nil }
    return bytes[offset..<(offset + width)].reversed().reduce(0) { $0 << 8 | Number($1) }
  }

  /// Reads bytes; fewer at the end of the file.
  private static func read(_ file: Int32, at offset: UInt64, count: Int) -> [UInt8] {
    guard let offset = off_t(exactly: offset) else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, pread(file, buffer.baseAddress, count, offset))
    }
  }
}
