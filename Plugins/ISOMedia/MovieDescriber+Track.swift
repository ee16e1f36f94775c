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

  /// `true` if a track was created at another time than its media and the movie, in QuickTime by an edit.
  private func hasOwnDate(_ track: MovieTrack) -> Bool {
    let date = track.header.creationTime
    return date != 0
      && [track.mediaHeader.creationTime, movie.header.creationTime].allSatisfy {
        // Writers store each a little later than the one before.
        $0 != 0 && max(date, $0) - min(date, $0) > 2
      }
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
    var unwritten = groups.map { "sample group '\($0)'" } + track.unwritten
    if hasOwnDate(track) { unwritten.append("date of the track header (tkhd)") }
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
    if description.codec == "mp3", let header = audioHeader(of: reader.index) {
      reader.description.codec = "mp\(header.layer)"
      if description.channelLayout.channelCount != header.channelCount {
        reader.description.channelLayout = header.channelCount == 1 ? .mono : .stereo
      }
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

  /// Returns the header of the first frame of MPEG audio.
  ///
  /// The object types of MPEG-1 and MPEG-2 audio stand for all three layers (ISO/IEC 14496-1 table 5), and many sample
  /// entries state two channels for any number.
  private func audioHeader(of index: SampleIndex) -> MPEGAudioHeader? {
    guard let first = index.samples.first,
      let bytes = try? source.read(
        at: first.offset, count: min(Int(first.size), MPEGAudioHeader.byteCount))
    else { return nil }
    return MPEGAudioHeader(bytes)
  }

  func kind(of track: MovieTrack) -> TrackDescription.Kind {
    switch track.handler.handlerType {
    // `pict`: a sequence of images (ISO/IEC 23008-12, 7.2).
    case "vide", "pict": return .video
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
      description.codec = CodecTable.video(entry.format) ?? ""
      let visual = try VisualSampleEntry(from: &reader)
      try description.read(visual: visual, format: entry.format, path: path)
    case .audio:
      description.codec = CodecTable.audio(entry.format) ?? ""
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
