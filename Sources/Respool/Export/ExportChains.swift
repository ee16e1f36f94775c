import Glibc
import RespoolMedia

/// Common part of all exports, of a file or of an edited asset: the muxer, and for each track a chain from
/// decoded media to the file.
final class ExportChains {
  let settings: ResolvedSettings
  let builder: ChainBuilder
  /// File to write; `nil` for chains that only measure.
  private let sink: FileSink?
  /// Tags and covers that are written in addition to the tracks.
  private let tags: FileTags

  /// Journal of a video track, given the text of its settings; `nil`: packets are not stored.
  var journal: (_ track: Int, _ settings: String) throws(MediaError) -> ExportJournal? = { _, _ in
    nil
  }

  /// Statistics of the first pass of the video tracks that are encoded in two passes, by track.
  var statistics: [Int: [UInt8]] = [:]

  /// Subtitles that are drawn into frames, by track.
  var burnt: [Int: SubtitleContent] = [:]

  /// `true` if all bytes of copied packets are compared with those of the output.
  var comparesBytes = false

  /// Filter of the tags of tracks to write; `nil`: all.
  var trackTags: MetadataItemFilter?

  private var videoTracks: [(track: Int, stage: VideoConversionStage)] = []
  private var audioTracks: [(track: Int, stage: AudioConversionStage)] = []
  /// Tracks that are copied.
  var copies: [(track: Int, stage: PassThroughStage)] = []
  private var textTracks: [(track: Int, stage: CaptionStage)] = []
  private var convertedTexts: [WindowsTextStage] = []
  private var burnTracks: [(track: Int, stage: BurnStage, isResumed: Bool)] = []
  private var filters: [(track: Int, chain: FilterChain)] = []
  /// Source media; set when the interleaver is created.
  private var source = MediaDescription(format: "")
  /// Tracks of the file; set when it is complete.
  private(set) var writtenTracks: [WrittenTrack] = []
  /// Plugins that take part and their tasks, one sentence each.
  private(set) var participants: [String] = []

  init(settings: ResolvedSettings, tags: FileTags, builder: ChainBuilder, sink: FileSink?) {
    (self.settings, self.tags, self.builder, self.sink) = (settings, tags, builder, sink)
  }

  func addParticipant(_ sentence: String) { participants.append(sentence) }

  /// Creates the interleaver of the output; `source` is written as far as the settings keep it.
  func makeInterleaver(_ source: MediaDescription) throws(MediaError) -> Interleaver {
    self.source = source
    guard let sink else { throw MediaError(.internal, "chains that measure write no file") }
    guard let muxer = builder.registry.factory(for: settings.muxer) else {
      throw MediaError(.unsupported, "no plugin writes \(settings.container)")
    }
    addParticipant("\(muxer.plugin.name) writes \(settings.container)")
    var media = MediaDescription(format: settings.container)
    (media.metadata, media.nativeTags) = (tags.entries, tags.native)
    media.sideData = tags.records
    if settings.keepsChapters { media.chapters = source.chapters }
    media.sideData += source.sideData.filter { record in
      // Chapter times in a tag are kept with the tags, not with the chapters.
      (record.isAboutChapters || record.type == .chapterTrack)
        && (record.type == .id3Places ? settings.keepsMetadata : settings.keepsChapters)
    }
    media.duration = source.duration
    (media.preferredRate, media.preferredVolume) = (source.preferredRate, source.preferredVolume)
    var muxing = MuxerSettings(options: settings.containerOptions)
    muxing.isOptimizedForNetwork = settings.isOptimizedForNetwork
    muxing.tracks = source.references(of: settings).map { references in
      var track = MuxerSettings.Track()
      track.references = references
      return track
    }
    let trackCount = settings.outputTracks.count
    let interleaver = builder.interleaver(
      muxer, media: media, trackCount: trackCount + tags.covers.count, sink: sink, settings: muxing,
      readsRanges: comparesBytes)
    try tags.write(to: interleaver, after: trackCount)
    return interleaver
  }

