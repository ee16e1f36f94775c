import RespoolPlugin

/// The mapping of a track's media to the presentation, and the properties that follow from it.
extension MovieDescriber {
  /// Returns the edit list in units of the track's time scale, and the rates that are not applied.
  func edits(of track: MovieTrack) -> (edits: [MediaEdit], unapplied: [String]) {
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
      } else if isAudio, !TrackDescription.Edit.audibleRates.contains(rate.doubleValue) {
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

  func apply(_ edits: [MediaEdit], of track: MovieTrack, to reader: inout TrackReader) {
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
