public import RespoolMedia
import Synchronization

/// Converts an asset, a file or a composition, by a preset.
///
/// `export` opens the source, settles every setting and writes the file; ``states(updateInterval:)`` tells its
/// progress. `prepare` settles the settings alone. It blocks, as does ``exportAndWait(to:progress:)``: call these
/// from a thread that may, never from Swift's cooperative pool. `cancel` may come from any thread.
// Sendable: prepare and export are called by one thread at a time; cancelling is behind the lock.
public final class ExportSession: @unchecked Sendable {
  public let asset: Asset
  public let preset: Preset
  public let registry: PluginRegistry
  /// How many threads the conversion may use, 1 or more.
  public let threads: Int

  /// Whether other files are converted meanwhile, as a batch does; false unless set.
  ///
  /// Set before `prepare`. Encoders then leave cores to the others, which may change the bytes that they make;
  /// `threads` and the machine never do.
  public var isOneOfMany = false
  /// What of the asset is exported; everything unless set before `prepare`.
  public var timeRange = ExportSession.everything
  /// How sound tracks are mixed; of a composition all are, each as loud as it is, unless set.
  ///
  /// Set before `prepare`. Tracks are not passed through then; the preset `passthrough` takes no notice.
  public var audioMix: AudioMix?
  /// How picture tracks are composed; the first is shown unless set.
  ///
  /// Set before `prepare`. Tracks are not passed through then; the preset `passthrough` takes no notice.
  public var videoComposition: VideoComposition?
  /// Whether sound tracks that are mixed stay apart, each as loud as the mix says; false unless set.
  ///
  /// For files whose tracks are alternatives, such as languages. Set before `prepare`.
  public var keepsSoundTracksApart = false
  /// How pictures are turned besides; nil: they are shown as their tracks say.
  ///
  /// Set before `prepare`. It is written as metadata where the container has a place for it and the
  /// preset does not turn the pictures themselves; a video composition has turns of its own.
  public var pictureTurn: PictureTurn?
  /// What is written as tags; nil: what the asset has, as far as the preset keeps it.
  ///
  /// Items of artwork take the place of the asset's covers, which are tracks and stay otherwise. What the
  /// container has no place for is told as a loss.
  public var metadata: [MetadataItem]?
  /// Which of the asset's tags are written; nil: all.
  ///
  /// Tags of its tracks too. What is set as `metadata` is written whatever the filter says. A track of timed
  /// metadata is written where all of its keys are let through.
  public var metadataItemFilter: MetadataItemFilter?

  /// About how many bytes the output may have; 0: as many as it needs.
  ///
  /// Where the preset makes a longer file, bit rates are chosen so that it is met, in a second pass in which
  /// pictures are encoded anew.
  public var fileLengthLimit: Int64 = 0

  /// `true` if the output gets the permissions and times of the asset's file; `false` by default.
  ///
  /// Set before `export`. Without effect on a composition.
  package var keepsFileAttributes = false

  let run = Run()
  var wishes = Wishes()
  /// The preset by AVFoundation's name that it was made with.
  var named: ExportPreset?
  /// What makes it one that can be interrupted.
  var resumption: ResumableExport?
  private let source: FileSource?
  /// Locks of the files that this session has written: whoever gives them their names still has it.
  private var locks: [FileLock] = []
  private var demuxer: DemuxerInstance?
  private(set) var edited: EditedMedia?
  private var resolved: ResolvedSettings?
  private let cancelling = Mutex<(isCancelled: Bool, stop: (@Sendable () -> Void)?)>((false, nil))

  private static let everything = TimeRange(start: .zero, duration: .positiveInfinity)

  /// Opens the file `input` for reading.
  ///
  /// Throws `io` where that is not possible.
  public convenience init(
    input: String, preset: Preset, registry: PluginRegistry = .standard, threads: Int = 1
  ) throws(MediaError) {
    try self.init(
      asset: Asset(path: input, registry: registry), preset: preset, registry: registry,
      threads: threads)
  }

  /// `registry` has the encoders and the muxer.
  ///
  /// Throws `io` where the asset is a file that cannot be opened.
  public init(asset: Asset, preset: Preset, registry: PluginRegistry = .standard, threads: Int = 1)
    throws(MediaError)
  {
    self.asset = asset
    self.preset = preset
    self.registry = registry
    self.threads = max(1, threads)
    source = if let path = asset.path { try FileSource(path: path) } else { nil }
  }

  deinit { run.close() }

  /// The file; what the asset is where it is none.
  public var input: String { asset.path ?? "composition" }

  /// What is in the source; after `prepare`.
  public private(set) var media: MediaDescription?

