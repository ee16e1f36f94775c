import RespoolPlugin

extension MovieDescriber {
  /// Returns `default` for an enabled track, `disabled` for a disabled track without an enabled alternative.
  ///
  /// The tracks of an alternate group are choices, of which one is enabled (ISO/IEC 14496-12 8.3.2). Captions are
  /// choices even if none is enabled: viewers select them.
  private func disposition(of track: MovieTrack) -> TrackDescription.Disposition {
    func isEnabled(_ track: MovieTrack) -> Bool {
      track.header.flags & TrackHeaderBox.enabled != 0
    }
    if isEnabled(track) { return .default }
    let group = track.header.alternateGroup
    if group != 0, kind(of: track) == .subtitle { return [] }
    let isAlternative = movie.tracks.contains {
      group != 0 && $0.header.alternateGroup == group && isEnabled($0)
    }
    return isAlternative ? [] : .disabled
  }

  /// Returns side data with the track's roles and its layer.
  private func roleAndLayer(of track: MovieTrack) -> [SideData] {
    let roles = track.metadata.kinds.filter { $0.disposition.isEmpty }.map(\.record)
    guard track.header.layer != 0 else { return roles }
    let layer = UInt16(bitPattern: track.header.layer)
    return roles + [SideData(.trackLayer, [UInt8(layer >> 8), UInt8(layer & 0xFF)])]
  }

  func describe(_ track: MovieTrack) -> TrackReader {
    let scale = Int32(clamping: max(1, track.mediaHeader.timeScale))
    var description = TrackDescription(
      kind: kind(of: track), codec: "", timeBase: Rational(1, scale))
    description.id = Int64(track.header.trackID)
    description.language = track.extendedLanguage ?? track.mediaHeader.language
    description.disposition = disposition(of: track)
    for kind in track.metadata.kinds {
      description.disposition.formUnion(kind.disposition)
    }
    if description.kind == .audio {
      description.preferredVolume = Double(max(0, track.header.volume)) / 256
    }
    var failure = track.damage
    var packing: AudioPacking?
    let used = track.usedDescriptions(inFragments: movie.isFragmented)
    let blank = description
    if let first = used.first {
      do throws(MediaError) {
        packing = try code(track.descriptions.entries[first], of: track, into: &description)
      } catch {
        failure = error
      }
    }
    if let file = track.files.otherFile(of: track, inFragments: movie.isFragmented) {
      // Following the reference would let the author of the movie choose which local files are read.
      failure = MediaError(
        .unsupported, "the track's media is in another file, which is not read: \(file)",
        path: "\(track.path)/mdia/minf/dinf/dref")
    }
    if description.kind == .video { setDisplayProperties(&description, track) }
    description.sideData += track.records + roleAndLayer(of: track)
    if !track.metadata.unknownBoxes.isEmpty {
      description.sideData.append(SideData(.userData, track.metadata.unknownBoxes))
    }
    let groups = track.table.groups.subtracting(SampleTable.groupsInSamples).sorted {
      $0.rawValue < $1.rawValue
    }
    let unwritten = groups.map { "sample group '\($0)'" } + track.unwritten
    if !unwritten.isEmpty {
      description.sideData.append(SideData(unwrittenElements: unwritten))
    }
    // Display flags: all samples are forced (QuickTime File Format, "Subtitle sample description").
    if description.codec == "mov_text", let flags = description.extradata.first, flags & 0x80 != 0 {
      description.disposition.insert(.forced)
    }
    description.metadata = metadata(of: track, description) + description.metadata

    var reader = TrackReader(
      description: description, trackID: track.header.trackID,
      timeline: EditedTimeline(unedited: SampleIndex()))
    reader.failure = failure
    guard failure == nil else { return reader }
    if packing == nil, description.kind != .subtitle {
      describeFurther(used, of: track, blank, in: &reader)
    }
    do throws(MediaError) {
      reader.index = try SampleIndex(
        track.table, packing: packing,
        everySampleIsKey: description.kind == .audio && track.table.syncSample == nil,
        fileSize: source.size)
    } catch {
      reader.failure = error
      reader.failure?.path = "\(track.path)/mdia/minf/\(error.path ?? "stbl")"
      return reader
    }
    // A sequence parameter set may omit the reorder depth (E.2.1). A decoder that discovers it while decoding
    // has already lost frames.
    if description.codec == "h264", description.reorderDepth == 0 {
      reader.description.reorderDepth = reader.index.reorderDepth
    }
    if description.codec == "h263", !description.sampleAspect.isPositive,
      let aspect = pictureAspect(of: reader.index)
    {
      reader.description.sampleAspect = aspect
    }
    let (edits, unapplied) = edits(of: track)
    if !unapplied.isEmpty {
      reader.description.sideData.append(SideData(unwrittenElements: unapplied))
    }
    apply(edits, of: track, to: &reader)
    if let entry = track.descriptions.entries.first, entry.format == "tmcd",
      let sample = reader.index.samples.first
    {
      let timecode = TimecodeTrack(entry: entry, offset: sample.offset, source: source)
      reader.description.metadata += timecode.metadata
    }
    return reader
  }

