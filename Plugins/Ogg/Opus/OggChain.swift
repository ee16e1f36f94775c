import RespoolPlugin

/// Chained streams in a file (RFC 3533 4).
enum OggChain {
  /// Maximum number of ways to decode the streams of a file.
  private static let mostFormats = 256

  /// Scans the whole file and returns the total duration of all streams, in samples at 48 kHz.
  ///
  /// `formats` has a configuration for each way to decode the streams. `hasOtherTags` is `true` if a later
  /// stream has tags that the first one lacks.
  static func survey(_ pages: OggPageReader) throws(MediaError) -> (
    duration: Int64, formats: [OpusConfiguration], hasOtherTags: Bool
  ) {
    var formats: [OpusConfiguration] = []
    var first: Set<MetadataEntry>?
    var hasOtherTags = false
    pages.seek(to: 0)
    var link: OpusLink?
    var total: Int64 = 0
    while let page = try pages.next() {
      if page.isFirst, let head = try? OpusConfiguration(head: page.body) {
        // A header that is repeated at the start of its stream, or a multiplexed stream, does not begin a new
        // link.
        if let link, link.firstGranule == nil { continue }
        total = total.addingClamped(link?.end ?? 0)
        link = OpusLink(head, serial: page.serial, startTime: 0, isDiscontinuous: false)
        _ = link?.assembler.packets(of: page)
        if let link, !formats.contains(where: link.decodes), formats.count < mostFormats {
          formats.append(head)
        }
        continue
      }
      guard page.serial == link?.assembler.serial, var current = link else { continue }
      var (buffers, hasHole) = current.assembler.packets(of: page)
      if current.headersLeft > 0, let first = buffers.first,
        !first.readOnly.starts(with: OpusTags.signature)
      {
        current.headersLeft = 0
      } else if current.headersLeft > 0, !buffers.isEmpty {
        let comments = try? buffers.removeFirst().withBytes { (bytes) throws(MediaError) in
          try OpusTags.parse(bytes)
        }
        let fields = Set(comments?.fields ?? [])
        if let first { hasOtherTags = hasOtherTags || !fields.isSubset(of: first) }
        first = first ?? fields
        current.headersLeft = 0
      }
      _ = current.packets(from: buffers, of: page, hasHole: hasHole)
      link = current
    }
    return (total.addingClamped(link?.end ?? 0), formats, hasOtherTags)
  }
}
