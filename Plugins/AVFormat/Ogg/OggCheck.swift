import CAVFormat
import RespoolPlugin

/// A damage check for Ogg: pages have a checksum and are numbered for each stream (RFC 3533 6).
struct OggCheck: OffsetDamageCheck {
  private let source: ByteSource
  private var position: Int64? = 0
  /// Number of the next page of each stream.
  private var numbers: [UInt32: UInt32] = [:]
  /// Number of consecutive capture patterns that were not followed by a valid page.
  private var falseMarks = 0

  /// Maximum of false capture patterns: a file with more is not Ogg, and each costs a checksum.
  private static let mostFalseMarks = 100

  init(_ source: ByteSource) { self.source = source }

  mutating func reset() { position = nil }

  /// Checks the pages up to an offset.
  mutating func problem(before end: Int64) throws(MediaError) -> String? {
    var problem: String?
    while let start = position, start < end {
      let bytes = try source.read(at: start, count: OggPage.largestSize)
      // Any data may follow the last page.
      guard bytes.count >= OggPage.headSize else { break }
      guard OggPage.begins(bytes[...]) else {
        // Data between pages is ignored unless pages are missing.
        position = try nextPage(after: start)
        continue
      }
      guard let page = OggPage(bytes[...], offset: start) else {
        // A page that is cut off is reported by the check of the file's length, unless others follow it.
        position = try nextPage(after: start)
        if position != nil {
          problem = problem ?? "the Ogg page at offset \(start) is longer than the rest of the file"
        }
        continue
      }
      position = start + Int64(page.bytes.count)
      let pageProblem = check(page)
      problem = problem ?? pageProblem
    }
    return problem
  }

  /// Checks a page's checksum and number.
  private mutating func check(_ page: OggPage) -> String? {
    guard page.isIntact else {
      // Its length may be wrong too.
      falseMarks += 1
      position = falseMarks < Self.mostFalseMarks ? page.offset + 1 : nil
      return "the checksum of the Ogg page at offset \(page.offset) is wrong"
    }
    falseMarks = 0
    let count = page.sequenceNumber
    let expected = numbers.updateValue(count &+ 1, forKey: page.serial)
    guard let expected, count != expected, !page.isFirstOfStream else { return nil }
    guard count > expected else { return "an Ogg page is repeated at offset \(page.offset)" }
    let missing = count - expected
    let subject = missing == 1 ? "an Ogg page is missing" : "\(missing) Ogg pages are missing"
    return "\(subject) before offset \(page.offset)"
  }

  /// Returns the offset of the next page within 1 MiB.
  private func nextPage(after start: Int64) throws(MediaError) -> Int64? {
    let bytes = try source.read(at: start, count: 1 << 20)
    var distance = 1
    while distance + 4 <= bytes.count {
      if bytes[distance] == OggPage.mark[0], OggPage.begins(bytes[distance...]) {
        return start + Int64(distance)
      }
      distance += 1
    }
    return nil
  }
}