  /// Returns the pixel aspect ratio from the first frame: a sample entry of H.263 (3GPP TS 26.244 6.7) has
  /// none.
  private func pictureAspect(of index: SampleIndex) -> Rational? {
    guard let first = index.samples.first,
      let bytes = try? source.read(
        at: first.offset, count: min(Int(first.size), H263PictureHeader.longest))
    else { return nil }
    return try? H263PictureHeader(bytes, origin: first.offset).sampleAspect
  }

  private func kind(of track: MovieTrack) -> TrackDescription.Kind {
    switch track.handler.handlerType {
    case "vide": return .video
    case "soun": return .audio
    case "subt", "sbtl", "text", "clcp", "subp":
      return .subtitle
    default:
      guard let format = track.descriptions.entries.first?.format else { return .data }
      return CodecTable.subtitle[format] != nil && track.handler.handlerType != "meta"
        && track.handler.handlerType != "mdir" ? .subtitle : .data
    }
  }

  /// Describes a sample entry; throws if its samples cannot be decoded.
  func code(
    _ entry: SampleDescriptionBox.Entry, of track: MovieTrack,
    into description: inout TrackDescription
  ) throws(MediaError) -> AudioPacking? {
    description.codecTag = entry.format.tag
    guard entry.format.isProtectedEntry else {
      return try read(entry, of: track, into: &description)
    }
    _ = try? read(entry, of: track, into: &description)
    throw MediaError(
      .unsupported, "the track is encrypted (\(entry.format))",
      path: "\(track.path)/mdia/minf/stbl/stsd")
  }

  private func read(
    _ entry: SampleDescriptionBox.Entry, of track: MovieTrack,
    into description: inout TrackDescription
  ) throws(MediaError) -> AudioPacking? {
    var reader = ByteReader(entry.payload, origin: entry.origin)
    let path = "\(track.path)/mdia/minf/stbl/stsd"
    switch description.kind {
    case .video:
      description.codec = CodecTable.video[entry.format] ?? ""
      let visual = try VisualSampleEntry(from: &reader)
      try description.read(visual: visual, format: entry.format, path: path)
    case .audio:
      description.codec = CodecTable.audio[entry.format] ?? ""
      let isQuickTime = layout.isQuickTime || track.descriptions.version == 0
      let audio = try AudioSampleEntry(from: &reader, isQuickTime: isQuickTime)
      return try description.read(
        audio: audio, format: entry.format, isQuickTime: isQuickTime, path: path)
    case .subtitle:
      description.codec = CodecTable.subtitle[entry.format] ?? ""
      try reader.skip(min(8, reader.remaining))
      if entry.format == "mp4s" {
        guard var box = try reader.firstBox(ElementaryStreamBox.type) else { return nil }
        let stream = try ElementaryStreamBox(from: &box)
        description.codec = CodecTable.objectTypes[stream.objectType] ?? description.codec
        description.width = Int(track.header.width >> 16)
        description.height = Int(track.header.height >> 16)
        description.extradata = SubpicturePalette.text(
          stream.decoderSpecific, width: description.width, height: description.height)
      } else {
        description.extradata = Array(try reader.take(reader.remaining))
      }
    case .data where entry.format == "mebx":
      description.codec = "mebx"
      try reader.skip(8)
      description.extradata = Array(try reader.take(reader.remaining))
    default: break
    }
    return nil
  }

