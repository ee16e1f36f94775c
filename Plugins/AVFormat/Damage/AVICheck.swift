import CAVFormat
import RespoolPlugin

/// A damage check for AVI, whose media is a sequence of chunks in lists of type `movi` (AVI RIFF File
/// Reference; OpenDML 1.02).
struct AVICheck: OffsetDamageCheck {
  private let source: ByteSource
  private var position: Int64? = 0
  /// End of the RIFF chunk, after which any data may follow.
  private var riffEnd: Int64 = 0
  /// `true` if the chunk or list before the position has an odd size.
  private var followsOddChunk = false

  /// Maximum number of bytes that are searched for the next chunk.
  ///
  /// A limit of our own, which bounds memory: 16 MiB are more than a second of most videos.
  private static let maximumSearch = 16 << 20

  init(_ source: ByteSource) { self.source = source }

  /// Ends the check: a seek need not lead to the start of a chunk, from which the next packets could be checked.
  mutating func reset() { position = nil }

  /// Checks the chunks up to an offset.
  mutating func problem(before end: Int64) throws(MediaError) -> String? {
    var problem: String?
    let fileSize = source.size ?? 0
    while let start = position, start < min(end, fileSize) {
      let bytes = try source.read(at: start, count: ChunkHeader.byteCount + 4)
      guard let header = ChunkHeader(bytes[...]) else { break }
      let next = start + header.extent
      let hasListType = bytes.count == ChunkHeader.byteCount + 4
      if header.name == "RIFF" {
        // Writers that were stopped leave a size of 0, or of the form type alone, which is 4.
        riffEnd = header.size > 4 ? next : .max
        position = start + 12
        followsOddChunk = false
      } else if start >= riffEnd {
        position = nil
      } else if header.name == "LIST" {
        let isMedia =
          hasListType && ["movi", "rec "].contains { bytes[8...].elementsEqual($0.utf8) }
        position = isMedia ? start + 12 : next
        followsOddChunk = !isMedia && !header.size.isMultiple(of: 2)
      } else if try isChunk(header, endingAt: next, fileSize) {
        position = next
        followsOddChunk = !header.size.isMultiple(of: 2)
      } else if followsOddChunk {
        // Some writers do not pad chunks of an odd size.
        followsOddChunk = false
        let previous = ChunkHeader(
          try source.read(at: start - 1, count: ChunkHeader.byteCount)[...])
        position = previous?.isKnown == true ? start - 1 : start
      } else if let found = try nextChunk(after: start) {
        let count = (found - start).counting(
          "byte", "at offset \(start) belongs", "at offset \(start) belong")
        problem = problem ?? "\(count) to no AVI chunk"
        position = found
      } else {
        position = nil
        return problem
          ?? (header.isKnown && next > fileSize
            ? "the AVI chunk at offset \(start) is cut off"
            : "the bytes from offset \(start) on belong to no AVI chunk")
      }
    }
    return problem
  }

  /// Returns `true` if the bytes are a chunk.
  ///
  /// RIFF allows chunks with any name, which readers skip: programs add `XMP_`, `id3 ` or `bext`. Such a chunk counts
  /// if another chunk or the end of the file follows it.
  private func isChunk(_ header: ChunkHeader, endingAt next: Int64, _ fileSize: Int64)
    throws(MediaError) -> Bool
  {
    // The padding of the last chunk may be missing.
    guard next <= fileSize + header.size % 2 else { return false }
    if header.isKnown { return true }
    guard header.isPrintable else { return false }
    if next >= fileSize { return true }
    let following = ChunkHeader(try source.read(at: next, count: ChunkHeader.byteCount)[...])
    guard let following else { return false }
    return following.isKnown || following.isPrintable && next + following.extent <= fileSize + 1
  }

  /// Returns the offset of the next chunk or list.
  ///
  /// Another chunk or the end of the file must follow a chunk. `nil` if there is none within `maximumSearch`.
  private func nextChunk(after start: Int64) throws(MediaError) -> Int64? {
    let bytes = try source.read(at: start, count: Self.maximumSearch)
    for index in bytes.indices.dropFirst() where ChunkHeader.isPrintable(bytes[index]) {
      guard let header = ChunkHeader(bytes[index...]) else { return nil }
      guard header.isKnown else { continue }
      if header.isList {
        let type = bytes[index...].dropFirst(ChunkHeader.byteCount).prefix(4)
        if type.count == 4, type.allSatisfy(ChunkHeader.isPrintable) { return start + Int64(index) }
        continue
      }
      let next = Int64(index) + header.extent
      if start + next == source.size { return start + Int64(index) }
      guard next < bytes.count, let following = ChunkHeader(bytes[Int(next)...]) else { continue }
      if following.isKnown { return start + Int64(index) }
    }
    return nil
  }
}

/// Name and size at the start of a chunk.
private struct ChunkHeader {
  static let byteCount = 8

  let name: FourCC
  /// Size of the content in bytes, without padding.
  let size: Int64

  /// Reads a header; `nil` if there are fewer than eight bytes.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= Self.byteCount else { return nil }
    let first = bytes.startIndex
    name = FourCC(rawValue: bytes[first..<first + 4].reduce(0) { $0 << 8 | UInt32($1) })
    size = bytes[first + 4..<first + 8].reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  /// Bytes of the whole chunk with its padding.
  var extent: Int64 { Int64(Self.byteCount) + size + size % 2 }

  var isList: Bool { name == "LIST" || name == "RIFF" }

  /// Names of chunks that hold no media: of AVI and OpenDML, and `_PMX` and `JUNQ`, in which Adobe Bridge stores XMP
  /// (RIFF.pm of ExifTool).
  private static let otherNames: Set<FourCC> = [
    "LIST", "RIFF", "JUNK", "junk", "idx1", "vprp", "IDIT", "ISMP", "_PMX", "JUNQ",
  ]

  /// `true` if AVI or a known program defines the name.
  var isKnown: Bool {
    isStreamChunk || Self.otherNames.contains(name)
      || byte(0) == UInt8(ascii: "i") && byte(1) == UInt8(ascii: "x")
  }

  /// `true` for a stream chunk: two hexadecimal digits of a stream number, and the kind of data such as `dc` or `wb`.
  private var isStreamChunk: Bool {
    Self.isHexDigit(byte(0)) && Self.isHexDigit(byte(1))
      && Self.isAlphanumeric(byte(2)) && Self.isAlphanumeric(byte(3))
  }

  var isPrintable: Bool { (0..<4).allSatisfy { Self.isPrintable(byte($0)) } }

  private func byte(_ index: UInt32) -> UInt8 {
    UInt8(truncatingIfNeeded: name.rawValue >> (24 - 8 * index))
  }

  static func isPrintable(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDecimalDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isDecimalDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDecimalDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
