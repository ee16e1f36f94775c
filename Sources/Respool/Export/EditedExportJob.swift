import RespoolMedia

/// Run of an export of an edited asset: an output of a reader reads each track, and a thread pushes its samples
/// through its chain.
final class EditedExportJob {
  private let reader: AssetReader
  /// Video tracks with a journal; those encoded in part have a reader that begins at their last part.
  private let resumed: [Int: (journal: ExportJournal, reader: AssetReader)]
  private let interleaver: Interleaver
  private let edited: EditedMedia
  private let media: MediaDescription
  private let chains: ExportChains
  /// Tracks that are passed through.
  private var copied: [(track: Int, stage: PassThroughStage)] = []
  /// File of the asset, from which the sink copies; `nil` for a composition.
  private let file: FileSource?

  /// Subtitles from other files, with the times of the output.
  private let sidecars: SidecarSet

  init(
    _ edited: EditedMedia, _ sidecars: SidecarSet, of file: FileSource?, chains: ExportChains
  ) throws(MediaError) {
    self.edited = edited
    self.sidecars = sidecars
    self.file = file
    self.chains = chains
    media = edited.media.withoutWindowsText
    interleaver = try chains.makeInterleaver(media)
    reader = try AssetReader(asset: edited.asset)
    reader.timeRange = edited.timeRange
    var resumed: [Int: (ExportJournal, AssetReader)] = [:]
    for track in chains.settings.outputTracks {
      // The first frames of a part depend on frames before it, which the filters of a resumed part have not seen. A
      // second pass needs the frames that the first one has measured.
      guard case .convertVideo(let conversion) = track.action, conversion.filters == nil,
        conversion.passes == 1,
        let journal = try chains.journal(track.source, conversion.identity)
      else { continue }
      let isNew = journal.resumePoint == nil
      resumed[track.source] = (journal, isNew ? reader : try AssetReader(asset: edited.asset))
    }
    self.resumed = resumed
  }

  /// Closure that ends the run; may be called from any thread.
  var stop: @Sendable () -> Void {
    { [readers, interleaver, monitor = chains.builder.monitor] in
      monitor.cancel()
      for reader in readers { reader.cancelReading() }
      interleaver.stop {}
    }
  }

  private var readers: [AssetReader] {
    [reader] + resumed.values.map(\.reader).filter { $0 !== reader }
  }

  func run(progress: (@Sendable (Double) -> Void)?) throws(MediaError) -> ExportReport {
    let settings = chains.settings
    interleaver.progress = ProgressPace(of: media, progress)?.report
    defer { chains.builder.abandon() }
    var feeds: [SampleFeed] = []
    for (index, track) in settings.outputTracks.enumerated() {
      let port = chains.port(interleaver, outputIndex: index)
      let description = media.tracks[track.source]
      if description.kind == .attachment {
        try port.attach(description)
      } else if let sidecar = sidecars.sidecar(ofTrack: track.source) {
        try write(sidecar, track, to: port)
      } else {
        feeds.append(try feed(for: track, to: port))
      }
    }
    let readers = readers.filter { !$0.outputs.isEmpty }
    try SampleFeed.run(feeds, from: readers, stop: stop)
    guard interleaver.hasContent,
      !settings.isPassThroughOnly || copied.contains(where: \.stage.hasShown)
    else { throw try nothing(readers) }
    try interleaver.complete()
    let faults = faults(of: readers)
    var report = ExportReport(
      isCopy: settings.isPassThroughOnly, duration: interleaver.writtenSeconds,
      losses: try furtherFrames() + unreadable() + faults.damage + chains.losses(),
      plugins: chains.participants)
    chains.complete(&report, interleaver)
    report.incomplete = try faults.incomplete()
    return report
  }

  private func faults(of readers: [AssetReader]) -> EditedFaults {
    EditedFaults(
      faults: readers.flatMap(\.outputs).flatMap(\.faults), edited: edited,
      writtenSeconds: interleaver.writtenSeconds)
  }

  /// Returns an error that states that the exported part has no media.
  private func nothing(_ readers: [AssetReader]) throws(MediaError) -> MediaError {
    let tracks = chains.settings.outputTracks.map { media.tracks[$0.source] }
    let kinds = [(TrackDescription.Kind.video, "video"), (.audio, "audio")].compactMap {
      kind, name in tracks.contains { $0.kind == kind } ? "no \(name)" : nil
    }
    var missing = kinds.isEmpty ? "nothing" : kinds.joined(separator: " and ")
    let range = edited.timeRange
    if range.start > .zero || range.duration.isNumeric {
      missing += " from \(seconds(range.start))"
      if range.duration.isNumeric { missing += " to \(seconds(range.end))" }
    }
    var reason = "the source has \(missing)"
    let early = try faults(of: readers).incomplete()
    if let early {
      reason += "; \(early)"
    } else {
      let duration = try edited.asset.duration()
      if duration.isNumeric { reason += "; its duration is \(seconds(duration))" }
    }
    return MediaError(
      .unsupported, "nothing to write: \(reason)", detail: early == nil ? nil : .endsEarly)
  }

