import RespoolPlugin

/// Groups of tracks of which a player shows one at a time (ISO/IEC 14496-12 8.3.2).
private enum AlternateGroup {
  static let audio: Int16 = 1
  static let text: Int16 = 3
}

/// A writer of the movie box.
struct MovieBoxWriter {
  var media: MediaDescription
  var flavor: Flavor
  var tracks: [TrackWriter]
  var chapters: TrackWriter?
  var covers: [(codec: String, bytes: [UInt8])] = []
  /// Units per second of the movie's times.
  let scale: Int64
  /// Set if the samples are in fragments.
  ///
  /// It provides the edits of each track, the sample descriptions and the duration, 0 while it is unknown. If
  /// the box is overwritten at the end, its size stays the same.
  var fragments: Fragments?

  struct Fragments {
    var edits: [[EditListBox.Entry]]
    var descriptions: [SampleDescriptionBox]
    /// In units of the movie's times.
    ///
    /// `nil` if it will never be known.
    var duration: UInt64?
    /// `true` if the box is overwritten after the last fragment.
    var isOverwrittenAtEnd: Bool
  }

  /// Creates the writer.
  ///
  /// A `timeScale` of 0 selects one automatically.
  init(
    media: MediaDescription, flavor: Flavor, tracks: [TrackWriter], chapters: TrackWriter?,
    timeScale: Int64 = 0
  ) {
    self.media = media
    self.flavor = flavor
    self.tracks = tracks
    self.chapters = chapters
    scale = timeScale > 0 ? timeScale : Self.movieScale(tracks)
  }

  /// Returns a scale that expresses the edits of every track exactly, unless it would be too large.
  private static func movieScale(_ tracks: [TrackWriter]) -> Int64 {
    let most: Int64 = 600_000
    var common: Int64 = 1000
    for track in tracks {
      let (product, overflow) = (common / common.greatestCommonDivisor(track.timeScale))
        .multipliedReportingOverflow(by: track.timeScale)
      guard !overflow, product <= most else {
        // An edit that is too long by a fraction of a frame would show a frame of the next clip.
        if let pictures = tracks.first(where: { $0.track.kind == .video && !$0.joined.isEmpty }) {
          return pictures.timeScale * max(1, most / pictures.timeScale)
        }
        return tracks.first { $0.track.kind == .audio }?.timeScale ?? tracks[0].timeScale
      }
      common = product
    }
    return common
  }

  /// Returns the box.
  ///
  /// `shift` is added to the file offsets of the media.
  func bytes(shift: Int64, usesCo64: Bool) throws(MediaError) -> [UInt8] {
    var writer = BoxWriter()
    let all = tracks + (chapters.map { [$0] } ?? [])
    var sampleDescriptions = fragments?.descriptions ?? []
    for (index, track) in all.enumerated() where fragments == nil {
      do throws(MediaError) {
        sampleDescriptions.append(try SampleEntryWriter(track).description())
      } catch {
        var error = error
        error.track = error.track ?? mediaTrack(ofNumber: index)
        throw error
      }
    }
    let duration = fragments == nil ? tracks.map { $0.movieDuration(scale) }.max() ?? 0 : 0
    writer.box("moov") { moov in
      var header = MovieHeaderBox(
        timeScale: UInt32(scale), duration: UInt64(max(0, duration)),
        nextTrackID: (all.map(\.trackID).max() ?? 0) + 1)
      header.creationTime = Dates.creationTime(media.metadata)
      header.modificationTime = header.creationTime
      if let rate = media.preferredRate.flatMap({ Int32(exactly: ($0 * 65536).rounded()) }) {
        header.rate = rate
      }
      if let volume = media.preferredVolume { header.volume = Int16(fixedPoint: volume) }
      if flavor == .mov { header.displayTimes = displayTimes }
      moov.write(header)
      for (index, track) in all.enumerated() {
        let isChapters = chapters != nil && index == tracks.count
        moov.box("trak") {
          write(
            track, sampleDescriptions[index], to: &$0, shift: shift, usesCo64: usesCo64,
            isChapters: isChapters)
        }
      }
      if let fragments {
        moov.box("mvex") { mvex in
          if let duration = fragments.duration {
            mvex.write(MovieExtendsHeaderBox(duration: duration))
          }
          for track in all { mvex.write(TrackExtendsBox(trackID: track.trackID)) }
        }
      }
      UserDataWriter(
        metadata: userData, covers: covers, chapters: media.chapters, tags: movieTags,
        records: media.sideData
      ).write(to: &moov)
      // FFmpeg takes the types of all items after a list of keys for numbers of keys.
      ItemListWriter(items).write(to: &moov, hasPlainTypes: flavor != .mov)
    }
    return writer.bytes
  }