  /// Returns a track's port to the muxer, without the tags that are filtered out.
  func port(_ interleaver: Interleaver, outputIndex: Int) -> TrackOutput {
    guard let trackTags else { return TrackOutput(interleaver, index: outputIndex) }
    return TrackOutput(interleaver, index: outputIndex) { track in
      var track = track
      track.metadata.removeAll { entry in
        MetadataNames.isFilterable(entry.name)
          && !trackTags.includes(MetadataItem(name: entry.name, entry.value))
      }
      return track
    }
  }

  /// Returns the chain for decoded frames of the source's track `index`, whose times are in `timeBase`.
  ///
  /// The chain is made from its end, because a stage takes its successor. With a journal, the first frame may be that
  /// of the last stored part of an export that is resumed.
  func video(
    _ conversion: VideoConversion, _ index: Int, _ track: TrackDescription, timeBase: Rational,
    journal: ExportJournal? = nil, to port: TrackOutput
  ) throws(MediaError) -> any Stage<Frame> {
    let statistics = statistics[index]
    return try filteredVideo(
      conversion, index, track, timeBase: timeBase, isResumed: journal?.resumePoint != nil,
      pass: statistics.map { .last(statistics: $0) } ?? .only
    ) { open, timeBase in
      guard let journal else { return EncodeStage(to: port, open: open) }
      return IntervalEncodeStage(journal: journal, timeBase: timeBase, to: port, open: open)
    }
  }

  /// Returns the chain for the first pass of a video track, and its end, which has the statistics afterwards.
  ///
  /// `media` are the tracks of the source; `progress` gets the seconds of video that are measured.
  func analysis(
    _ conversion: VideoConversion, _ index: Int, of media: MediaDescription, timeBase: Rational,
    _ progress: @escaping (Double) -> Void
  ) throws(MediaError) -> (chain: any Stage<Frame>, end: AnalysisStage) {
    source = media
    var end: AnalysisStage?
    let chain = try filteredVideo(
      conversion, index, media.tracks[index], timeBase: timeBase, isResumed: false, pass: .first
    ) { open, timeBase in
      let stage = AnalysisStage(timeBase: timeBase, progress: progress, open: open)
      end = stage
      return stage
    }
    guard let end else { throw MediaError(.internal, "a chain has no encoder") }
    return (chain, end)
  }

  /// Closure that opens an encoder for its first frame.
  private typealias EncoderOpener = (Frame) throws(MediaError) -> EncoderInstance

  /// Returns a chain for decoded frames whose end `makeEnd` creates, given the time base of its frames.
  private func filteredVideo(
    _ conversion: VideoConversion, _ index: Int, _ track: TrackDescription, timeBase: Rational,
    isResumed: Bool, pass: EncoderSettings.Pass,
    to makeEnd: (@escaping EncoderOpener, Rational) -> any Stage<Frame>
  ) throws(MediaError) -> any Stage<Frame> {
    guard let wanted = conversion.filters else {
      return try conversionOfVideo(
        conversion, index, track, timeBase: timeBase, isResumed: isResumed, pass: pass, to: makeEnd)
    }
    var track = track
    track.timeBase = timeBase
    let chain = try builder.filters(wanted, of: track)
    note(wanted, chain, index)
    let video = try conversionOfVideo(
      conversion, index, chain.output, timeBase: chain.output.timeBase, isResumed: isResumed,
      pass: pass, to: makeEnd)
    return try chain.stage(to: builder.queued(video, of: .video))
  }

  private func note(_ wanted: TrackFilters, _ chain: FilterChain, _ index: Int) {
    filters.append((index, chain))
    for filter in wanted.filters {
      guard let factory = builder.registry.factory(for: filter.factory) else { continue }
      addParticipant("\(TrackNumber(index: index)) is filtered by \(factory.label)")
    }
  }