  private func seconds(_ time: MediaTime) -> String {
    "\((time.seconds * 1000).rounded() / 1000) s"
  }

  /// Returns a sentence for each end of a track at which further frames are shown, because the container cannot
  /// hide them.
  private func furtherFrames() -> [String] {
    guard !chains.settings.muxer.description.flags.contains(.hidesPictures) else { return [] }
    var sentences: [String] = []
    for (track, stage) in copied where media.tracks[track].isMovingPicture {
      for (time, side, edge) in [(stage.lead, "before", "start"), (stage.tail, "after", "end")] {
        let milliseconds = Int((time * 1000).rounded())
        guard milliseconds > 0 else { continue }
        sentences.append(
          "\(TrackNumber(index: track)): \(milliseconds) ms of video \(side) the part are shown: "
            + "decoding needs these frames, and \(chains.settings.container) cannot hide them; "
            + "re-encode for an exact \(edge)")
      }
    }
    return sentences
  }

  /// Returns a sentence for each text overlay that has characters without a glyph.
  private func unreadable() throws(MediaError) -> [String] {
    var losses: [String] = []
    for case .composition(_, let composition) in edited.origins {
      for case .text(let text) in composition.overlays.map(\.content) {
        let drawing = try OverlayDrawing(.text(text), scale: 1, wrapWidth: 0)
        if drawing.unknownCharacters > 0 {
          losses.append(
            "no font has \(drawing.unknownCharacters) of the characters of the text \"\(text.text)\": "
              + "boxes replace them")
        }
      }
    }
    return losses
  }

  /// Writes the subtitles of another file, which the interleaver sorts among the other packets.
  private func write(_ sidecar: Sidecar, _ track: ResolvedSettings.Track, to port: TrackOutput)
    throws(MediaError)
  {
    let stage: any Stage<Packet> =
      if case .convertCaptions(let codec) = track.action {
        try chains.text(codec, track.source, sidecar.track, of: nil, to: port)
      } else {
        PassThroughStage(sidecar.track, of: nil, to: port)
      }
    for packet in sidecar.packets { try stage.consume(packet) }
    try stage.finish()
  }

  private func feed(for track: ResolvedSettings.Track, to port: TrackOutput) throws(MediaError)
    -> SampleFeed
  {
    let description = media.tracks[track.source]
    let (output, timeBase) = try edited.output(
      for: track, of: file,
      leadsAudio: chains.settings.muxer.description.flags.contains(.hidesPictures))
    output.alwaysCopiesSampleData = false
    let resumed = resumed[track.source]
    if let resumed, let point = resumed.journal.resumePoint {
      let start = edited.timeRange.start + MediaTime(point.lastPart, timeBase)
      resumed.reader.timeRange = TimeRange(start: start, end: edited.timeRange.end)
    }
    try (resumed?.reader ?? reader).add(output)
    var feed = SampleFeed(output: output, start: edited.timeRange.start, timeBase: timeBase)
    feed.isPlaced = edited.isPlaced(track.source, in: timeBase)
    func note(_ encoder: AvailablePlugins.Factory) {
      chains.addParticipant(
        "\(TrackNumber(index: track.source)) is encoded by \(encoder.description.name)")
    }
    switch track.action {
    case .passThrough, .drop:
      chains.addParticipant(
        "\(TrackNumber(index: track.source)) (\(description.codec)) is passed through")
      feed.lasts = description.kind == .subtitle || description.isTimedMetadata
      if case .track(let source) = edited.origins[track.source], !source.isSelfContained {
        if feed.lasts {
          feed.keys = JoinedKeys(of: source, in: edited.timeRange)
        } else {
          feed.joined = JoinedTrack(description, of: source, in: edited.timeRange, to: port)
        }
      }
      let stage = PassThroughStage(
        feed.joined?.track ?? description, of: file,
        silencesInfoFrame: chains.settings.muxer.description.name == "mp3",
        fillsGaps: chains.fillsGaps, to: port)
      copied.append((track.source, stage))
      chains.copies.append((track.source, stage))
      feed.packets = stage
    case .convertVideo(let conversion):
      feed.frames = try chains.video(
        conversion, track.source, description, timeBase: timeBase, journal: resumed?.journal,
        to: port)
      note(conversion.encoder)
    case .convertAudio(let conversion):
      feed.frames = try chains.audio(
        conversion, track.source, description, timeBase: timeBase, to: port)
      note(conversion.encoder)
    case .convertCaptions(let codec):
      feed.packets = try chains.text(codec, track.source, description, of: file, to: port)
      feed.lasts = true
    }
    feed.packets = feed.packets.map { chains.utf8(description, of: file, to: $0) }
    return feed
  }
}