  /// Sets the display matrix, and the size and pixel aspect ratio that the sample entry does not store.
  func setDisplayProperties(_ description: inout TrackDescription, _ track: MovieTrack) {
    description.displayMatrix = track.header.matrix.multiplied(by: movie.header.matrix)
    let shownWidth = Int64(track.header.width >> 16)
    let shownHeight = Int64(track.header.height >> 16)
    let width = Int64(description.width)
    let height = Int64(description.height)
    if width == 0 || height == 0 {
      description.width = Int(shownWidth)
      description.height = Int(shownHeight)
    } else if !description.sampleAspect.isPositive, shownWidth > 0, shownHeight > 0,
      shownWidth != width || shownHeight != height
    {
      description.sampleAspect = Rational(reducing: height * shownWidth, width * shownHeight)
    }
    // QuickTime stretches frames by the matrix; other containers have only the pixel aspect ratio for that.
    guard description.kind == .video, let (matrix, stretch) = description.displayMatrix.unstretched
    else { return }
    let aspect = description.sampleAspect.isPositive ? description.sampleAspect : Rational(1, 1)
    description.displayMatrix = matrix
    description.sampleAspect = Rational(
      reducing: Int64(aspect.numerator) * Int64(stretch.numerator),
      Int64(aspect.denominator) * Int64(stretch.denominator))
  }

  private func metadata(of track: MovieTrack, _ description: TrackDescription) -> [MetadataEntry] {
    var entries: [MetadataEntry] = []
    if let date = Dates.text(track.mediaHeader.creationTime)
      ?? Dates.text(track.header.creationTime)
    {
      entries.append(MetadataEntry("creation_time", date))
    }
    if let language = track.mediaHeader.language {
      entries.append(MetadataEntry("language", language))
    }
    if !track.handler.name.isEmpty {
      entries.append(MetadataEntry("handler_name", track.handler.name))
    }
    return entries
      + track.metadata.entries.filter { own in !entries.contains { $0.name == own.name } }
  }

