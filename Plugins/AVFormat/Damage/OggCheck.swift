import CAVFormat
import RespoolPlugin

/// Ogg: pages have a checksum, and are numbered for each stream (RFC 3533 6).
struct OggCheck: OffsetDamageCheck {
  private let source: ByteSource
  private var position: Int64? = 0
  /// The number of the next page of each stream.
  private var numbers: [UInt32: UInt32] = [:]
  /// Marks in a row behind which there was no page.
  private var falseMarks = 0

  private static let mark = Array("OggS".utf8)
  /// A file with more of them is no Ogg, and each costs a checksum.
  private static let mostFalseMarks = 100
  private static let headSize = 27
  /// A page has 255 segments of 255 bytes at most.
  private static let largest = headSize + 255 + 255 * 255

  init(_ source: ByteSource) { self.source = source }

  mutating func reset() { position = nil }

  /// Goes over the pages up to an offset.
  mutating func problem(before end: Int64) throws(MediaError) -> String? {
    var problem: String?
    while let start = position, start < end {
      let page = try source.read(at: start, count: Self.largest)
      // Behind the last page anything may stand.
      guard page.count >= Self.headSize else { break }
      guard page.starts(with: Self.mark) else {
        // Unless pages are missing then, what stands between them is of no use to anybody.
        position = try next(behind: start)
        continue
      }
      let words = check(page, at: start)
      problem = problem ?? words
    }
    return problem
  }

  /// Checks the page that the bytes begin with, and goes on behind it.
  private mutating func check(_ bytes: [UInt8], at offset: Int64) -> String? {
    func number(_ place: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
    }
    let segments = Int(bytes[26])
    let length =
      bytes[Self.headSize...].prefix(segments).reduce(Self.headSize + segments) { $0 + Int($1) }
    // One that is cut off is told by the length of the file.
    guard bytes.count >= length else {
      position = nil
      return nil
    }
    var page = Array(bytes[..<length])
    for place in 22..<26 { page[place] = 0 }
    let sum = av_crc(av_crc_get_table(AV_CRC_32_IEEE), 0, page, page.count)
    guard sum.byteSwapped == number(22) else {
      // Its length may be wrong, too.
      falseMarks += 1
      position = falseMarks < Self.mostFalseMarks ? offset + 1 : nil
      return "the checksum of the Ogg page at offset \(offset) is wrong"
    }
    falseMarks = 0
    position = offset + Int64(length)
    let (stream, count, isFirst) = (number(14), number(18), bytes[5] & 2 != 0)
    let expected = numbers.updateValue(count &+ 1, forKey: stream)
    guard let expected, count != expected, !isFirst else { return nil }
    guard count > expected else { return "an Ogg page comes again at offset \(offset)" }
    let missing = count - expected
    let words = missing == 1 ? "an Ogg page is missing" : "\(missing) Ogg pages are missing"
    return "\(words) in front of offset \(offset)"
  }

  /// Returns the offset of the next page within 1 MiB.
  private func next(behind start: Int64) throws(MediaError) -> Int64? {
    let bytes = try source.read(at: start, count: 1 << 20)
    var place = 1
    while place + 4 <= bytes.count {
      if bytes[place] == Self.mark[0], bytes[place..<place + 4].elementsEqual(Self.mark) {
        return start + Int64(place)
      }
      place += 1
    }
    return nil
  }
}
