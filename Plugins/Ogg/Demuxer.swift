import RespoolPlugin

/// A demuxer for Opus in Ogg (RFC 7845), including chained streams.
///
/// `probe` leaves files with other codecs to other plugins.
final class OggDemuxer: Demuxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(kind: .demuxer, name: "ogg", longName: "Ogg (Opus)")
    description.tier = .preferred
    description.extensions = ["opus", "ogg", "oga"]
    description.mimeTypes = ["audio/ogg", "audio/opus"]
    description.codecs = ["opus"]
    description.magics = [.init(Array("OggS".utf8))]
    return description
  }

  /// Pre-roll in samples: decoding starts 80 ms before a position to be exact there (RFC 7845 4.6).
  private static let preroll = 3840

  private(set) var media: MediaDescription
  private let source: ByteSource
  private let pages: OggPageReader
  private var link: OpusLink
  private let firstLink: OpusLink
  private var waiting: [Packet] = []
  private var covers: [Packet] = []
  private var isSelected: [Bool]
  private let audioStart: Int64
  /// Damage that the next `read` throws.
  private var damage: MediaError?
  /// Offset after the last page that was read.
  ///
  /// `nil` after a seek.
  private var lastEnd: Int64?
  /// Bytes before the page that are not valid pages.
  private var skipped: Range<Int64>?
  private var isEnded = false
  private var isChained = false
  /// Serial number of the last stream without a first page.
  private var headless: UInt32?
  /// Configurations of the sample descriptions.
  private var formats: [OpusConfiguration] = []

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    OggProbe.isOpus(bytes) ? 100 : 0
  }

  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    self.source = source
    pages = OggPageReader(source)
    link = try Self.firstLink(pages)
    let (all, headerDamage) = try Self.comments(pages, &link)
    var comments = all
    comments?.fields = all?.fieldsWithoutChapters ?? []
    let configuration = link.configuration

    var track = TrackDescription(kind: .audio, codec: "opus", timeBase: Rational(1, 48000))
    track.id = Int64(link.assembler.serial)
    track.extradata = configuration.head
    track.sampleRate = 48000
    track.sampleFormat = .fltp
    track.channelLayout = Self.layout(configuration)
    track.initialPadding = Int(configuration.preSkip)
    track.seekPreroll = Self.preroll
    track.disposition = .default
    track.metadata = comments?.metadata ?? []
    track.start = 0
    media = MediaDescription(format: "ogg", tracks: [track], metadata: track.metadata)
    // The title is also the name of the track: Ogg has no other place for it.
    media.tracks[0].metadata.removeAll { $0.name != "title" }
    media.nativeTags = comments?.tags ?? []
    var parts: [String] = []
    for field in comments?.fields ?? [] where field.name.uppercased() == VorbisComments.pictureField
    {
      // A damaged cover is skipped; the audio is still read.
      guard let block = Base64.decode(field.value), let cover = try? FLACPicture(block: block)
      else {
        continue
      }
      guard let codec = cover.codec else {
        let file = TrackDescription(
          attachedPicture: cover.data, type: cover.mimeType, about: cover.description,
          number: media.tracks.count)
        if let file, !cover.isLink {
          media.tracks.append(file)
        } else {
          parts.append(cover.isLink ? "linked picture" : "cover of the type '\(cover.mimeType)'")
        }
        continue
      }
      var picture = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 90000))
      picture.id = Int64(media.tracks.count) + 1
      picture.disposition = .attachedPicture
      picture.width = Int(cover.width)
      picture.height = Int(cover.height)
      picture.metadata = PictureKind.metadata(Int(cover.type), title: cover.description)
      covers.append(
        Packet(
          track: media.tracks.count, pts: 0, dts: 0, flags: .key,
          payload: .bytes(MediaBuffer(cover.data))))
      media.tracks.append(picture)
    }
    if !parts.isEmpty { media.sideData.append(SideData(unwrittenElements: parts)) }
    isSelected = media.tracks.map { _ in true }
    audioStart = pages.offset
    firstLink = link
    waiting = covers
    lastEnd = pages.offset
    // The first page with audio determines the start of the time line.
    try readPage()
    if let headerDamage { damage = headerDamage }
    try findDuration()
    media.chapters = all?.chapters(duration: media.duration) ?? []
  }

  // MARK: Opening

  private static func firstLink(_ pages: OggPageReader) throws(MediaError) -> OpusLink {
    // The first page of each stream comes before all other pages.
    var hasOthers = false
    for _ in 0..<64 {
      guard let page = try pages.next() else { break }
      guard page.isFirst, page.body.starts(with: Array("OpusHead".utf8)) else {
        hasOthers = hasOthers || page.isFirst
        continue
      }
      let configuration = try OpusConfiguration(head: page.body)
      var link = OpusLink(configuration, serial: page.serial, startTime: 0, isDiscontinuous: false)
      _ = link.assembler.packets(of: page)
      link.headersLeft = 1
      return link
    }
    throw MediaError(
      hasOthers ? .unsupported : .malformed, "there is no page that starts an Opus stream")
  }

  /// Reads up to the end of the comment header.
  ///
  /// Returns `nil` and the damage if there is none that can be read. Audio in its place is read again as audio.
  private static func comments(_ pages: OggPageReader, _ link: inout OpusLink) throws(MediaError)
    -> (VorbisComments?, MediaError?)
  {
    while let page = try pages.next() {
      guard page.serial == link.assembler.serial else { continue }
      guard let packet = link.assembler.packets(of: page).packets.first else { continue }
      link.headersLeft = 0
      guard packet.readOnly.starts(with: OpusTags.signature) else {
        pages.seek(to: page.offset)
        link.assembler.reset()
        return (nil, missingTags(before: page))
      }
      do throws(MediaError) {
        let comments = try packet.withBytes { (bytes) throws(MediaError) in
          try OpusTags.parse(bytes)
        }
        return (comments, nil)
      } catch { return (nil, error) }
    }
    return (nil, nil)
  }

  /// Returns the damage of a stream whose comment header is missing, which its second packet must be (RFC 7845 3).
  private static func missingTags(before page: OggPage) -> MediaError {
    MediaError(
      .malformed, "there is no complete comment header, so that tags and covers are lost", track: 0,
      offset: page.offset)
  }

  private static func layout(_ configuration: OpusConfiguration) -> ChannelLayout {
    let count = Int(configuration.channelCount)
    return configuration.mappingFamily <= 1 ? .vorbis(count) : ChannelLayout(channelCount: count)
  }

  /// Sets the duration from the last granule position.
  ///
  /// Scans the whole file if it is chained.
  private func findDuration() throws(MediaError) {
    guard source.isSeekable, let size = source.size else { return }
    guard link.firstGranule != nil else {
      try noteCutPage(at: pages.offset, size)
      if !media.endsEarly, !isChained, !link.isEnded, audioStart < size {
        media.warning =
          "no whole page of audio is in the \((size - audioStart).counting("byte")) after the headers"
        media.endsEarly = true
      }
      return
    }
    let serial = link.assembler.serial
    let scan = OggPageReader(source)
    var tail: Int64 = 1 << 17
    var last: OggPage?
    var final: OggPage?
    while last == nil {
      scan.seek(to: max(0, size - tail))
      while let page = try scan.next() {
        final = page
        if page.serial != serial || page.granule >= 0 { last = page }
      }
      if tail >= size { break }
      tail *= 8
    }
    if let final { try noteEnd(final, size) }
    guard let last else { return }
    var duration: Int64
    if last.serial == serial {
      duration = link.time(last.granule)
    } else {
      isChained = true
      let chain = try OggChain.survey(scan)
      duration = chain.duration
      formats = chain.formats
      media.tracks[0].furtherSampleDescriptions = formats.dropFirst().map { format in
        var track = media.tracks[0]
        track.extradata = format.head
        track.channelLayout = Self.layout(format)
        track.initialPadding = Int(format.preSkip)
        track.metadata = []
        return track
      }
      if chain.hasOtherTags {
        media.sideData.append(
          SideData(unwrittenElements: ["tags of the streams after the first one"]))
      }
    }
    duration = max(0, duration)
    media.tracks[0].duration = duration
    media.duration = Rational(1, 48000).convert(duration, to: .nanoseconds)
    if duration > 0 {
      let bits = Int128(size) * 8 * 48000 / Int128(duration)
      media.bitRate = Int64(clamping: bits)
    }
  }

  /// Reports that the file ends early if its last page is cut off or does not end its stream (RFC 3533 6).
  private func noteEnd(_ page: OggPage, _ size: Int64) throws(MediaError) {
    try noteCutPage(at: page.offset + Int64(page.length), size)
    guard !media.endsEarly, !page.isLast else { return }
    media.warning = "the last page does not end its stream"
    media.endsEarly = true
  }

  /// Reports that the file ends early if a page begins after the last complete one.
  private func noteCutPage(at end: Int64, _ size: Int64) throws(MediaError) {
    guard try source.read(at: end, count: 4).starts(with: Array("OggS".utf8)) else { return }
    media.warning = "the last page is cut off after \((size - end).counting("byte"))"
    media.endsEarly = true
  }

  // MARK: Reading

  func select(_ isSelected: [Bool]) throws(MediaError) {
    try TrackDescription.check(selection: isSelected, trackCount: media.tracks.count)
    self.isSelected = isSelected
  }

  func read() throws(MediaError) -> Packet? {
    while true {
      if let damage {
        self.damage = nil
        throw damage
      }
      while !waiting.isEmpty {
        let packet = waiting.removeFirst()
        if isSelected[packet.track] { return packet }
      }
      guard !isEnded else { return nil }
      try readPage()
    }
  }

  /// Reads pages until one yields packets, or to the end.
  private func readPage() throws(MediaError) {
    let count = waiting.count
    while waiting.count == count {
      guard let page = try pages.next() else {
        isEnded = true
        return
      }
      if let lastEnd, page.offset > lastEnd { skipped = lastEnd..<page.offset }
      lastEnd = page.offset + Int64(page.length)
      if page.isFirst {
        try startLink(page)
      } else if page.serial == link.assembler.serial {
        append(page)
      } else if link.firstGranule != nil, headless != page.serial,
        !pages.begun.contains(page.serial)
      {
        headless = page.serial
        damage = MediaError(
          .malformed, "a stream has no first page and is left out", track: 0, offset: page.offset)
      }
    }
  }

  private func append(_ page: OggPage) {
    link.isEnded = page.isLast
    var (buffers, hasHole) = link.assembler.packets(of: page)
    // A recording of a live stream may begin at any packet.
    if hasHole, link.firstGranule != nil || skipped != nil {
      let message =
        skipped.map { "no complete page from byte \($0.lowerBound) to byte \($0.upperBound)" }
        ?? "pages before byte \(page.offset) are missing"
      damage = MediaError(.malformed, message, track: 0)
    }
    skipped = nil
    if link.headersLeft > 0, let first = buffers.first {
      link.headersLeft = 0
      if !first.readOnly.starts(with: OpusTags.signature) {
        damage = Self.missingTags(before: page)
      }
    }
    // The comment header is no audio. Some files contain their headers twice.
    buffers.removeAll {
      $0.readOnly.starts(with: OpusTags.signature)
        || $0.readOnly.starts(with: Array("OpusHead".utf8))
    }
    waiting += link.packets(from: buffers, of: page, hasHole: hasHole)
  }

  /// Starts a chained stream, which continues the one before.
  private func startLink(_ page: OggPage) throws(MediaError) {
    guard page.body.starts(with: Array("OpusHead".utf8)) else {
      // Streams that begin together are multiplexed.
      if link.firstGranule != nil {
        damage = MediaError(
          .unsupported, "a chained stream is not Opus and is left out", track: 0,
          offset: page.offset)
      }
      return
    }
    // The header was written twice in succession.
    if page.serial == link.assembler.serial, link.firstGranule == nil { return }
    let configuration = try OpusConfiguration(head: page.body)
    var next = OpusLink(
      configuration, serial: page.serial, startTime: link.end, isDiscontinuous: true)
    if !next.decodes(like: firstLink.configuration) {
      guard let number = formats.firstIndex(where: next.decodes) else {
        isEnded = true
        throw MediaError(
          .unsupported,
          "a chained stream has \(configuration.channelCount.counting("channel")) and the first has "
            + "\(firstLink.configuration.channelCount), and the file cannot be searched for such "
            + "streams when it is opened", track: 0, offset: page.offset)
      }
      next.description = number
    }
    if !link.isEnded {
      damage = MediaError(
        .malformed, "the stream before this one ends early", track: 0, offset: page.offset)
    }
    isChained = true
    link = next
    _ = link.assembler.packets(of: page)
  }

  // MARK: Seeking

  func seek(track: Int, to time: Int64) throws(MediaError) {
    guard media.tracks.indices.contains(track) else {
      throw MediaError(.invalidArgument, "there is no track \(track)")
    }
    guard source.isSeekable else { throw MediaError(.unsupported, "the source cannot seek") }
    let target = media.tracks[track].timeBase.convert(time, to: Rational(1, 48000), rounding: .down)
    let firstGranule = link.firstGranule
    let wantedTime = target.subtractingClamped(Int64(Self.preroll))
    isEnded = false
    (waiting, damage, lastEnd, skipped) = ([], nil, nil, nil)
    guard !isChained, wantedTime > 0, let size = source.size, let firstGranule else {
      return try rewind(before: wantedTime)
    }
    link.firstGranule = firstGranule
    let granule = link.granule(wantedTime)
    // The last page whose granule position is not after the target is in low ..< high.
    var (low, high) = (audioStart, size)
    var best: OggPage?
    while low < high {
      let middle = low + (high - low) / 2
      pages.seek(to: high - low < 1 << 17 ? low : middle)
      let isLinear = high - low < 1 << 17
      var found: OggPage?
      while let page = try pages.next(before: high) {
        guard page.serial == link.assembler.serial, page.granule >= 0 else { continue }
        found = page
        if isLinear, page.granule <= granule {
          best = page
          continue
        }
        break
      }
      if isLinear { break }
      guard let found else {
        high = middle
        continue
      }
      if found.granule <= granule {
        best = found
        low = found.offset + Int64(found.length)
      } else {
        high = middle
      }
    }
    guard let best else { return try rewind(before: wantedTime) }
    pages.seek(to: best.offset)
    link.assembler.reset()
    // The first part of a packet that continues on the next page is on this page.
    if let page = try pages.next() { _ = link.assembler.packets(of: page) }
    link.position = best.granule
    link.isDiscontinuous = true
  }

  /// Starts from the beginning and drops packets that end before `time`.
  private func rewind(before time: Int64) throws(MediaError) {
    pages.seek(to: audioStart)
    link = firstLink
    link.assembler.reset()
    link.isDiscontinuous = true
    var kept: [Packet] = []
    while kept.isEmpty, !isEnded {
      waiting = []
      try readPage()
      kept = waiting.filter { ($0.pts ?? 0).addingClamped($0.duration) > time }
    }
    if !kept.isEmpty { kept[0].flags.insert(.discontinuity) }
    waiting = kept
  }
}