  /// Returns the edit list in units of the track's time scale, and the rates that are not applied.
  private func edits(of track: MovieTrack) -> (edits: [MediaEdit], unapplied: [String]) {
    var unapplied: [String] = []
    let isAudio = kind(of: track) == .audio
    let scale = Int128(max(1, track.mediaHeader.timeScale))
    let movieScale = Int128(max(1, movie.header.timeScale))
    let edits = track.edits.entries.map { entry in
      let scaled = (Int128(entry.duration) * scale + movieScale / 2) / movieScale
      var duration = Int64(clamping: scaled)
      // An edit with duration 0 covers the rest of the media (8.6.6.1; QuickTime's writers do the same).
      if duration == 0, entry.mediaTime >= 0 { duration = MediaEdit.latest }
      var edit = MediaEdit(
        duration: duration, mediaStart: entry.mediaTime == -1 ? nil : entry.mediaTime)
      let rate = Rational(reducing: Int64(entry.rate), 65536)
      // Some writers store the integer 1 instead of 1.0; GStreamer also reads that as normal speed.
      guard edit.mediaStart != nil, ![1, 0x10000].contains(entry.rate) else { return edit }
      if entry.rate < 0 || entry.rate == 0 && movie.isFragmented && !isAudio {
        unapplied.append("speed of an edit at rate \(rate.decimalText)")
      } else if isAudio, !Self.audibleRates.contains(rate.doubleValue) {
        // A held frame has no audio (8.6.6.1), and no resampler reaches the other rates.
        edit.mediaStart = nil
        unapplied.append("audio of an edit at rate \(rate.decimalText)")
      } else {
        edit.rate = rate
      }
      return edit
    }
    return (edits, unapplied.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
  }

  /// Rates at which audio is played, as in compositions.
  private static let audibleRates = 0.01...100.0

  private func apply(_ edits: [MediaEdit], of track: MovieTrack, to reader: inout TrackReader) {
    let kind = reader.description.kind
    let mediaDuration =
      track.mediaHeader.duration == .max ? 0 : Int64(clamping: track.mediaHeader.duration)
    if movie.isFragmented {
      shift(edits, &reader)
    } else if edits.isEmpty, kind == .audio, let priming = gaplessPriming(track) {
      reader.timeline = EditedTimeline(
        reader.index, edits: [MediaEdit(duration: MediaEdit.latest, mediaStart: priming)],
        kind: kind, oneSecond: Int64(track.mediaHeader.timeScale))
    } else if edits.isEmpty, let preSkip = preSkip(reader.description) {
      reader.timeline = EditedTimeline(unedited: reader.index)
      reader.timeline.hide(before: preSkip)
    } else {
      reader.timeline = EditedTimeline(
        reader.index, edits: edits, kind: kind, oneSecond: Int64(track.mediaHeader.timeScale))
    }
    reader.trimsEnd = trimsEnd && kind == .audio
    reader.rewind()

    var description = reader.description
    // Rates need a finer time base, in which the times of all frames stay whole numbers.
    let multiple = reader.timeline.multiple
    func units(_ time: Int64) -> Int64 { EditPace(multiple: multiple).length(time) }
    let shownEdits = edits.filter { $0.mediaStart != nil }
    description.timeBase.denominator = Int32(
      clamping: Int64(description.timeBase.denominator) * multiple)
    description.start = units(reader.timeline.start)
    var duration = mediaDuration > 0 ? mediaDuration : reader.index.end
    // Some writers add the reordering delay to the header's duration; the sample times are more reliable.
    if reader.index.end > 0 { duration = min(duration, reader.index.end) }
    if let shown = reader.timeline.duration {
      let isPlain = shownEdits.count < 2 && shownEdits.allSatisfy { $0.rate == EditPace.normal }
      duration = (kind == .video || !isPlain) && shown > 0 ? shown : min(duration, shown)
    }
    description.duration = duration > 0 ? units(duration) : nil
    if !movie.isFragmented {
      description.packetCount = reader.timeline.segments.reduce(0) {
        $0 + Int64($1.samples.count)
      }
    }
    var begin: Int64 = 0
    let mediaEnd = reader.index.isEmpty ? max(0, mediaDuration) : reader.index.presentationEnd
    for edit in edits {
      // An edit that lasts as long as the media has no numeric duration: limit it to the end of the media.
      let length = edit.length(untilMediaEnd: mediaEnd)
      description.edits.append(
        .init(
          presentationStart: units(begin), duration: units(length),
          mediaStart: edit.mediaStart.map(units), rate: edit.rate.doubleValue))
      begin = begin.addingClamped(length)
    }
    if kind == .audio {
      let priming = Int128(reader.timeline.priming) * Int128(description.sampleRate)
      description.initialPadding = Int(
        clamping: priming / Int128(max(1, track.mediaHeader.timeScale)))
    }
    if kind == .video, !movie.isFragmented, let part = reader.timeline.segments.first {
      description.hiddenFrameCount = part.samples.count {
        reader.index.compositionTime($0) < part.shown.lowerBound
      }
    }
    measure(&description, reader.index, track, mediaDuration)
    if shownEdits.count == 1, !shownEdits[0].isHeld {
      description.pace(by: shownEdits[0].rate)
    } else if multiple > 1, description.baseFrameRate.isPositive {
      let base = description.baseFrameRate
      description.baseFrameRate = Rational(
        reducing: Int64(base.numerator) * multiple, Int64(base.denominator))
    }
    reader.description = description
  }

  /// Returns the pre-skip of Opus, which decoders drop, in units of the track's time base.
  ///
  /// `nil` if there is none.
  ///
  /// Used if the track has no edit list. All times stay as they are: media time 0 is the start of the movie
  /// (14496-12 8.6.6), and the audio becomes audible that much later, as in FFmpeg and browsers.
  private func preSkip(_ track: TrackDescription) -> Int64? {
    guard track.codec == "opus",
      let head = try? OpusConfiguration(head: track.extradata), head.preSkip > 0
    else { return nil }
    return Rational(1, 48000).convert(Int64(head.preSkip), to: track.timeBase)
  }

  private func gaplessPriming(_ track: MovieTrack) -> Int64? {
    let isOnlyAudio = movie.tracks.filter { $0.handler.handlerType == "soun" }.count == 1
    return track.metadata.gaplessPriming ?? (isOnlyAudio ? movie.metadata.gaplessPriming : nil)
  }

  /// Applies the edits of a fragmented movie: the first one shifts all times, as in FFmpeg.
  private func shift(_ edits: [MediaEdit], _ reader: inout TrackReader) {
    var empty: Int64 = 0
    var start: Int64 = 0
    var pace = EditPace()
    for edit in edits {
      if let mediaStart = edit.mediaStart {
        start = mediaStart
        pace = EditPace(
          origin: empty, rate: edit.rate,
          multiple: EditPace.multiple(
            for: [edit.rate], timeScale: Int64(reader.description.timeBase.denominator)))
        // Writers that do not know the end yet store the duration of the movie box's own samples in the edit.
        let end = start.addingClamped(edit.mediaDuration)
        let isKnown =
          (movie.fragmentDuration ?? 0) > 0 && edits.last == edit
          && (reader.index.isEmpty || end > reader.index.end)
        if isKnown { reader.fragmentEnd = end }
        break
      }
      empty = min(empty + edit.duration, MediaEdit.latest)
    }
    reader.fragmentShift = empty - start
    reader.fragmentTrim = max(0, edits.isEmpty ? preSkip(reader.description) ?? 0 : start)
    reader.timeline = EditedTimeline(unedited: reader.index)
    reader.timeline.multiple = pace.multiple
    reader.fragmentPace = pace
    for number in reader.timeline.segments.indices {
      reader.timeline.segments[number].pace = pace
      reader.timeline.segments[number].decodeShift += empty - start
      reader.timeline.segments[number].presentationShift += empty - start
      reader.timeline.segments[number].shown = reader.fragmentTrim..<(.max)
      reader.timeline.segments[number].trimsStart = reader.description.kind == .audio
    }
    reader.timeline.start = empty + (edits.isEmpty ? reader.fragmentTrim : 0)
    if reader.description.kind == .audio { reader.timeline.priming = max(0, start) }
  }

  /// Measures the bit rate and the frame rates from the tables.
  private func measure(
    _ description: inout TrackDescription, _ index: SampleIndex, _ track: MovieTrack,
    _ mediaDuration: Int64
  ) {
    let scale = Int64(track.mediaHeader.timeScale)
    let runs = track.table.timeToSample.runs.filter { $0.count > 0 }
    if mediaDuration > 0, !index.isEmpty {
      let largest = source.size ?? .max
      let bytes = index.samples.reduce(Int128(0)) {
        $0 + (Int64($1.size) <= largest ? Int128($1.size) : 0)
      }
      description.bitRate = Int64(clamping: bytes * 8 * Int128(scale) / Int128(mediaDuration))
    }
    guard description.kind == .video, !runs.isEmpty else { return }
    let count = runs.reduce(Int128(0)) { $0 + Int128($1.count) }
    let length = runs.reduce(Int128(0)) { $0 + Int128($1.count) * Int128($1.duration) }
    if length > 0 {
      description.frameRate = Rational(
        reducing: Int64(clamping: count * Int128(scale)), Int64(clamping: length))
    }
    // The duration of the last sample is not evidence of a rate.
    let steady = runs.count > 1 && runs.last?.count == 1 ? runs.dropLast() : runs[...]
    let step = steady.reduce(UInt32(0)) { $0.greatestCommonDivisor($1.duration) }
    if step > 0 { description.baseFrameRate = Rational(reducing: scale, Int64(step)) }
  }
}

extension TrackDescription {
  /// Adapts the frame rates and the bit rate to media that plays at `rate`.
  mutating func pace(by rate: Rational) {
    func paced(_ value: Rational) -> Rational {
      Rational(
        reducing: Int64(value.numerator) * Int64(rate.numerator),
        Int64(value.denominator) * Int64(rate.denominator))
    }
    guard rate != EditPace.normal else { return }
    if frameRate.isPositive { frameRate = paced(frameRate) }
    if baseFrameRate.isPositive { baseFrameRate = paced(baseFrameRate) }
    bitRate = rate.inverse.convert(bitRate, to: EditPace.normal)
  }
}

extension DisplayMatrix {
  /// Returns the product of this matrix and `other`: the movie's matrix follows the track's (8.2.2, 8.3.2).
  func multiplied(by other: DisplayMatrix) -> DisplayMatrix {
    if other == .identity { return self }
    let left: [[Int128]] = [
      [Int128(a), Int128(b), Int128(u)], [Int128(c), Int128(d), Int128(v)],
      [Int128(x), Int128(y), Int128(w)],
    ]
    let right: [[Int128]] = [
      [Int128(other.a), Int128(other.b), Int128(other.u)],
      [Int128(other.c), Int128(other.d), Int128(other.v)],
      [Int128(other.x), Int128(other.y), Int128(other.w)],
    ]
    func cell(_ row: Int, _ column: Int) -> Int32 {
      // The left matrix has 16.16 in its first two columns, 2.30 in the last.
      let sum =
        (left[row][0] * right[0][column]) >> 16 + (left[row][1] * right[1][column]) >> 16
        + (left[row][2] * right[2][column]) >> 30
      return Int32(clamping: sum)
    }
    return DisplayMatrix(
      a: cell(0, 0), b: cell(0, 1), c: cell(1, 0), d: cell(1, 1), x: cell(2, 0), y: cell(2, 1),
      u: cell(0, 2), v: cell(1, 2), w: cell(2, 2))
  }
}
