import RespoolPlugin

/// Chained Vorbis streams in an Ogg file (RFC 3533 4), of which FFmpeg describes only the first.
struct VorbisChain {
  /// One stream of the chain.
  struct Link: Equatable {
    /// The identification and setup headers, which configure the decoder (Vorbis I specification 4.2).
    var headers: [[UInt8]] = []
    /// The body of the comment header.
    var comments: [UInt8] = []
    var serial: UInt32
    /// Offset of the first page.
    var offset: Int64 = 0
    /// Number of the sample after the last one.
    var end: Int64 = 0

    fileprivate var packet: [UInt8] = []

    var sampleRate: Int {
      guard let head = headers.first, head.count >= 16 else { return 0 }
      return head[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    var channelCount: Int { headers.first.map { $0.count > 11 ? Int($0[11]) : 0 } ?? 0 }

    fileprivate var isWhole: Bool { headers.count == 2 }

    /// Adds the header packets that end on a page, up to the last of the three.
    fileprivate mutating func addHeaders(of page: OggPage) {
      var start = page.body.startIndex
      for size in page.segments where !isWhole {
        packet += page.body[start..<start + Int(size)]
        start += Int(size)
        guard size < 255 else { continue }
        // The comment header comes between the two.
        if packet.first == 3 {
          comments = Array(packet.dropFirst(7))
        } else {
          headers.append(packet)
        }
        packet = []
      }
      if packet.count > VorbisChain.largestHeader { packet = [] }
    }
  }

  private(set) var links: [Link] = []
  /// Offset of each link, and `true` if its sample rate is higher than the first one's.
  private var starts: [(offset: Int64, isFaster: Bool)] = []

  private static let most = 10_000
  /// Maximum size in bytes: comments with covers have a few MiB.
  fileprivate static let largestHeader = 16 << 20

  private init() {}

  /// Reads the comments of a file's first stream.
  ///
  /// `nil` if they are damaged or not near the start.
  static func comments(in source: ByteSource) throws(MediaError) -> VorbisComments? {
    var chain = VorbisChain()
    var pages = OggPages(source)
    for _ in 0..<1000 {
      guard let page = try pages.next() else { break }
      chain.add(page)
      guard let link = chain.links.first, link.isWhole else { continue }
      return try? VorbisComments(link.comments)
    }
    return nil
  }

  /// `true` if a later stream has tags that the first one lacks.
  var hasOtherTags: Bool {
    func fields(_ link: Link) -> Set<MetadataEntry> {
      Set((try? VorbisComments(link.comments))?.fields ?? [])
    }
    guard let first = links.first.map(fields) else { return false }
    return links.dropFirst().contains { !fields($0).isSubset(of: first) }
  }

  /// Reads the pages of a whole file.
  ///
  /// `nil` if its last page belongs to a stream that begins with the file.
  ///
  /// Throws `io` and `cancelled`.
  init?(_ source: ByteSource) throws(MediaError) {
    guard source.isSeekable, let size = source.size,
      let last = try OggPage.last(in: source, size: size)
    else { return nil }
    var pages = OggPages(source)
    var isAtStart = true
    while let page = try pages.next() {
      isAtStart = isAtStart && page.isFirstOfStream
      if isAtStart, page.serial == last.serial { return nil }
      add(page)
      if links.count > Self.most { return nil }
    }
    links.removeAll { !$0.isWhole }
    guard links.count > 1 else { return nil }
    let rate = links[0].sampleRate
    starts = links.map { ($0.offset, $0.sampleRate > rate) }
  }

  /// Total duration of all streams in nanoseconds.
  var duration: Int64 {
    links.reduce(0) { sum, link in
      let rate = Rational(1, Int32(clamping: max(1, link.sampleRate)))
      return sum.addingClamped(rate.convert(max(0, link.end), to: .nanoseconds))
    }
  }

  /// Returns `true` if the packet at this offset belongs to a stream with a higher sample rate than the
  /// first.
  func isFaster(at offset: Int64) -> Bool {
    var (low, high) = (0, starts.count)
    while low < high {
      let middle = (low + high) / 2
      if starts[middle].offset <= offset { low = middle + 1 } else { high = middle }
    }
    return low > 0 && starts[low - 1].isFaster
  }

  /// Returns a description of the track for each additional configuration.
  func furtherSampleDescriptions(of track: TrackDescription) -> [TrackDescription] {
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

  /// A comment header without vendor and comments, including its framing bit.
  private static let noComments = [3] + Array("vorbis".utf8) + [UInt8](repeating: 0, count: 8) + [1]

  private mutating func add(_ page: OggPage) {
    if page.isFirstOfStream, page.body.starts(with: [1] + Array("vorbis".utf8)) {
      links.append(Link(serial: page.serial, offset: page.offset))
    }
    guard let current = links.indices.last, links[current].serial == page.serial else { return }
    if links[current].isWhole {
      if page.granule >= 0 { links[current].end = page.granule }
    } else {
      links[current].addHeaders(of: page)
    }
  }
}
