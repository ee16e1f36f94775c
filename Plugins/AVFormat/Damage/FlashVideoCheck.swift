import CAVFormat
import RespoolPlugin

/// A damage check for Flash Video: each tag is followed by its size (Video File Format Specification 10.1,
/// "The FLV File Body").
struct FlashVideoCheck: DamageCheck {
  private let source: ByteSource
  private var position: Int64?

  init(_ source: ByteSource) throws(MediaError) {
    self.source = source
    var reader = ByteReader(try source.read(at: 0, count: 9))
    // The size of the header, plus the size field of tag 0 after it.
    if (try? reader.skip(5)) != nil, let size = try? reader.big(UInt32.self) {
      position = Int64(size) + 4
    }
  }

  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String? {
    let end = packet.pointee.pos
    while let start = position, start < end {
      guard let length = try length(at: start) else {
        // The next tag begins at the packet that libavformat has found.
        position = end
        return "the tag at offset \(start) is unknown or contradicts the size stored after it"
      }
      position = start + length
    }
    return nil
  }

  /// Checks that the last tag is complete; the size after it may be missing.
  mutating func problemAtEnd() throws(MediaError) -> String? {
    guard let size = source.size else { return nil }
    while let start = position, start < size {
      if let length = try length(at: start) {
        position = start + length
        continue
      }
      position = nil
      let head = try source.read(at: start, count: 11)
      guard let type = head.first, [8, 9, 18].contains(type & 0x1F) else { return nil }
      guard head.count == 11 else { return "the tag at offset \(start) is cut off" }
      let end = start + 11 + head[1..<4].reduce(0) { $0 << 8 | Int64($1) }
      return end == size || end + 4 <= size ? nil : "the tag at offset \(start) is cut off"
    }
    return nil
  }

  mutating func reset() { position = nil }

  /// Returns the length of a tag including the size field after it.
  ///
  /// `nil` if the two sizes differ.
  private func length(at offset: Int64) throws(MediaError) -> Int64? {
    let head = try source.read(at: offset, count: 11)
    guard head.count == 11, [8, 9, 18].contains(head[0] & 0x1F) else { return nil }
    let size = head[1..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let trailer = try source.read(at: offset + 11 + size, count: 4)
    guard trailer.count == 4 else { return nil }
    let stored = trailer.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    // Some writers omit the 11 bytes of the tag header from the size, or write 0.
    return [11 + size, size, 0].contains(stored) ? 11 + size + 4 : nil
  }
}
