import CAVFormat
import RespoolPlugin

/// A page of an Ogg file (RFC 3533 6).
struct OggPage {
  /// File offset.
  let offset: Int64
  let isFirstOfStream: Bool
  let isLastOfStream: Bool
  /// Granule position: the number of the sample after the last one that ends here.
  ///
  /// -1 if none does.
  let granule: Int64
  let serial: UInt32
  let sequenceNumber: UInt32
  /// The whole page.
  let bytes: ArraySlice<UInt8>
  /// The lacing values.
  ///
  /// A packet continues after a value of 255.
  let segments: ArraySlice<UInt8>
  let body: ArraySlice<UInt8>

  static let mark = Array("OggS".utf8)
  static let headSize = 27
  /// Maximum size of a page: 255 segments of 255 bytes.
  static let largestSize = headSize + 255 + 255 * 255

  /// Parses the page at the start of `bytes`.
  ///
  /// `nil` if there is no page or its end is missing.
  init?(_ bytes: ArraySlice<UInt8>, offset: Int64) {
    guard bytes.count >= Self.headSize, Self.begins(bytes) else { return nil }
    let size = Self.size(bytes)
    guard bytes.count >= size else { return nil }
    let start = bytes.startIndex
    let bodyStart = start + Self.headSize + Int(bytes[start + 26])
    func number(_ position: Int) -> UInt32 { Self.number(bytes, position) }
    self.offset = offset
    isFirstOfStream = bytes[start + 5] & 2 != 0
    isLastOfStream = bytes[start + 5] & 4 != 0
    granule = Int64(bitPattern: UInt64(number(10)) << 32 | UInt64(number(6)))
    serial = number(14)
    sequenceNumber = number(18)
    self.bytes = bytes[start..<start + size]
    segments = bytes[(start + Self.headSize)..<bodyStart]
    body = bytes[bodyStart..<start + size]
  }

  /// `true` if the checksum is that of the bytes.
  var isIntact: Bool {
    var bytes = Array(bytes)
    let stored = bytes[22..<26].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    for index in 22..<26 { bytes[index] = 0 }
    return av_crc(av_crc_get_table(AV_CRC_32_IEEE), 0, bytes, bytes.count).byteSwapped == stored
  }

  /// Returns `true` if the bytes begin with a page's capture pattern and version.
  static func begins(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.first == mark[0] && bytes.starts(with: mark) && bytes.dropFirst(4).first == 0
  }

  /// Reads the little-endian number at a position of a page header.
  private static func number(_ bytes: ArraySlice<UInt8>, _ position: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[bytes.startIndex + position + $1]) << UInt32(8 * $1) }
  }

  /// Returns the size that a page header declares.
  ///
  /// Returns the minimum if its segment table is cut off.
  private static func size(_ bytes: ArraySlice<UInt8>) -> Int {
    let count = Int(bytes[bytes.startIndex + 26])
    return bytes.dropFirst(headSize).prefix(count).reduce(headSize + count) { $0 + Int($1) }
  }

  /// Finds the last page whose header is in the file.
  ///
  /// `nil` if there is none near the end.
  static func last(in source: ByteSource, size: Int64) throws(MediaError) -> Last? {
    // A page has at most 65,307 bytes, so one begins here.
    let count = min(size, 1 << 17)
    let tail = try source.read(at: size - count, count: Int(count))
    var start = tail.count - headSize
    while start >= 0 {
      if tail[start] == mark[0], begins(tail[start...]) {
        let bytes = tail[start...]
        return Last(
          page: OggPage(bytes, offset: size - Int64(bytes.count)),
          serial: number(bytes, 14), declared: Self.size(bytes), present: bytes.count)
      }
      start -= 1
    }
    return nil
  }

  /// The end of a file.
  struct Last {
    /// The last page; `nil` if its end is missing.
    let page: OggPage?
    /// The serial number of its stream.
    let serial: UInt32
    /// The size that the page declares.
    let declared: Int
    /// The number of bytes from its start to the end of the file.
    let present: Int
  }
}

/// An iterator over the pages of a file, in file order.
///
/// Data between pages is skipped.
struct OggPages {
  private let source: ByteSource
  private var window: [UInt8] = []
  private var windowStart: Int64 = 0
  private var position = 0
  /// Number of capture patterns that were not followed by an intact page.
  private var falseMarks = 0

  private static let windowSize = 1 << 20
  /// Maximum of pages that are rejected: each costs a checksum.
  private static let mostFalseMarks = 1000

  init(_ source: ByteSource) { self.source = source }

  /// Returns the next page.
  ///
  /// `nil` after the last complete one.
  mutating func next() throws(MediaError) -> OggPage? {
    while true {
      if window.count - position < OggPage.largestSize {
        windowStart += Int64(position)
        window = try source.read(at: windowStart, count: Self.windowSize)
        position = 0
      }
      guard window.count - position >= OggPage.headSize else { return nil }
      if window[position] == OggPage.mark[0], OggPage.begins(window[position...]) {
        let page = OggPage(window[position...], offset: windowStart + Int64(position))
        // A page that is cut off would hide the pages after it.
        if let page, !page.isIntact, falseMarks < Self.mostFalseMarks {
          falseMarks += 1
          position += 1
          continue
        }
        position += page?.bytes.count ?? 0
        return page
      }
      position += 1
    }
  }
}
