import RespoolPlugin

/// Streams of Vorbis one after the other in an Ogg file (RFC 3533 4), of which FFmpeg describes the first one.
struct VorbisChain {
  /// One stream of the chain.
  struct Link: Equatable {
    /// The identification and the setup header, which decide how packets are decoded (Vorbis I specification 4.2).
    var headers: [[UInt8]] = []
    /// The body of the comment header.
    var comments: [UInt8] = []
    var serial: UInt32
    /// Offset of the first page.
    var offset: Int64 = 0
    /// Number of the sample behind the last one.
    var end: Int64 = 0

    fileprivate var packet: [UInt8] = []

    var sampleRate: Int {
      guard let head = headers.first, head.count >= 16 else { return 0 }
      return head[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    var channelCount: Int { headers.first.map { $0.count > 11 ? Int($0[11]) : 0 } ?? 0 }

    fileprivate var isWhole: Bool { headers.count == 2 }
  }

  private(set) var links: [Link] = []

  private static let mark = Array("OggS".utf8)
  private static let headSize = 27
  private static let most = 10_000
  /// Comments with covers have a few MiB.
  private static let largestHeader = 16 << 20

  private init() {}

  /// Reads the comments of a file's first stream; `nil` if they are damaged or not near the start.
  static func comments(in source: ByteSource) throws(MediaError) -> VorbisComments? {
    var chain = VorbisChain()
    var pages = Pages(source)
    for _ in 0..<1000 {
      guard let page = try pages.next() else { break }
      chain.add(page)
      guard let link = chain.links.first, link.isWhole else { continue }
      return try? VorbisComments(link.comments)
    }
    return nil
  }

  /// `true` if a stream behind the first has tags that the first has not.
  var hasOtherTags: Bool {
    func fields(_ link: Link) -> Set<MetadataEntry> {
      Set((try? VorbisComments(link.comments))?.fields ?? [])
    }
    guard let first = links.first.map(fields) else { return false }
    return links.dropFirst().contains { !fields($0).isSubset(of: first) }
  }

  /// Reads the pages of a whole file; `nil` if its last page is of a stream that begins with the file.
  ///
  /// Throws `io` and `cancelled`.
  init?(_ source: ByteSource) throws(MediaError) {
    guard source.isSeekable, let last = try Self.lastSerial(source) else { return nil }
    var pages = Pages(source)
    var isAtStart = true
    while let page = try pages.next() {
      isAtStart = isAtStart && page.isFirst
      if isAtStart, page.serial == last { return nil }
      add(page)
      if links.count > Self.most { return nil }
    }
    links.removeAll { !$0.isWhole }
    guard links.count > 1 else { return nil }
  }

  /// Length of all streams together in nanoseconds.
  var duration: Int64 {
    links.reduce(0) { sum, link in
      let rate = Rational(1, Int32(clamping: max(1, link.sampleRate)))
      return sum.addingClamped(rate.convert(max(0, link.end), to: .nanoseconds))
    }
  }

  /// `true` if a packet at this offset is of a stream with a higher rate than the first.
  func isFaster(at offset: Int64) -> Bool {
    links.last { $0.offset <= offset }.map { $0.sampleRate > links[0].sampleRate } ?? false
  }

  /// The track as each further way of coding has it.
  func furtherFormats(of track: TrackDescription) -> [TrackDescription] {
    var known = links.prefix(1).map(\.headers)
    var formats: [TrackDescription] = []
    for link in links where !known.contains(link.headers) {
      known.append(link.headers)
      var format = track
      format.sampleRate = link.sampleRate
      format.channelLayout = ChannelLayout(channelCount: link.channelCount)
      format.extradata = XiphLacing.join([link.headers[0], Self.noComments, link.headers[1]]) ?? []
      format.metadata = []
      formats.append(format)
    }
    return formats
  }

  /// A comment header without vendor and comments, and the bit that ends it.
  private static let noComments = [3] + Array("vorbis".utf8) + [UInt8](repeating: 0, count: 8) + [1]

  private mutating func add(_ page: Page) {
    if page.isFirst {
      if page.body.starts(with: [1] + Array("vorbis".utf8)) {
        links.append(Link(serial: page.serial, offset: page.offset))
      }
    }
    guard var link = links.last, link.serial == page.serial else { return }
    if link.isWhole {
      if page.granule >= 0 { link.end = page.granule }
    } else {
      var place = page.body.startIndex
      for size in page.segments {
        link.packet += page.body[place..<place + Int(size)]
        place += Int(size)
        guard size < 255 else { continue }
        // The comments lie between the two.
        if link.packet.first == 3 {
          link.comments = Array(link.packet.dropFirst(7))
        } else {
          link.headers.append(link.packet)
        }
        link.packet = []
        if link.isWhole { break }
      }
      if link.packet.count > Self.largestHeader { link.packet = [] }
    }
    links[links.count - 1] = link
  }

  /// Returns the serial number of the last page; `nil` if there is none near the end.
  private static func lastSerial(_ source: ByteSource) throws(MediaError) -> UInt32? {
    guard let size = source.size else { return nil }
    let count = min(size, 1 << 17)
    let bytes = try source.read(at: size - count, count: Int(count))
    var place = bytes.count - headSize
    while place >= 0 {
      if bytes[place...].starts(with: mark) { return Page.number(bytes, place + 14) }
      place -= 1
    }
    return nil
  }

  private struct Page {
    var offset: Int64
    var isFirst: Bool
    var granule: Int64
    var serial: UInt32
    var segments: ArraySlice<UInt8>
    var body: ArraySlice<UInt8>

    static func number(_ bytes: [UInt8], _ place: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[place + $1]) << UInt32(8 * $1) }
    }
  }

  /// Reads page after page; what stands between them is passed over.
  private struct Pages {
    private let source: ByteSource
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0
    private var place = 0

    private static let windowSize = 1 << 20
    /// A page has 255 segments of 255 bytes at most.
    private static let largest = headSize + 255 + 255 * 255

    init(_ source: ByteSource) { self.source = source }

    mutating func next() throws(MediaError) -> Page? {
      while true {
        if window.count - place < Self.largest {
          windowStart += Int64(place)
          window = try source.read(at: windowStart, count: Self.windowSize)
          place = 0
        }
        guard window.count - place >= headSize else { return nil }
        let count = Int(window[place + 26])
        let bodyStart = place + headSize + count
        if window[place...].starts(with: mark), bodyStart <= window.count {
          let segments = window[(place + headSize)..<bodyStart]
          let end = bodyStart + segments.reduce(0) { $0 + Int($1) }
          guard end <= window.count else { return nil }
          defer { place = end }
          let (low, high) = (Page.number(window, place + 6), Page.number(window, place + 10))
          return Page(
            offset: windowStart + Int64(place), isFirst: window[place + 5] & 2 != 0,
            granule: Int64(bitPattern: UInt64(high) << 32 | UInt64(low)),
            serial: Page.number(window, place + 14), segments: segments,
            body: window[bodyStart..<end])
        }
        place += 1
      }
    }
  }
}