  /// The plugin that reads the source and why it was chosen; after `prepare`.
  public var demuxerReason: String? { demuxer?.reason }

  private var isEdited: Bool {
    asset.path == nil || timeRange != Self.everything || audioMix != nil
      || videoComposition != nil || pictureTurn != nil
  }

  /// Finds out what is in the source and settles what is to be made of it.
  ///
  /// Throws `unsupported` where no plugin reads the file, `malformed` where it is broken,
  /// `invalidArgument` for a time range that has no numbers or in which there is nothing.
  public func prepare() throws(MediaError) -> ResolvedSettings {
    do throws(MediaError) { return try prepared() } catch {
      throw registry.explaining(error).inFile(input)
    }
  }

  private func prepared() throws(MediaError) -> ResolvedSettings {
    if let resolved { return sharing(resolved) }
    guard !isEdited, let source else { return try prepareEdited() }
    try checkWishes()
    let demuxer = try registry.openDemuxer(source)
    self.demuxer = demuxer
    return try registry.resolved(demuxer.media, of: source, for: outputFileType.rawValue) {
      (media) throws(MediaError) in try settle(media)
    }
  }

  /// As `prepare`, to read each track by itself, from any time on.
  func prepareEdited() throws(MediaError) -> ResolvedSettings {
    if edited != nil, let resolved { return sharing(resolved) }
    try checkWishes()
    let edited = try editedMedia()
    (self.edited, demuxer) = (edited, nil)
    let settings = try settle(edited.media)
    guard let start = try edited.syncStart(settings) else { return settings }
    let lead = edited.timeRange.start - start
    let longer = try editedMedia(startingAt: start)
    self.edited = longer
    return try settle(longer.media, lead: lead)
  }

  /// `lead`: how much earlier than asked for the part begins.
  private func settle(_ media: MediaDescription, lead: MediaTime = .zero) throws(MediaError)
    -> ResolvedSettings
  {
    self.media = media
    var settings = try resolve(
      edited.map(SourceMedia.init) ?? SourceMedia(media), as: outputFileType.rawValue,
      registry.availablePlugins)
    settings.decisions += edited?.losses ?? []
    // A muxer that cannot be opened refuses every track. Its own error says why.
    _ = try registry.factory(for: settings.muxer)?.opened()
    if lead > .zero { settings.decisions.append(.init(lead: lead, container: settings.container)) }
    resolved = settings
    return sharing(settings)
  }

  /// `start` takes the place of the time range's.
  private func editedMedia(startingAt start: MediaTime? = nil) throws(MediaError) -> EditedMedia {
    let part = start.map { TimeRange(start: $0, end: timeRange.end) } ?? timeRange
    // What is passed through is neither mixed nor composed.
    let isCopied = named == .passthrough
    return try EditedMedia(
      asset, timeRange: part, audioMix: isCopied ? nil : audioMix,
      videoComposition: isCopied ? nil : videoComposition, pitch: audioTimePitchAlgorithm,
      pictureTurn: pictureTurn, mixesSounds: !isCopied,
      keepsSoundsApart: keepsSoundTracksApart || preservesAlternates)
  }

  /// What is in the source as it is asked for now, and why tracks of it cannot be copied; nothing is settled
  /// by it.
  func sourceMedia() throws(MediaError) -> SourceMedia {
    if let media { return edited.map(SourceMedia.init) ?? SourceMedia(media) }
    try checkWishes()
    guard isEdited else { return SourceMedia(try asset.mediaDescription()) }
    return SourceMedia(try editedMedia())
  }

  /// Writes the output to `path` and blocks until that is done.
  ///
  /// There must be no file at `path`; on an error nothing is left there. `progress` gets the part done, 0 to 1,
  /// never falling, from threads of the session. A session exports once. Code that must not block awaits
  /// ``export(to:)``.
  @discardableResult
  public func exportAndWait(to path: String, progress: (@Sendable (Double) -> Void)? = nil)
    throws(MediaError) -> ExportReport
  {
    try run.begin()
    return try exportBegun(to: path, progress: progress)
  }

  /// As `exportAndWait`, of a run that has begun.
  func exportBegun(to path: String, progress: (@Sendable (Double) -> Void)? = nil)
    throws(MediaError) -> ExportReport
  {
    // Who goes on need not wait for this session to go away.
    defer { resumption = nil }
    do throws(MediaError) {
      let settings = try prepare()
      if let reason = settings.skipReason { throw MediaError(.unsupported, reason) }
      let run = run
      let tell: @Sendable (Double) -> Void = { done in
        run.report(done)
        progress?(done)
      }
      if resumption != nil { PendingFile.removeAbandoned(in: FileName.folder(path)) }
      let report: ExportReport
      if fileLengthLimit > 0 {
        report = try exportLimited(to: path, settings, tell)
      } else if resumption != nil {
        report = try exportResumably(to: path, settings, tell)
      } else {
        report = try exportOnce(to: path, settings, tell)
      }
      resumption?.remove()
      tell(1)
      run.end(nil)
      return report
    } catch {
      let error = error.inFile(input)
      run.end(error)
      throw error
    }
  }

