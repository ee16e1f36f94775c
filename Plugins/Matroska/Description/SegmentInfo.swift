import RespoolPlugin

/// The Info element (RFC 9559 5.1.2).
struct SegmentInfo {
  /// Nanoseconds of a tick of the segment's timestamps.
  var timestampScale: Int64 = 1_000_000
  /// Ticks; `nil`: not stored.
  var duration: Double?
  /// Nanoseconds since 2001-01-01 00:00 UTC.
  var date: Int64?
  var title = ""
  /// `true` if it names the segment before or behind it (RFC 9559 17).
  var hasLinks = false
  var muxingApp = ""
  var writingApp = ""

  init(_ elements: [EBMLElement]) throws(MediaError) {
    for element in elements {
      try element.forEachChild { (child) throws(MediaError) in
        switch child.id {
        case .timestampScale: timestampScale = Int64(clamping: try child.unsigned)
        case .duration: duration = try child.float
        case .dateUTC:
          // Some writers store 0 for a date that they do not know.
          let nanoseconds = try child.signed
          date = nanoseconds != 0 ? nanoseconds : nil
        case .prevUUID, .prevFilename, .nextUUID, .nextFilename: hasLinks = true
        case .title: title = child.text
        case .muxingApp: muxingApp = child.text
        case .writingApp: writingApp = child.text
        default: break
        }
      }
    }
    // Beyond an hour a tick is no unit of time for media.
    if !(1...3_600_000_000_000).contains(timestampScale) { timestampScale = 1_000_000 }
    if let told = duration, !(told > 0 && told < 1e18) { duration = nil }
  }

  /// Nanoseconds.
  var nanoseconds: Int64? {
    duration.flatMap { told in
      let value = told * Double(timestampScale)
      return value < 9e18 ? Int64(value.rounded()) : nil
    }
  }
}