  /// Poster, preview and selection of the source, in units of this movie.
  private var displayTimes: [UInt32] {
    var reader = ByteReader(media.sideData[.displayTimes] ?? [])
    let stated = (try? reader.big(UInt32.self)) ?? 1
    return (0..<6).map { _ in
      let time = (try? reader.big(UInt32.self)) ?? 0
      return UInt32(clamping: Int128(time) * Int128(scale) / Int128(max(1, stated)))
    }
  }

  private var movieTags: [NativeTag] { media.nativeTags.filter { $0.track == nil } }

  /// Indexes of the media's tracks that are tracks of the movie: all except covers.
  private var mediaTracks: [Int] {
    media.tracks.indices.filter { !media.tracks[$0].disposition.contains(.attachedPicture) }
  }

  /// Returns the index in the media of the movie's track `number`.
  ///
  /// `nil` for the chapter track.
  func mediaTrack(ofNumber number: Int) -> Int? {
    let tracks = mediaTracks
    return tracks.indices.contains(number) ? tracks[number] : nil
  }

  /// Returns the tags of one of the movie's tracks.
  private func tags(ofTrack number: Int?) -> [NativeTag] {
    guard let track = number.flatMap({ mediaTrack(ofNumber: $0) }) else { return [] }
    return media.nativeTags.filter { $0.track == track }
  }

  /// The tags to write as QuickTime metadata.
  ///
  /// QuickTime movies also get Apple's keys for tags that the source has under other keys or without a key,
  /// as AVFoundation does with common metadata. Other movies have iTunes items for titles and the like. They
  /// get only the tags without an iTunes item: dates with time zones, devices, and third-party keys.
  private var items: [NativeTag] {
    let own = movieTags.filter { $0.keySpace == "mdta" }
    guard flavor == .mov else {
      return own.filter { tag in
        guard tag.kind == .text, let name = QuickTimeKeys.name(of: tag.key) else { return true }
        return name == "date" || !ItemNames.itunes.contains { $0.name == name }
      }
    }
    let common = media.metadata.compactMap { entry -> NativeTag? in
      guard let key = QuickTimeKeys.key(of: entry.name), !entry.value.isEmpty,
        entry.name.lowercased() != "location" || UserDataWriter.isPosition(entry.value),
        !own.contains(where: { $0.key == key || $0.name == entry.name })
      else { return nil }
      let language = movieTags.first { $0.name == entry.name && $0.value == entry.value }?.language
      return NativeTag(
        keySpace: "mdta", key: key, name: entry.name, value: entry.value, language: language)
    }
    return own + common
  }

  /// The tags to write to user data.
  ///
  /// In QuickTime movies, the tags that the source does not have as metadata. In others, all except those
  /// whose names are keys of their own.
  private var userData: [MetadataEntry] {
    let items = movieTags.filter { $0.keySpace == "mdta" }
    guard flavor == .mov else {
      return media.metadata.filter { entry in !items.contains { $0.key == entry.name } }
    }
    guard !items.isEmpty else { return media.metadata }
    let isItem = { (name: String) in !name.isEmpty && items.contains { $0.name == name } }
    // A tag that the source has in both places is written to both.
    let also = movieTags.filter {
      $0.keySpace != "mdta" && $0.kind != .data && isItem($0.name)
    }
    return media.metadata.filter { !isItem($0.name) }
      + also.map { MetadataEntry($0.name, $0.value) }
  }

  private func write(
    _ track: TrackWriter, _ sampleDescription: SampleDescriptionBox, to writer: inout BoxWriter,
    shift: Int64, usesCo64: Bool, isChapters: Bool
  ) {
    writer.write(header(of: track, isChapters: isChapters))
    let edits = self.edits(of: track)
    let place = writer.bytes.count
    if !edits.isEmpty {
      writer.box("edts") { $0.write(EditListBox(entries: edits)) }
    }
    if fragments?.isOverwrittenAtEnd == true { leaveRoom(forEditsAt: place, in: &writer) }
    if !isChapters { writeReferences(of: track, to: &writer) }
    let records = flavor == .mov ? SampleEntryRecords.track : ["uuid"]
    SampleEntryRecords.write(
      track.track.sideData, of: records, codec: track.track.codec, to: &writer)
    writer.box("mdia") { mdia in
      var header = MediaHeaderBox(
        timeScale: UInt32(track.timeScale),
        duration: fragments == nil ? UInt64(max(0, track.mediaDuration)) : 0)
      header.creationTime = date(of: track)
      header.modificationTime = header.creationTime
      header.languageCode = MediaHeaderBox.code(ofLanguage: track.track.language ?? "und")
      mdia.write(header)
      if let tag = track.track.language, tag != "und", !tag.isEmpty,
        header.languageCode == MediaHeaderBox.undetermined || tag.utf8.count != 3
      {
        // Languages that need more than a three-letter code (14496-12 8.4.6).
        mdia.box("elng") {
          $0.versionAndFlags(0)
          $0.raw(tag.utf8)
          $0.u8(0)
        }
      }
      mdia.write(handler(of: track))
      mdia.box("minf") { minf in
        writeMediaHeader(of: track, to: &minf)
        minf.box("dinf") { track.writeDataReferences(to: &$0) }
        minf.box("stbl") {
          $0.write(sampleDescription)
          writeTables(of: track, to: &$0, shift: shift, usesCo64: usesCo64)
        }
      }
    }
    let number = tracks.firstIndex { $0.trackID == track.trackID }
    TrackUserData(track.track, tags(ofTrack: number), flavor: flavor).write(to: &writer)
  }

