import RespoolPlugin

/// The Info element (RFC 9559 5.1.2).
struct SegmentInfo {
  /// Duration of a timestamp tick in nanoseconds.
  var timestampScale: Int64 = 1_000_000
  /// Duration in ticks.
  ///
  /// `nil` if not stored.
  var duration: Double?
  /// Nanoseconds since 2001-01-01 00:00 UTC.
  var date: Int64?
  var title = ""
  /// `true` if it names the previous or the next segment (RFC 9559 17).
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
          // Some writers store 0 for an unknown date.
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
    // A tick longer than an hour is invalid.
    if !(1...3_600_000_000_000).contains(timestampScale) { timestampScale = 1_000_000 }
    if let stated = duration, !(stated > 0 && stated < 1e18) { duration = nil }
  }

  /// Duration in nanoseconds.
  ///
  /// `nil` if unknown.
  var nanoseconds: Int64? {
    duration.flatMap { stated in
      let value = stated * Double(timestampScale)
      return value < 9e18 ? Int64(value.rounded()) : nil
    }
  }
}