  /// Exports by `settings`; the source is opened anew where it has been read before.
  ///
  /// What can be resumed is kept apart by the number of the pass.
  func exportOnce(
    to path: String, _ settings: ResolvedSettings, pass: Int = 0,
    _ progress: @escaping @Sendable (Double) -> Void
  ) throws(MediaError) -> ExportReport {
    let tags = tags(settings)
    let (demuxer, edited) = (demuxer, edited)
    self.demuxer = nil
    let attributes = keepsFileAttributes ? source?.attributes : nil
    let sink = try FileSink(
      path: path, source: source, permissions: attributes?.whileWriting ?? 0o666)
    let chains = ExportChains(
      settings: tags.covers.isEmpty ? settings : settings.withoutCovers, tags: tags,
      registry: registry, sink: sink, threads: threads)
    chains.journal = { [resumption] (track, conversion) throws(MediaError) in
      try resumption?.journal(pass: pass, track: track, settings: conversion)
    }
    // A track's title is its name, by which it is chosen.
    let names = MetadataItemFilter { $0.tagName?.lowercased() == "title" }
    chains.trackTags = metadataItemFilter ?? (settings.keepsMetadata ? nil : names)
    // What is held for stopping may hold whoever watches the session.
    defer { cancelling.withLock { $0.stop = nil } }
    do throws(MediaError) {
      var report: ExportReport
      if let edited {
        let job = try EditedExportJob(edited, of: source, chains: chains)
        try begin { [stop = job.stop] in stop() }
        report = try job.run(progress: progress)
      } else if let source {
        let fresh = try opened(source, demuxer, for: settings)
        let job = try ExportJob(source: source, demuxer: fresh, chains: chains)
        try begin { [interleaver = job.interleaver] in
          source.cancel()
          interleaver.stop {}
        }
        report = try job.run(progress: progress)
      } else {
        throw MediaError(.internal, "not prepared")
      }
      try sink.finish(with: attributes)
      if let lock = sink.lock { locks.append(lock) }
      if let media {
        let check = OutputCheck(
          source: media, preset: preset, settings: chains.settings, isEdited: edited != nil,
          tags: tags, trackTags: chains.trackTags)
        report.losses += check.losses(in: try readBack(path))
      }
      return report
    } catch {
      sink.discard()
      var error = error
      // What a container does not take lies in the source; the output is gone, whatever its name was.
      if error.file == path, error.code != .io { error.file = input }
      throw error
    }
  }

  /// Reads back what an output states.
  ///
  /// Throws `pluginFailure` if it cannot be read: then it is not what a container's readers expect.
  private func readBack(_ path: String) throws(MediaError) -> MediaDescription {
    do throws(MediaError) {
      return try registry.openDemuxer(FileSource(path: path)).media
    } catch {
      throw MediaError(
        .pluginFailure, "the output that was written cannot be read back", file: path,
        cause: error.description)
    }
  }

  /// Says how to stop what is about to run; throws where it has been cancelled already.
  private func begin(_ stop: @escaping @Sendable () -> Void) throws(MediaError) {
    let isCancelled = cancelling.withLock {
      $0.stop = stop
      return $0.isCancelled
    }
    if isCancelled { throw MediaError(.cancelled, "stopped") }
  }

  /// Stops the export, which then throws `cancelled` and leaves nothing.
  public func cancel() {
    // Opening a source can take long, too.
    source?.cancel()
    let stop = cancelling.withLock {
      $0.isCancelled = true
      return $0.stop
    }
    stop?()
  }
}

/// What became of a conversion.
public struct ExportReport: Sendable {
  /// Whether every track was passed through.
  public var isCopy = false
  /// Seconds of media written.
  public var duration = 0.0
  /// How the source is shorter than it declares; nil: it is whole, as far as its container states.
  ///
  /// The output then has everything that was there. It is not final: the source may have been cut off, or was still
  /// being copied.
  public var incomplete: IncompleteSource?
  /// What was damaged in the source or could not be kept, a sentence each.
  public var losses: [String] = []
  /// Which plugin did what, for those who want to know.
  public var plugins: [String] = []
}
