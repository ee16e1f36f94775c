import COgg

/// One page of an Ogg stream (RFC 3533 6) with a verified checksum.
struct OggPage {
  /// File offset of the page.
  let offset: Int64
  let header: [UInt8]
  let body: [UInt8]

  var flags: UInt8 { header[5] }
  /// `true` if the page starts a logical stream.
  var isFirst: Bool { flags & 2 != 0 }
  /// `true` if the page ends a logical stream.
  var isLast: Bool { flags & 4 != 0 }
  /// Granule position.
  ///
  /// -1 if no packet ends on the page.
  var granule: Int64 {
    Int64(bitPattern: header[6..<14].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
  var serial: UInt32 { header[14..<18].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
  var length: Int { header.count + body.count }

  /// Copies libogg's page.
  ///
  /// Returns `nil` if it is shorter than a page's fixed header.
  init?(_ page: ogg_page, offset: Int64) {
    guard page.header_len >= 27, page.body_len >= 0, let head = page.header else { return nil }
    self.offset = offset
    header = Array(UnsafeBufferPointer(start: head, count: page.header_len))
    body = Array(UnsafeBufferPointer(start: page.body, count: page.body_len))
  }

  /// Calls `use` with the page in libogg's form.
  func withPage<Result>(_ use: (UnsafeMutablePointer<ogg_page>) -> Result) -> Result {
    // libogg takes mutable pointers but only reads.
    var header = header
    var body = body
    return header.withUnsafeMutableBufferPointer { head in
      body.withUnsafeMutableBufferPointer { rest in
        var page = ogg_page(
          header: head.baseAddress, header_len: head.count, body: rest.baseAddress,
          body_len: rest.count)
        return use(&page)
      }
    }
  }
}
