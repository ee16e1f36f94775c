import Glibc
import RespoolHost
import RespoolMedia

/// Writer of the output of a prepared export, in one pass or more.
struct ExportWriter {
  let prepared: PreparedExport
  /// File of the asset; `nil` for a composition.
  let source: FileSource?
  let resolver: ExportResolver
  let threads: Int
  let run: ExportRun
  /// Stored state of a resumable export; `nil` if the export is not resumable.
  let resumption: ResumableExport?
  /// Locks of the files that have been written.
  private(set) var locks: [OpenFile] = []
  /// Results of the measurement of loudness, by track.
  private(set) var loudness: [LoudnessPass.Result] = []

  /// Subtitles that are drawn into frames, by track.
  private(set) var burnt: [Int: SubtitleContent] = [:]

  /// Statistics of the first pass of the video tracks that are encoded in two passes, by track.
  private(set) var statistics: [Int: [UInt8]] = [:]
  /// Files of encoders that pass these statistics in files.
  private let scratch = ScratchFiles()

  private var configuration: ExportConfiguration { resolver.configuration }
  private var registry: PluginRegistry { resolver.registry }

  /// Writes the output to `path`; after an error nothing is left there.
  mutating func write(
    to path: String, _ settings: ResolvedSettings, _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> ExportReport {
    if resumption != nil { PendingFile.removeAbandoned(in: PathName.folder(path)) }
    var settings = settings
    let (notes, share) = try measureLoudness(&settings, progress)
    for track in settings.outputTracks {
      guard case .convertVideo(let conversion) = track.action,
        let index = conversion.subtitles?.track, burnt[index] == nil
      else { continue }
      let reading = SubtitleReading(
        prepared: prepared, source: source, registry: registry, run: run)
      burnt[index] = try reading.content(of: index, settings)
    }
    let measured = try analyze(settings) { progress(share + $0 * (1 - share)) }
    let begin = share + measured * (1 - share)
    var report = try writePasses(to: path, settings) { progress(begin + $0 * (1 - begin)) }
    report.notes += notes
    report.losses += lostLoudness(settings)
    return report
  }

  /// Returns a sentence for each track whose measured loudness has no tags: those of a file are for its first track.
  private func lostLoudness(_ settings: ResolvedSettings) -> [String] {
    settings.outputTracks.filter { $0.kind == .audio && $0.statesLoudness }.dropFirst().compactMap {
      track in
      guard let before = loudness.first(where: { $0.track == track.source })?.before else {
        return nil
      }
      return
        "lost: the loudness of \(TrackNumber(index: track.source)), "
        + "\(LoudnessPass.Result.rounded(before)) LUFS: the tags are for the first audio track"
    }
  }

  /// Part of the work that measures loudness, if the output has nothing but the measured audio.
  private static let loudnessShare = 0.4

  /// Measures the audio whose loudness the preset sets or states, and gives `settings` the levels that follow.
  ///
  /// Returns notes, and the part of the work that this was.
  private mutating func measureLoudness(
    _ settings: inout ResolvedSettings, _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> (notes: [String], share: Double) {
    var tracks: [Int: MeasuredAudio] = [:]
    for track in settings.outputTracks where track.kind == .audio {
      switch track.action {
      case .convertAudio(let conversion) where track.statesLoudness || conversion.loudness != nil:
        tracks[track.source] = MeasuredAudio(conversion)
      case .passThrough where track.statesLoudness:
        tracks[track.source] = MeasuredAudio(prepared.media.tracks[track.source])
      default: continue
      }
    }
    guard !tracks.isEmpty else { return ([], 0) }
    let share =
      settings.outputTracks.contains {
        $0.kind == .video && !settings.coverIndexes.contains($0.source)
      }
      ? Self.loudnessShare / 10 : Self.loudnessShare
    let pace = ProgressPace(of: prepared.media) { progress($0 * share) }
    let results = try LoudnessPass.run(&tracks) { (tracks) throws(MediaError) in
      try measure(tracks) { pace?.report($0) }
    }
    loudness = results
    var notes: [String] = []
    for (index, track) in settings.tracks.enumerated() {
      guard let audio = tracks[track.source], case .convertAudio(var conversion) = track.action
      else { continue }
      conversion.level = audio.level
      settings.tracks[index].action = .convertAudio(conversion)
      if let note = results.first(where: { $0.track == track.source })?.note(audio) {
        notes.append(note)
      }
    }
    if tagsOfSource(settings).statesLoudness {
      notes.append(
        "the source's tags about its loudness (ReplayGain) are left out: "
          + (settings.tracks.contains(where: \.statesLoudness)
            ? "new ones were measured" : "the loudness is another one"))
    }
    return (notes, share)
  }

  /// Reads audio tracks, each into a meter; `progress` gets the seconds of audio that have been measured.
  private func measure(_ tracks: [Int: MeasuredAudio], _ progress: @escaping (Double) -> Void)
    throws(MediaError) -> [Int: LoudnessMeter]
  {
    let reading = reading()
    let meters = tracks.mapValues {
      LoudnessStage(rate: $0.meterRate, layout: $0.channelLayout, progress: progress)
    }
    try reading.read(tracks.keys) { (edited, track) throws(MediaError) in
      try edited.audioOutput(for: track)
    } through: { (track, media, base) throws(MediaError) in
      guard let audio = tracks[track], let meter = meters[track] else {
        throw MediaError(.internal, "a track has no meter")
      }
      return try AudioChain(
        measuring: audio, of: media.tracks[track], timeBase: base, builder: reading.builder,
        to: meter
      ).stage
    }
    return meters.mapValues(\.meter)
  }

  private func reading() -> TrackReading {
    TrackReading(
      prepared: prepared, source: source,
      builder: ChainBuilder(registry: registry, threads: threads, scratch: scratch), run: run)
  }

  // MARK: Two passes

  /// Part of the work that is the first of two passes.
  private static let analysisShare = 0.3

  /// Makes the first pass of the video tracks that are encoded in two; returns the part of the work that this was.
  private mutating func analyze(
    _ settings: ResolvedSettings, _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> Double {
    var conversions: [Int: (track: ResolvedSettings.Track, video: VideoConversion)] = [:]
    for track in settings.outputTracks {
      guard case .convertVideo(let video) = track.action, video.passes > 1 else { continue }
      conversions[track.source] = (track, video)
    }
    guard !conversions.isEmpty else { return 0 }
    let reading = reading()
    let chains = ExportChains(
      settings: settings, tags: FileTags(), builder: reading.builder, sink: nil)
    chains.burnt = burnt
    let pace = ProgressPace(of: prepared.media) { progress($0 * Self.analysisShare) }
    var ends: [Int: AnalysisStage] = [:]
    try reading.read(conversions.keys) { (edited, track) throws(MediaError) in
      guard let conversion = conversions[track] else {
        throw MediaError(.internal, "a track is not converted")
      }
      return try edited.output(for: conversion.track, of: source)
    } through: { (track, media, base) throws(MediaError) in
      guard let conversion = conversions[track] else {
        throw MediaError(.internal, "a track is not converted")
      }
      let analysis = try chains.analysis(conversion.video, track, of: media, timeBase: base) {
        pace?.report($0)
      }
      ends[track] = analysis.end
      return try reading.builder.queued(analysis.chain, of: .video)
    }
    statistics = ends.mapValues(\.statistics)
    return Self.analysisShare
  }

  private mutating func writePasses(
    to path: String, _ settings: ResolvedSettings, _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> ExportReport {
    let limit = FileLengthLimit(configuration, settings)
    guard limit != nil || resumption != nil else {
      return try writeOnce(to: path, settings, progress)
    }
    guard let limit else {
      guard !fileExists(path) else { throw .system("cannot be created", EEXIST, file: path) }
      // A killed process leaves no incomplete file at `path` that would prevent the next export.
      let file = PendingFile(for: path)
      let report = try writeOnce(to: file.path, settings, progress)
      try file.complete(replacing: false)
      return report
    }
    return try limit.meet(at: path, settings, prepared.media, progress) {
      (path, settings, pass, progress) throws(MediaError) in
      try writeOnce(to: path, settings, pass: pass, progress)
    }
  }

  /// Writes with `settings`; opens the source again if it has been read before.
  ///
  /// The stored parts of a resumable export are separate for each pass.
  private mutating func writeOnce(
    to path: String, _ settings: ResolvedSettings, pass: Int = 0,
    _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> ExportReport {
    let tags = tags(settings)
    let demuxer = prepared.demuxer?.take()
    let attributes = configuration.keepsFileAttributes ? source?.attributes : nil
    let sink = try FileSink(
      path: path, source: source, permissions: attributes?.whileWriting ?? 0o666)
    let chains = ExportChains(
      settings: tags.covers.isEmpty ? settings : settings.withoutCovers, tags: tags,
      builder: ChainBuilder(registry: registry, threads: threads, scratch: scratch), sink: sink)
    chains.journal = { [resumption] (track, conversion) throws(MediaError) in
      try resumption?.journal(pass: pass, track: track, settings: conversion)
    }
    chains.burnt = burnt
    chains.statistics = statistics
    chains.comparesBytes = configuration.verification != .usual
    // A track's title is its name, by which users choose it.
    let names = MetadataItemFilter { $0.tagName?.lowercased() == "title" }
    chains.trackTags = configuration.metadataItemFilter ?? (settings.keepsMetadata ? nil : names)
    do throws(MediaError) {
      let isFull = configuration.verification == .full
      let share = isFull ? Self.exportShare : 1
      var report = try push(demuxer, through: chains) { done in
        progress(done * Self.writingShare * share)
      }
      try sink.finish(with: attributes)
      if let lock = sink.lock { locks.append(lock) }
      let check = OutputCheck(
        source: prepared.media, settings: chains.settings,
        isEdited: prepared.edited != nil, emptyTracks: report.emptyTracks, tags: tags,
        trackTags: chains.trackTags)
      let (media, losses, doubts) = try readBack(path, chains.writtenTracks) { read in
        progress((Self.writingShare + read * (1 - Self.writingShare)) * share)
      }
      if let difference = check.trackDifference(in: media) ?? check.shapeDifference(in: media) {
        throw MediaError(
          .pluginFailure, "the output is not what was written: \(difference)", file: path)
      }
      report.losses += check.losses(in: media) + losses
      report.doubts += check.doubts(of: media) + doubts
      if media.endsEarly {
        report.doubts.append("the output is cut off" + (media.warning.map { ": \($0)" } ?? ""))
      }
      if isFull {
        report.notes += try verify(path, chains.writtenTracks, report.incomplete?.time) { done in
          progress(Self.exportShare + done * (1 - Self.exportShare))
        }
      }
      return report
    } catch {
      sink.discard()
      var error = error
      // A container refuses something in the source. The output is removed, so the error names the input.
      if error.file == path, error.code != .io { error.file = source?.path ?? "composition" }
      throw error
    }
  }

  /// Part of the work that is not reading back the packets.
  private static let writingShare = 0.98
  /// Part of the work that is not the check of the whole output.
  private static let exportShare = 0.75

  /// Decodes the whole output; returns notes on tracks that could not be decoded.
  ///
  /// Throws `pluginFailure` if the output is damaged, or is not what was written.
  private func verify(
    _ path: String, _ written: [WrittenTrack], _ earlyEnd: Double?,
    _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> [String] {
    let cancellation = ReadCancellation()
    return try run.perform(stoppedBy: { cancellation.cancel() }) { () throws(MediaError) in
      try WholeOutputCheck(
        path: path, written: written, registry: registry, threads: threads, earlyEnd: earlyEnd
      ).run(cancelledBy: cancellation, progress)
    }
  }

  /// Pushes the media of the source through the chains.
  private func push(
    _ demuxer: DemuxerInstance?, through chains: ExportChains,
    _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> ExportReport {
    if let edited = prepared.edited {
      let job = try EditedExportJob(
        edited, prepared.sidecars, of: source, chains: chains)
      return try run.perform(stoppedBy: job.stop) { () throws(MediaError) in
        try job.run(progress: progress)
      }
    }
    guard let source else { throw MediaError(.internal, "a composition was not prepared") }
    let job = try ExportJob(
      source: source, demuxer: opened(source, demuxer, for: chains.settings),
      known: prepared.media.tracks, sidecars: prepared.sidecars.sidecars, chains: chains)
    return try run.perform(stoppedBy: job.stop) { () throws(MediaError) in
      try job.run(progress: progress)
    }
  }

  /// Returns the tags to write, with those of the measured loudness.
  private func tags(_ settings: ResolvedSettings) -> FileTags {
    var tags = tagsOfSource(settings)
    guard !loudness.isEmpty else { return tags }
    tags.removeLoudness()
    guard let track = settings.outputTracks.first(where: { $0.kind == .audio }),
      track.statesLoudness,
      let result = loudness.first(where: { $0.track == track.source })
    else { return tags }
    var codec = prepared.media.tracks[track.source].codec
    if case .convertAudio(let conversion) = track.action { codec = conversion.codec }
    tags.add(result.tags(ofOggOpus: codec == "opus" && settings.container == "ogg"))
    return tags
  }

  /// Returns the tags of the configuration if it sets any, else those of the source.
  private func tagsOfSource(_ settings: ResolvedSettings) -> FileTags {
    let available = resolver.available
    func tags(_ items: [MetadataItem]) -> FileTags {
      FileTags(items, for: settings.muxer.description) {
        available.refusal(of: settings.muxer, for: $0)
      }
    }
    if let metadata = configuration.metadata { return tags(metadata) }
    guard settings.keepsMetadata else { return FileTags() }
    let media = prepared.media
    var kept: FileTags
    if let filter = configuration.metadataItemFilter {
      kept = tags(
        MetadataItem.items(of: media).filter {
          filter.includes($0) && !MetadataEntry($0.tagName ?? "", "").namesEncoder
        })
      kept.keepDate(of: media, filter)
    } else {
      kept = FileTags(of: media)
    }
    if prepared.edited != nil { kept.removeDisplayTimes() }
    if let audio = settings.outputTracks.first(where: { $0.kind == .audio }) {
      let rate = media.tracks[audio.source].sampleRate
      var newRate = rate
      if case .convertAudio(let conversion) = audio.action { newRate = conversion.sampleRate }
      kept.moveTimeReference(
        by: prepared.edited?.timeRange.start ?? .zero, from: rate, to: newRate)
    }
    return kept
  }

  /// Returns the demuxer for the settings: `demuxer` if it was opened in the right mode and not read yet.
  ///
  /// The frame times that a demuxer provides depend on whether the frames are decoded or copied. That is known
  /// only after the file's contents are known.
  private func opened(
    _ source: FileSource, _ demuxer: DemuxerInstance?, for settings: ResolvedSettings
  ) throws(MediaError) -> DemuxerInstance {
    let demuxer = if let demuxer { demuxer } else { try registry.openDemuxer(source) }
    let changesTimes = demuxer.factory.description.packetTiming.contains(.shownTimes)
    guard changesTimes, settings.copiesReordered(prepared.media) else { return demuxer }
    return try registry.openDemuxer(source, for: .copying)
  }

  /// Reads the description of a written output, and the packets of its tracks.
  ///
  /// Throws `pluginFailure` if it cannot be read or is not what was written.
  ///
  /// Returns also what was lost in encoding, and reasons not to trust the file, one sentence each.
  ///
  /// `progress` gets the part that has been read: reading a large file from a slow disk takes as long as writing it.
  private func readBack(
    _ path: String, _ written: [WrittenTrack], _ progress: (Double) -> Void
  ) throws(MediaError) -> (media: MediaDescription, losses: [String], doubts: [String]) {
    let cancellation = ReadCancellation()
    return try run.perform(stoppedBy: { cancellation.cancel() }) { () throws(MediaError) in
      do throws(MediaError) {
        let file = try FileSource(path: path)
        return try cancellation.covering(file) { () throws(MediaError) in
          let demuxer = try registry.openDemuxer(file, for: .verifying)
          let found = try OutputComparison(written, registry).check(demuxer, progress)
          return (demuxer.media, found.losses, found.doubts)
        }
      } catch {
        if [.pluginFailure, .cancelled].contains(error.code) { throw error }
        throw MediaError(
          .pluginFailure, "the output that was written cannot be read back", file: path,
          cause: error.description)
      }
    }
  }
}

extension ResolvedSettings {
  /// Returns `true` if a video track is copied whose presentation order differs from its decoding order.
  fileprivate func copiesReordered(_ media: MediaDescription) -> Bool {
    outputTracks.contains { track in
      guard case .passThrough = track.action, media.tracks.indices.contains(track.source) else {
        return false
      }
      return media.tracks[track.source].kind == .video
        && media.tracks[track.source].reorderDepth > 0
    }
  }
}