  /// Pads the edit list to the size of two edits in 64-bit form, the maximum that may be needed at the end.
  ///
  /// A track without joined clips has at most an empty edit and a normal one. `FragmentedMovieWriter` rejects
  /// joined clips.
  private func leaveRoom(forEditsAt place: Int, in writer: inout BoxWriter) {
    let room = 8 + 16 + 2 * 20 - (writer.bytes.count - place)
    guard room >= 8 else { return }
    writer.box("free") { $0.raw([UInt8](repeating: 0, count: room - 8)) }
  }

  private func edits(of track: TrackWriter) -> [EditListBox.Entry] {
    guard let fragments else { return track.edits(movieScale: scale) }
    let index = tracks.firstIndex { $0.trackID == track.trackID }
    return index.map { fragments.edits[$0] } ?? []
  }

  private func writeReferences(of track: TrackWriter, to writer: inout BoxWriter) {
    var references: [TrackReferenceBox.Reference] = []
    func refer(_ type: FourCC, to trackID: UInt32) {
      if let index = references.firstIndex(where: { $0.type == type }) {
        references[index].trackIDs.append(trackID)
      } else {
        references.append(.init(type: type, trackIDs: [trackID]))
      }
    }
    for reference in track.settings.references {
      guard let number = mediaTracks.firstIndex(of: reference.track), number < tracks.count else {
        continue
      }
      refer(reference.type, to: tracks[number].trackID)
    }
    if let chapters, track.track.kind == .video || track.track.kind == .audio {
      refer("chap", to: chapters.trackID)
    }
    if !references.isEmpty { writer.write(TrackReferenceBox(references: references)) }
  }

  /// Returns the track's own date, or the movie's.
  ///
  /// The clock of this machine is never used.
  private func date(of track: TrackWriter) -> UInt64 {
    let own = Dates.creationTime(track.track.metadata)
    return own > 0 ? own : Dates.creationTime(media.metadata)
  }

  func header(of track: TrackWriter, isChapters: Bool) -> TrackHeaderBox {
    var header = TrackHeaderBox(
      trackID: track.trackID,
      duration: fragments == nil ? UInt64(max(0, track.movieDuration(scale))) : 0)
    header.creationTime = date(of: track)
    header.modificationTime = header.creationTime
    let description = track.track
    if let layer = description.sideData[.trackLayer], layer.count == 2 {
      header.layer = Int16(bitPattern: UInt16(layer[0]) << 8 | UInt16(layer[1]))
    }
    // If no track of a kind is marked as default, its first track that is not disabled is. Captions may all be
    // off.
    let candidates = tracks.filter {
      $0.track.kind == description.kind && !$0.track.disposition.contains(.disabled)
    }
    let isFirst =
      description.kind != .subtitle
      && !candidates.contains { $0.track.disposition.contains(.default) }
      && candidates.first?.trackID == track.trackID
    let isDefault =
      (description.disposition.contains(.default) || isFirst)
      && !description.disposition.contains(.disabled)
    header.flags =
      track.settings.isEnabled && isDefault && !isChapters
      ? TrackHeaderBox.enabled | TrackHeaderBox.inMovie
      : isChapters ? 0 : TrackHeaderBox.inMovie
    switch description.kind {
    case .audio:
      header.volume =
        description.preferredVolume.map { Int16(fixedPoint: max(0, $0)) } ?? 0x100
      header.alternateGroup = AlternateGroup.audio
    case .video:
      var width = Int64(description.width)
      if description.sampleAspect.isPositive {
        width =
          width * Int64(description.sampleAspect.numerator)
          / Int64(description.sampleAspect.denominator)
      }
      header.width = UInt32(fixedPoint: Double(min(width, 0xFFFF)))
      header.height = UInt32(fixedPoint: Double(min(description.height, 0xFFFF)))
      header.matrix = description.displayMatrix
    case .subtitle where !isChapters: header.alternateGroup = AlternateGroup.text
    default: break
    }
    let settings = track.settings
    if let volume = settings.volume { header.volume = Int16(fixedPoint: volume) }
    header.alternateGroup = settings.alternateGroup ?? header.alternateGroup
    if let size = settings.naturalSize {
      (header.width, header.height) = (
        UInt32(fixedPoint: size.width), UInt32(fixedPoint: size.height)
      )
    }
    return header
  }