  private func conversionOfVideo(
    _ conversion: VideoConversion, _ index: Int, _ track: TrackDescription, timeBase: Rational,
    isResumed: Bool, pass: EncoderSettings.Pass,
    to makeEnd: (@escaping EncoderOpener, Rational) -> any Stage<Frame>
  ) throws(MediaError) -> any Stage<Frame> {
    let factory = try encoderFactory(conversion.encoder)
    let threads = builder.threads
    // Containers often declare interlaced video progressive: the frames' own flags are more reliable.
    let statesFields = track.fieldOrder.isInterlaced || conversion.fieldOrder.isInterlaced
    // If the container does not state a pixel aspect ratio, the first frame may. The display aspect ratio is
    // kept.
    let isStated = track.sampleAspect.isPositive
    let open = builder.opener(factory) { (frame: Frame) throws(MediaError) in
      var settings = conversion.encoderSettings(
        source: track, timeBase: timeBase, threads: threads)
      settings.pass = pass
      settings.track.sampleAspect =
        isStated || !frame.sampleAspect.isPositive ? conversion.sampleAspect : frame.sampleAspect
      settings.track.completeHighDynamicRange(by: frame)
      if frame.sideData[.dolbyVisionUnit] == nil {
        settings.track.sideData.removeAll { FourCC.dolbyVision.contains($0.type) }
      }
      if !statesFields, let order = frame.fieldOrder {
        settings.track.fieldOrder = order
      }
      return settings
    }
    var encode = makeEnd(open, timeBase)
    if let interval = conversion.keyFrameInterval {
      encode = KeyFrameStage(every: interval, timeBase: timeBase, to: encode)
    }
    let format = VideoFormat(
      pixelFormat: conversion.pixelFormat, width: conversion.width, height: conversion.height,
      color: conversion.color)
    if let subtitles = conversion.subtitles {
      encode = try burn(
        subtitles, into: format, conversion.sampleAspect, timeBase: timeBase,
        isResumed: isResumed, to: encode)
    }
    var orientation = DisplayMatrix.Orientation()
    if case .rotatePixels(let rotation) = conversion.rotation { orientation = rotation }
    let video = VideoConversionStage(
      output: format, orientation: orientation,
      sampleAspect: isStated ? conversion.sampleAspect : nil,
      maximumRate: conversion.maximumFrameRate, timeBase: timeBase, sideData: track.sideData,
      to: encode)
    video.statesFields = statesFields
    videoTracks.append((index, video))
    return video
  }

  /// Returns a stage that draws subtitles into frames; `isResumed` is `true` if earlier frames exist already.
  private func burn(
    _ subtitles: BurntSubtitles, into format: VideoFormat, _ sampleAspect: Rational,
    timeBase: Rational, isResumed: Bool, to next: any Stage<Frame>
  ) throws(MediaError) -> any Stage<Frame> {
    let number = TrackNumber(index: subtitles.track)
    guard let content = burnt[subtitles.track] else {
      throw MediaError(.internal, "the subtitles of \(number) have not been read")
    }
    let images: any SubtitleImages =
      subtitles.factory.description.kind == .filter
      ? try TextImages(
        content, subtitles, fonts: source.tracks.filter(\.isFont), for: format,
        sampleAspect: sampleAspect, builder: builder)
      : try BitmapImages(
        content, subtitles, for: format, sampleAspect: sampleAspect, registry: builder.registry)
    let stage = BurnStage(images, timeBase: timeBase, to: next)
    burnTracks.append((subtitles.track, stage, isResumed))
    addParticipant("\(number) is drawn into frames by \(subtitles.factory.plugin)")
    return stage
  }

  /// Returns the chain for decoded audio of the source's track `index`, whose times are in `timeBase`.
  func audio(
    _ conversion: AudioConversion, _ index: Int, _ track: TrackDescription, timeBase: Rational,
    to port: TrackOutput
  ) throws(MediaError) -> any Stage<Frame> {
    let factory = try encoderFactory(conversion.encoder)
    let encode = EncodeStage(
      to: port,
      open: builder.opener(factory) { (_) throws(MediaError) in
        conversion.encoderSettings(source: track, threads: 1)
      })
    // A track that is alone is encoded on a thread of its own, which saves the time of the stages before, about a
    // sixth. Next to video it would save nothing.
    let next = isAlone ? try builder.queued(encode, of: .audio) : encode
    let startsAtZero =
      settings.outputTracks.count {
        $0.kind != .attachment && ($0.kind != .video || !settings.coverIndexes.contains($0.source))
      } == 1
    let chain = try AudioChain(
      conversion, of: track, timeBase: timeBase, startsAtZero: startsAtZero, builder: builder,
      to: next)
    if let wanted = conversion.filters, let filters = chain.filters { note(wanted, filters, index) }
    audioTracks.append((index, chain.stage))
    return chain.stage
  }

