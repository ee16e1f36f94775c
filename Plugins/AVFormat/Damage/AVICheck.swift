import CAVFormat
import RespoolPlugin

/// A damage check for AVI, whose media is a sequence of chunks in lists of type `movi` (AVI RIFF File
/// Reference; OpenDML 1.02).
struct AVICheck: OffsetDamageCheck {
  private let source: ByteSource
  private var position: Int64? = 0
  /// End of the RIFF chunk, after which any data may follow.
  private var riffEnd: Int64 = 0
  /// `true` if the chunk before the position has an odd size.
  private var isBehindOdd = false

  init(_ source: ByteSource) { self.source = source }

  /// Ends the check: a seek need not lead to the start of a chunk.
  mutating func reset() { position = nil }

  /// Checks the chunks up to an offset.
  mutating func problem(before end: Int64) throws(MediaError) -> String? {
    var problem: String?
    while let start = position, start < min(end, source.size ?? 0) {
      let head = try source.read(at: start, count: 12)
      guard head.count >= 8 else { break }
      let size = head[4..<8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
      let next = start + 8 + size + size % 2
      switch Array(head[..<4]) {
      case Array("RIFF".utf8):
        riffEnd = size > 4 ? next : .max
        position = start + 12
      case _ where start >= riffEnd:
        position = nil
      case Array("LIST".utf8):
        let isMedia =
          head.count == 12 && ["movi", "rec "].contains { head[8...].elementsEqual($0.utf8) }
        position = isMedia ? start + 12 : next
      case let name where Self.isChunk(name) && next <= (source.size ?? 0) + 1:
        position = next
        isBehindOdd = !size.isMultiple(of: 2)
      // Some writers do not pad chunks of an odd size.
      case _ where isBehindOdd:
        isBehindOdd = false
        position = try isChunk(at: start - 1) ? start - 1 : start
      default:
        guard let found = try chunk(behind: start) else {
          position = nil
          return problem ?? "the bytes from offset \(start) on are not AVI chunks"
        }
        let count = (found - start).counting(
          "byte", "at offset \(start) is", "at offset \(start) are")
        problem = problem ?? "\(count) not AVI chunks"
        position = found
      }
    }
    return problem
  }

  private func isChunk(at offset: Int64) throws(MediaError) -> Bool {
    Self.isChunk(try source.read(at: offset, count: 4))
  }

  /// Returns the offset of the next chunk that is followed by another one, within the next 16 MiB.
  private func chunk(behind start: Int64) throws(MediaError) -> Int64? {
    let bytes = try source.read(at: start, count: 16 << 20)
    var index = 1
    while index + 8 < bytes.count {
      defer { index += 1 }
      guard Self.isStreamChunk(Array(bytes[index..<index + 4])) else { continue }
      let size = bytes[(index + 4)..<(index + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
      let next = index + 8 + size + size % 2
      if start + Int64(next) == source.size { return start + Int64(index) }
      guard next + 4 <= bytes.count else { continue }
      if Self.isChunk(Array(bytes[next..<next + 4])) { return start + Int64(index) }
    }
    return nil
  }

  private static let others = [
    "LIST", "RIFF", "JUNK", "junk", "idx1", "JUNQ", "vprp", "IDIT", "ISMP", "_PMX", "DISP",
  ].map {
    Array($0.utf8)
  }

  private static func isChunk(_ name: [UInt8]) -> Bool {
    guard name.count == 4 else { return false }
    return isStreamChunk(name) || others.contains(name) || name.starts(with: Array("ix".utf8))
  }

  /// Returns `true` for a stream chunk: two digits of a stream number and two letters for the kind of data.
  private static func isStreamChunk(_ name: [UInt8]) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
    func isLetter(_ byte: UInt8) -> Bool {
      (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || (0x30...0x39).contains(byte)
    }
    return isDigit(name[0]) && isDigit(name[1]) && isLetter(name[2]) && isLetter(name[3])
  }
}
