import RespoolPlugin

/// A demuxer for Matroska and WebM (RFC 9559).
///
/// Video frames are ranges of the source. `init` throws `unsupported` for codecs that only a decoder can
/// describe, so that another plugin reads the file.
final class MatroskaDemuxer: Demuxer {
  static var description: FactoryDescription {
    var description = FactoryDescription(
      kind: .demuxer, name: "matroska", longName: "Matroska and WebM")
    description.tier = .preferred
    description.aliases = ["mkv", "webm", "matroska,webm"]
    description.extensions = ["mkv", "mka", "mks", "mk3d", "webm"]
    description.mimeTypes = [
      "video/matroska", "audio/matroska", "video/x-matroska", "video/webm", "audio/webm",
    ]
    description.flags = [.anyCodec, .shownStart]
    description.options = [
      OptionSchema("strict", .bool, default: "false", help: "Verify the checksums of elements."),
      OptionSchema(
        "index", .bool, default: "false",
        help: "Report a missing duration, and missing or wrong cues."),
    ]
    description.magics = [.init([0x1A, 0x45, 0xDF, 0xA3])]
    return description
  }

  static func probe(_ bytes: UnsafeRawBufferPointer, name: String) -> Int {
    guard bytes.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) else { return 0 }
    // The document type is in the EBML header.
    let head = Array(bytes.prefix(256))
    let types = [Array("matroska".utf8), Array("webm".utf8)]
    return types.contains { type in
      head.indices.dropLast(type.count).contains { head[$0...].starts(with: type) }
    } ? 100 : 50
  }

  let media: MediaDescription
  let window: SourceWindow
  let layout: SegmentLayout
  var tracks: [TrackReader]
  /// Index of the reader by track number.
  private let indexes: [UInt64: Int]
  var reader: ClusterReader
  /// `true` if the checksums of elements are verified.
  private let isStrict: Bool
  /// Damage of elements of the segment, which is reported first.
  private var faults: [MediaError] = []
  private var ready: [Packet] = []
  /// Pictures in attached files that have not been returned yet, by track.
  private var covers: [Int: Range<Int64>]
  private var selectedCovers: Set<Int>
  /// Positions and timestamps of clusters, scanned when a seek first needs them.
  var clusterIndex: [(position: Int64, time: Int64)]?

  /// Maximum number of tracks: a file has a few, a damaged one may claim many.
  private static let mostTracks = 256

  init(source: ByteSource, settings: DemuxerSettings) throws(MediaError) {
    guard source.isSeekable else {
      throw MediaError(.unsupported, "this plugin does not read from pipes")
    }
    let window = SourceWindow(source)
    let layout = try SegmentLayout(window)
    let info = try SegmentInfo(layout.all(.info))
    let entries = try Self.entries(layout)
    let start = layout.firstCluster ?? .max
    let survey = Survey(entries, from: start, window, layout: layout, scale: info.timestampScale)
    let describer = SegmentDescriber(
      layout: layout, info: info, entries: entries, survey: survey, source: source)
    let described = try describer.describeTracks()
    let startsAfterEncoderDelay = settings.timing.contains(.shownStart)
    let zero = StartTime(
      described.enumerated().compactMap { index, track in
        Self.start(of: track.0, entries[index], survey, describer.tick)
      }, afterEncoderDelay: startsAfterEncoderDelay, tick: describer.tick)
    var tracks: [TrackReader] = []
    for (index, track) in described.enumerated() {
      tracks.append(
        TrackReader(
          entries[index], index: index, track.0, track.1, tick: describer.tick,
          offset: -zero.ticks, firstTime: survey.tracks[entries[index].number]?.start,
          startsAfterEncoderDelay: startsAfterEncoderDelay))
    }
    let attached = try describer.describeAttachments(after: tracks.count)
    self.window = window
    self.layout = layout
    self.tracks = tracks
    covers = attached.covers
    selectedCovers = Set(attached.covers.keys)
    indexes = Dictionary(
      tracks.map { ($0.entry.number, $0.index) }, uniquingKeysWith: { first, _ in first })
    isStrict = settings[option: "strict"] == "true"
    if isStrict {
      // Editors of tags and chapters may leave old checksums; these elements do not affect the media.
      faults = [.info, .tracks, .cues, .seekHead].flatMap(layout.all)
        .compactMap(ElementChecksum.fault)
      // Reading ends after several errors without a packet.
      faults.removeSubrange(min(4, faults.count)...)
    }
    if settings[option: "index"] == "true" {
      let check = IndexCheck(
        layout: layout, info: info,
        tracks: Set(entries.filter { $0.type != TrackEntry.subtitleType }.map(\.number)),
        window: window)
      if let fault = try check.fault() { faults.append(fault) }
    }
    reader = ClusterReader(window, from: start, segmentEnd: layout.end, checksSums: isStrict)
    media = Self.describe(
      describer, tracks: tracks.map(\.description) + attached.tracks,
      offset: describer.tick.convert(zero.ticks, to: .nanoseconds))
  }

  private static func entries(_ layout: SegmentLayout) throws(MediaError) -> [TrackEntry] {
    var entries: [TrackEntry] = []
    for element in layout.all(.tracks).prefix(1) {
      try element.forEachChild { (child) throws(MediaError) in
        guard child.id == .trackEntry else { return }
        guard entries.count < mostTracks else {
          throw MediaError(.limitExceeded, "there are more than \(mostTracks) tracks")
        }
        let entry = try TrackEntry(child)
        // Button, control and logo tracks cannot be converted.
        if [TrackEntry.videoType, TrackEntry.audioType, TrackEntry.subtitleType].contains(
          entry.type)
        {
          entries.append(entry)
        }
      }
    }
    guard !entries.isEmpty else {
      throw MediaError(.malformed, "the file has no tracks", path: "Segment/Tracks")
    }
    return entries
  }

  private static func start(
    of track: TrackDescription, _ entry: TrackEntry, _ survey: Survey, _ tick: Rational
  ) -> StartTime.Track? {
    guard let first = survey.tracks[entry.number]?.start else { return nil }
    let delay = Rational.nanoseconds.convert(Int64(clamping: entry.codecDelay), to: tick)
    var preSkip: Int64 = 0
    if track.codec == "opus", let head = try? OpusConfiguration(head: track.extradata) {
      preSkip = Rational(1, 48000).convert(Int64(head.preSkip), to: tick)
    }
    let padding =
      track.sampleRate > 0
      ? Rational(1, Int32(clamping: track.sampleRate)).convert(
        Int64(track.initialPadding), to: tick) : 0
    return StartTime.Track(
      start: first.subtractingClamped(delay), kind: track.kind, preSkip: preSkip, padding: padding)
  }

  /// Describes the media.
  ///
  /// `offset` is subtracted from all times, in nanoseconds.
  private static func describe(
    _ describer: SegmentDescriber, tracks: [TrackDescription], offset: Int64
  ) -> MediaDescription {
    let (layout, source) = (describer.layout, describer.source)
    var media = MediaDescription(
      format: "matroska,webm", tracks: tracks, metadata: describer.metadata)
    media.warning = layout.warning
    if let end = layout.end, let size = source.size, end > size {
      media.endsEarly = true
      media.warning =
        "the file ends after \(size.counting("byte")); \(end - size) more are expected: the "
        + "file is cut off"
    }
    if describer.info.hasLinks {
      media.sideData.append(SideData(unwrittenElements: ["links to other Matroska segments"]))
    }
    if layout.docType != "matroska" {
      media.sideData.append(SideData(.documentType, Array(layout.docType.utf8)))
    }
    media.duration = describer.info.nanoseconds
    if media.duration == nil { media.duration = LastCluster.end(describer, tracks, offset: offset) }
    if let size = source.size, let duration = media.duration, duration > 0 {
      media.bitRate = Int64(clamping: Int128(size) * 8_000_000_000 / Int128(duration))
    }
    for element in layout.all(.chapters).prefix(1) {
      do throws(MediaError) {
        let chapters = try ChapterReader(element, offset: offset)
        media.chapters = SegmentDescriber.complete(chapters.chapters, duration: media.duration)
        if chapters.hasMore || chapters.hasDefaultFlag {
          let record = try ChapterRecord.moved(element.payload, by: -offset)
          media.sideData.append(
            SideData(chapters.hasMore ? .matroskaChapters : .matroskaPlainChapters, record))
        }
      } catch { media.warning = media.warning ?? error.description }
    }
    var tags = TagReader()
    if let failure = tags.read(layout.all(.tags)) {
      media.warning = media.warning ?? failure.description
    }
    if !tags.chapters.isEmpty, media.sideData[.matroskaChapters] == nil,
      let element = layout.all(.chapters).first
    {
      if let record = try? ChapterRecord.moved(element.payload, by: -offset) {
        media.sideData.append(SideData(.matroskaChapters, record))
      }
    }
    if !tags.ofData.isEmpty {
      media.sideData.append(
        SideData(unwrittenElements: tags.ofData.map { "data in the Matroska tag \($0)" }))
    }
    if !tags.chapters.isEmpty {
      media.sideData.append(SideData(.matroskaChapterTags, tags.chapters))
    }
    let count = describer.entries.count
    media.add(
      tags,
      tracks: Self.indexes(describer.entries.enumerated().map { ($1.uid, $0) }),
      attachments: Self.indexes(
        layout.attachments.enumerated().map { ($1.uid, count + $0) }.filter {
          $0.1 < tracks.count
        }))
    if !media.metadata.contains(where: { $0.name.lowercased() == "encoder" }) {
      let name = describer.info.muxingApp
      if !name.isEmpty { media.metadata.append(MetadataEntry("encoder", name)) }
    }
    return media
  }

  /// Returns the index of each UID.
  ///
  /// The first of several with the same UID is used.
  private static func indexes(_ pairs: [(UInt64, Int)]) -> [UInt64: Int] {
    Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  // MARK: Reading

  func select(_ isSelected: [Bool]) throws(MediaError) {
    try TrackDescription.check(selection: isSelected, trackCount: media.tracks.count)
    for index in tracks.indices { tracks[index].isSelected = isSelected[index] }
    selectedCovers = Set(isSelected.indices.filter { $0 >= tracks.count && isSelected[$0] })
  }

  func read() throws(MediaError) -> Packet? {
    if !faults.isEmpty { throw faults.removeFirst() }
    if let cover = try nextCover() { return cover }
    for index in tracks.indices where tracks[index].isSelected {
      guard var failure = tracks[index].failure else { continue }
      tracks[index].failure = nil
      failure.track = index
      throw failure
    }
    while ready.isEmpty {
      guard let block = try reader.next() else {
        for index in tracks.indices where tracks[index].isSelected {
          ready += tracks[index].remainingPackets()
        }
        if ready.isEmpty { return nil }
        break
      }
      guard let index = indexes[block.track], tracks[index].isSelected,
        tracks[index].entry.encoding.failure == nil
      else { continue }
      do throws(MediaError) {
        ready = try tracks[index].packets(of: block, window)
      } catch {
        var error = error.inElement(block.path)
        error.track = index
        throw error
      }
    }
    return ready.removeFirst()
  }

  private func nextCover() throws(MediaError) -> Packet? {
    guard
      let (track, range) = covers.filter({ selectedCovers.contains($0.key) }).min(by: {
        $0.key < $1.key
      })
    else { return nil }
    covers[track] = nil
    let bytes = try window.source.readExactly(
      at: range.lowerBound, count: Int(clamping: range.upperBound - range.lowerBound))
    return Packet(
      track: track, pts: 0, dts: 0, flags: .key, payload: .bytes(MediaBuffer(bytes)))
  }

  /// Discards everything read so far and continues at a position.
  func restart(at position: Int64) {
    ready = []
    reader = ClusterReader(
      window, from: position, segmentEnd: layout.end, checksSums: isStrict)
    for index in tracks.indices { tracks[index].reset() }
  }
}