  /// Returns the chain for packets of the source's text track `index`, which are ranges of `file` or contain
  /// their bytes.
  func text(
    _ codec: String, _ index: Int, _ track: TrackDescription, of file: FileSource?,
    to port: TrackOutput
  ) throws(MediaError) -> any Stage<Packet> {
    let stage = try CaptionStage(track, to: codec, of: file, port: port)
    textTracks.append((index, stage))
    addParticipant("\(TrackNumber(index: index)): the text of \(track.codec) becomes \(codec)")
    return stage
  }

  /// Returns the chain for packets of a track; it converts text to UTF-8 if the source has subtitles alone.
  func utf8(_ track: TrackDescription, of file: FileSource?, to next: any Stage<Packet>)
    -> any Stage<Packet>
  {
    guard source.isTextAlone else { return next }
    let stage = WindowsTextStage(track, of: file, to: next)
    convertedTexts.append(stage)
    return stage
  }

  /// `true` if the output has one track, apart from attachments.
  var isAlone: Bool { settings.outputTracks.count { $0.kind != .attachment } == 1 }

  func encoderFactory(_ wanted: AvailablePlugins.Factory) throws(MediaError) -> PluginFactory {
    guard let factory = builder.registry.factory(for: wanted) else {
      throw MediaError(
        .unsupported, "the encoder \(wanted.description.name) is not available",
        detail: .encoderNotFound)
    }
    return factory
  }

  private static let ignoredGaps =
    "audio times have implausibly large gaps; the audio continues without the gaps"

  /// `true` if the container cannot store gaps between packets of PCM, so that they are filled with silence.
  var fillsGaps: Bool { !settings.muxer.description.flags.contains(.keepsGaps) }

