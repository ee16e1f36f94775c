import RespoolPlugin

/// Chained streams in an Ogg file (RFC 3533 4), of which FFmpeg describes only the first.
struct OggChain {
  /// One stream of the chain.
  struct Link {
    /// The header packets that configure the decoder: without the comment header of Vorbis (Vorbis I
    /// specification 4.2), and only the first one of FLAC.
    private(set) var headers: [[UInt8]] = []
    /// The body of the comment header.
    private(set) var comments: [UInt8] = []
    let serial: UInt32
    /// Bytes of the file.
    fileprivate(set) var range: Range<Int64>
    /// Number of the sample after the last one.
    fileprivate(set) var end: Int64 = 0

    private var packet: [UInt8] = []
    private var packetCount = 0
    private let isVorbis: Bool

    fileprivate init?(_ page: OggPage) {
      isVorbis = page.body.starts(with: OggChain.vorbis)
      guard isVorbis || page.body.starts(with: OggChain.flac) else { return nil }
      serial = page.serial
      range = page.offset..<page.offset
    }

    fileprivate var isWhole: Bool { packetCount >= (isVorbis ? 3 : 2) }

    /// Adds the header packets that end on a page, up to the last that is needed.
    fileprivate mutating func addHeaders(of page: OggPage) {
      var start = page.body.startIndex
      for size in page.segments where !isWhole {
        packet += page.body[start..<start + Int(size)]
        start += Int(size)
        guard size < 255 else { continue }
        add(packet)
        packet = []
      }
      if packet.count > OggChain.largestHeader { packet = [] }
    }

    private mutating func add(_ packet: [UInt8]) {
      packetCount += 1
      if isVorbis, packet.first == 3 {
        comments = Array(packet.dropFirst(7))
      } else if !isVorbis, packetCount == 2 {
        // The second packet of FLAC is a metadata block with comments.
        comments = Array(packet.dropFirst(4))
      } else {
        headers.append(packet)
      }
    }
  }

  private(set) var links: [Link] = []
  /// Offset of the first page whose stream has no first page.
  private(set) var headless: Int64?
  /// Bytes of the streams at the start that cannot be read.
  private(set) var unreadable: Range<Int64>?
  private static let mostUnreadable = 16
  private var serials: Set<UInt32> = []
  /// `true` if a stream is of another codec.
  private var hasOthers = false

  private static let vorbis = [1] + Array("vorbis".utf8)
  private static let flac = [0x7F] + Array("FLAC".utf8)
  private static let most = 10_000
  /// Maximum size in bytes: comments with covers have a few MiB.
  fileprivate static let largestHeader = 16 << 20

  private init() {}

  /// Reads the comments of a file's first Vorbis stream.
  ///
  /// `nil` if they are damaged or not near the start.
  static func comments(in source: ByteSource) throws(MediaError) -> VorbisComments? {
    var chain = OggChain()
    var pages = OggPages(source)
    for _ in 0..<1000 {
      guard let page = try pages.next() else { break }
      chain.add(page)
      guard let link = chain.links.first, link.isWhole else { continue }
      return link.headers.count == 2 ? try? VorbisComments(link.comments) : nil
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

  /// Opens the first stream that libavformat can read, and removes those before it.
  ///
  /// libavformat rejects some whole files because of their later streams.
  mutating func openFirst(in source: ByteSource) throws(MediaError) -> FormatContext {
    for (index, link) in links.enumerated() {
      do throws(MediaError) {
        let context = try FormatContext(source: source.part(link.range))
        if index > 0 { unreadable = links[0].range.lowerBound..<link.range.lowerBound }
        links.removeFirst(index)
        return context
      } catch {
        let isOfSource = error.code == .io || error.code == .cancelled
        if isOfSource || index + 1 == min(links.count, Self.mostUnreadable) { throw error }
      }
    }
    throw MediaError(.internal, "a chain has no streams")
  }

  /// Reads the pages of a whole file.
  ///
  /// `nil` if its last page belongs to a stream that begins with the file, and for streams that are not Vorbis or
  /// FLAC.
  ///
  /// Throws `io` and `cancelled`.
  init?(_ source: ByteSource) throws(MediaError) {
    guard source.isSeekable, let size = source.size,
      try OggPage.begins(source.read(at: 0, count: 8)[...]),
      let last = try OggPage.last(in: source, size: size)
    else { return nil }
    var pages = OggPages(source)
    var isAtStart = true
    while let page = try pages.next() {
      isAtStart = isAtStart && page.isFirstOfStream
      if isAtStart, page.serial == last.serial { return nil }
      add(page)
      if hasOthers || links.count > Self.most { return nil }
    }
    links.removeAll { !$0.isWhole }
    for index in links.indices {
      let start = links[index].range.lowerBound
      let end = index + 1 < links.count ? links[index + 1].range.lowerBound : size
      let isBroken = headless.map { (start..<end).contains($0) } ?? false
      links[index].range = start..<(isBroken ? headless ?? end : end)
    }
    guard links.count > 1 || headless != nil && !links.isEmpty else { return nil }
  }

  private mutating func add(_ page: OggPage) {
    if page.isFirstOfStream {
      guard let link = Link(page) else {
        hasOthers = true
        return
      }
      links.append(link)
      serials.insert(link.serial)
    }
    guard let current = links.indices.last, links[current].serial == page.serial else {
      if headless == nil, !serials.isEmpty, !serials.contains(page.serial) {
        headless = page.offset
      }
      return
    }
    if links[current].isWhole {
      if page.granule >= 0 { links[current].end = page.granule }
    } else {
      links[current].addHeaders(of: page)
    }
  }
}