  private func handler(of track: TrackWriter) -> HandlerBox {
    func value(_ name: String) -> String? {
      track.track.metadata.first { $0.name.lowercased() == name }?.value
    }
    // Players show this name. A track from another container has only a title, which user data has as a whole; FFmpeg
    // takes the length of a longer name for a character.
    let name =
      value("handler_name") ?? value("title").map { HandlerBox.beginning(of: $0, bytes: 127) }
    var box: HandlerBox
    switch track.track.kind {
    case .video: box = HandlerBox(handlerType: "vide", name: name ?? "VideoHandler")
    case .audio: box = HandlerBox(handlerType: "soun", name: name ?? "SoundHandler")
    case .data: box = HandlerBox(handlerType: "meta", name: name ?? "MetadataHandler")
    default:
      box = HandlerBox(
        handlerType: track.track.codec == "text" || flavor == .mov ? "text" : "sbtl",
        name: name ?? "SubtitleHandler")
    }
    if flavor == .mov {
      box.componentType = FourCC("mhlr").rawValue
      box.nameIsCounted = true
    }
    return box
  }

  /// Returns side data of the track, or `count` zeros.
  private func record(_ type: FourCC, of track: TrackWriter, count: Int) -> [UInt8] {
    let bytes = track.track.sideData[type]
    return bytes?.count == count ? bytes ?? [] : [UInt8](repeating: 0, count: count)
  }

  /// The graphics mode of a base media header that QuickTime writes: dither copy.
  private static let copyGraphicsMode: UInt16 = 0x40

  private func writeMediaHeader(of track: TrackWriter, to writer: inout BoxWriter) {
    switch track.track.kind {
    case .video:
      writer.box("vmhd") {
        $0.versionAndFlags(0, 1)
        $0.raw(record(.graphicsMode, of: track, count: 8))
      }
    case .audio:
      writer.box("smhd") {
        $0.versionAndFlags(0)
        $0.raw(record(.audioBalance, of: track, count: 2))
        $0.zeros(2)
      }
    default:
      guard track.track.codec == "text" || flavor == .mov else {
        writer.box("nmhd") { $0.versionAndFlags(0) }
        break
      }
      let isText = track.track.kind != .data
      writer.box("gmhd") {
        $0.box("gmin") {
          $0.versionAndFlags(0)
          $0.u16(Self.copyGraphicsMode)
          $0.zeros(10)
        }
        if isText { $0.box("text") { DisplayMatrix.identity.write(to: &$0) } }
      }
    }
    if flavor == .mov {
      // QuickTime files also have a data handler.
      writer.box("hdlr") {
        $0.versionAndFlags(0)
        $0.code("dhlr")
        $0.code("url ")
        $0.zeros(12)
        $0.u8(11)
        $0.raw("DataHandler".utf8)
      }
    }
  }

  private func writeTables(
    of track: TrackWriter, to writer: inout BoxWriter, shift: Int64, usesCo64: Bool
  ) {
    guard fragments == nil else {
      writer.write(TimeToSampleBox(runs: []))
      writer.write(SampleToChunkBox(runs: []))
      writer.write(SampleSizeBox(sizes: []))
      writer.write(ChunkOffsetBox(offsets: []))
      return
    }
    writer.write(track.times)
    if track.audioFrameSize == 0, let offsets = track.compositionOffsets { writer.write(offsets) }
    if track.track.kind == .video, track.sync.count < track.sizes.count {
      writer.write(SyncSampleBox(sampleNumbers: track.sync))
    }
    writer.write(track.chunks)
    if track.audioFrameSize > 0 {
      writer.write(
        SampleSizeBox(
          constantSize: UInt32(track.audioFrameSize),
          sampleCount: UInt32(clamping: track.audioSampleCount)))
    } else {
      writer.write(SampleSizeBox(sizes: track.sizes))
    }
    var offsets = track.chunkOffsets
    for chunk in offsets.indices where track.isOwn(chunk: chunk) { offsets[chunk] += UInt64(shift) }
    // Referenced files may be larger than this one.
    if usesCo64 || offsets.contains(where: { $0 > UInt64(UInt32.max) }) {
      writer.write(LargeChunkOffsetBox(offsets: offsets))
    } else {
      writer.write(ChunkOffsetBox(offsets: offsets.map { UInt32(clamping: $0) }))
    }
    if flavor != .mov,
      let preRoll = PreRollGroups(
        codec: track.track.codec, track.times,
        timeBase: Rational(1, Int32(clamping: track.timeScale)))
    {
      preRoll.write(to: &writer)
    }
  }
}