  /// Returns the losses caused by the output's format and the times of the source, one sentence each.
  func losses() -> [String] {
    var losses = tags.losses + settings.decisions.compactMap(\.loss)
    func add(_ track: Int, _ loss: String) {
      losses.append("\(TrackNumber(index: track)): \(loss)")
    }
    for (track, stage) in videoTracks where stage.outOfOrderCount > 0 {
      add(
        track,
        stage.outOfOrderCount == 1
          ? "a frame was out of order and was left out"
          : "\(stage.outOfOrderCount.counting("frame", "was", "were")) out of order and left out")
    }
    for (track, chain) in filters where chain.outOfOrderCount > 0 {
      add(
        track,
        "\(chain.outOfOrderCount.counting("frame", "was", "were")) out of order and not filtered")
    }
    for (track, stage) in videoTracks where stage.hasUnstatedFields {
      add(
        track,
        "frames are interlaced, which the file does not state; each field is scaled by itself, "
          + "and players that do not deinterlace show combing in motion")
    }
    for (track, stage) in videoTracks where stage.hasCaptions && !keepsClosedCaptions(track) {
      losses.append("lost: the closed captions of \(TrackNumber(index: track))")
    }
    for (track, stage) in videoTracks where keepsDolbyVision(track) && stage.otherCount > 0 {
      add(
        track,
        stage.dolbyVisionCount == 0
          ? "Dolby Vision is dropped: its decoder gives no data of it"
          : "\(stage.otherCount.counting("frame", "has", "have")) no data of Dolby Vision")
    }
    for (track, stage) in videoTracks where stage.hasTimecodes {
      let first = stage.firstTimecode.map { ", from \($0)" } ?? ""
      losses.append("lost: the timecodes in the frames of \(TrackNumber(index: track))\(first)")
    }
    for (track, stage) in videoTracks where stage.hasLostAlpha {
      add(
        track,
        "the alpha channel is lost: transparent parts of the source are drawn on black")
    }
    for (track, gaps) in copies.compactMap({ copy in copy.stage.gaps.map { (copy.track, $0) } }) {
      if gaps.insertedSeconds > 0.1, let first = gaps.firstGap {
        add(
          track,
          "to keep audio in sync, \(milliseconds(gaps.insertedSeconds)) ms of silence were "
            + "inserted, first at \(first.decimalText) s")
      }
      if gaps.ignoredGaps > 0 { add(track, Self.ignoredGaps) }
    }
    for (track, stage) in audioTracks
    where stage.insertedSeconds > 0.1 || stage.droppedSeconds > 0.1 {
      let (put, cut) = (milliseconds(stage.insertedSeconds), milliseconds(stage.droppedSeconds))
      let first = stage.firstCorrection.map { ", first at \($0.decimalText) s" } ?? ""
      add(
        track,
        "to keep audio in sync, \(put) ms of silence were inserted and \(cut) ms dropped\(first)")
    }
    for (track, stage) in audioTracks where stage.ignoredGaps > 0 {
      add(track, Self.ignoredGaps)
    }
    for (track, stage) in audioTracks where stage.slowTimestampFrames > 0 {
      add(track, "audio times advance more slowly than the audio plays; all audio is kept")
    }
    for (track, stage) in audioTracks where stage.clippedSamples > 0 {
      let level = (20 * log10(stage.peak) * 100).rounded() / 100
      add(
        track,
        "\(stage.clippedSamples) audio samples above full scale are clipped; the peak is "
          + "\(level.decimalText) dB")
    }
    for (track, stage, _) in burnTracks {
      for loss in stage.losses { add(track, loss) }
    }
    for track in undrawn { add(track, "no line of the subtitles was shown in the frames") }
    for (track, stage) in textTracks {
      if stage.damagedPackets > 0 {
        let reason = stage.firstDamage.map { ": \($0.description)" } ?? ""
        let count = stage.damagedPackets
        add(track, "\(count.counting("packet", "is", "are")) not valid text\(reason)")
      }
      if !stage.losses.isEmpty {
        add(track, "the text is kept without \(stage.losses.joined(separator: ", "))")
      }
    }
    return losses + settings.drops(of: source)
  }

  /// Sets the notes, of the settings and of the encoders, and the tracks with and without samples.
  func complete(_ report: inout ExportReport, _ interleaver: Interleaver) {
    let hasDrawn = undrawn.isEmpty
    let decisions = settings.decisions.filter { hasDrawn || $0.setting.property != .named("burn") }
    report.notes =
      decisions.compactMap(\.note) + builder.monitor.warnings + measurements
      + convertedTexts.filter(\.hasFound).map { _ in WindowsText.note }
    writtenTracks = interleaver.writtenTracks
    let tracks = settings.outputTracks
    // An attached file has no samples.
    report.emptyTracks = Set(
      interleaver.emptyTracks.filter { tracks.indices.contains($0) }.map { tracks[$0] }
        .filter { $0.kind != .attachment }.map(\.source))
  }

  /// Tracks of subtitles that were to be drawn and are in no frame.
  private var undrawn: [Int] {
    burnTracks.filter { !$0.stage.hasDrawn && !$0.isResumed }.map(\.track)
  }

  /// Results of the filters that measure, one sentence each.
  private var measurements: [String] {
    filters.flatMap { track, chain in
      chain.results.map { filter, results in
        "\(TrackNumber(index: track)): \(filter) measured "
          + results.map(\.description).joined(separator: ", ")
      }
    }
  }

  private func keepsClosedCaptions(_ source: Int) -> Bool {
    conversion(of: source)?.encoder.description.flags.contains(.keepsCaptions) ?? false
  }

  private func keepsDolbyVision(_ source: Int) -> Bool {
    conversion(of: source)?.keepsDolbyVision ?? false
  }

  /// Returns the conversion of a video track of the source; `nil` if it is not converted.
  private func conversion(of source: Int) -> VideoConversion? {
    for track in settings.tracks where track.source == source {
      if case .convertVideo(let conversion) = track.action { return conversion }
    }
    return nil
  }

  private func milliseconds(_ seconds: Double) -> Int { Int((seconds * 1000).rounded()) }
}
