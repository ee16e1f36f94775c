public import RespoolMedia
import Synchronization

/// Converts an asset, which is a file or a composition, by a preset.
///
/// `export` opens the source, resolves every setting and writes the file; ``states(updateInterval:)`` reports its
/// progress. `prepare` only resolves the settings. Both `prepare` and ``exportAndWait(to:progress:)`` block:
/// never call them from a thread of Swift's cooperative pool. `cancel` may be called from any thread.
// Sendable: one thread at a time calls prepare and export; a lock protects the state for cancellation.
public final class ExportSession: @unchecked Sendable {
  public let asset: Asset
  public let preset: Preset
  public let registry: PluginRegistry
  /// Number of threads that the conversion may use, 1 or more.
  public let threads: Int

  /// `true` if other files are converted at the same time, as in a batch.
  ///
  /// `false` by default. Set it before `prepare`. Encoders then leave cores to the other conversions, which may
  /// change the output bytes. `threads` and the machine never change them.
  public var isOneOfMany = false
  /// Part of the asset to export.
  ///
  /// Everything by default. Set it before `prepare`.
  public var timeRange = ExportSession.everything
  /// Audio mix to apply.
  ///
  /// `nil`, the default: all tracks of a composition are mixed at their own volume. Set it before `prepare`.
  /// Audio tracks are then not passed through; the preset `passthrough` ignores the mix.
  public var audioMix: AudioMix?
  /// Video composition to apply.
  ///
  /// `nil`, the default: the first video track is shown. Set it before `prepare`. Video tracks are then not
  /// passed through; the preset `passthrough` ignores the composition.
  public var videoComposition: VideoComposition?
  /// `true` if audio tracks that would be mixed remain separate, each at the volume of the mix.
  ///
  /// `false` by default. For files whose tracks are alternatives, such as languages. Set it before `prepare`.
  public var keepsSoundTracksApart = false
  /// Additional rotation of the video.
  ///
  /// `nil`, the default: frames are shown as their tracks state. Set it before `prepare`. It is written as
  /// metadata if the container can store it and the preset does not rotate the pixels. It does not apply to a
  /// video composition, which has its own transforms.
  public var rotation: Rotation?
  /// Tags to write.
  ///
  /// `nil`, the default: the asset's tags, as far as the preset keeps them. Artwork items replace the asset's
  /// covers, which are tracks and are otherwise kept. Items that the container cannot store are reported as
  /// losses.
  public var metadata: [MetadataItem]?
  /// Filter of the asset's tags to write.
  ///
  /// `nil`, the default: all. It applies to the tags of tracks too. `metadata` is written whatever the filter is.
  /// A track of timed metadata is written only if the filter includes all of its keys.
  public var metadataItemFilter: MetadataItemFilter?

  /// Approximate maximum size of the output, in bytes.
  ///
  /// 0, the default: no limit. If the preset makes a larger file, a second pass re-encodes with bit rates that
  /// meet the limit.
  public var fileLengthLimit: Int64 = 0

  /// `true` if the output gets the permissions and times of the asset's file; `false` by default.
  ///
  /// Set before `export`. Without effect on a composition.
  package var keepsFileAttributes = false

  let run = Run()
  var requests = Requests()
  /// AVFoundation preset that the session was created with.
  var named: ExportPreset?
  /// Stored state of a resumable export; `nil` if the export is not resumable.
  var resumption: ResumableExport?
  private let source: FileSource?
  /// Locks of the files that this session has written, held because the caller may still rename the files.
  private var locks: [FileLock] = []
  private var demuxer: DemuxerInstance?
  private(set) var edited: EditedMedia?
  private var resolved: ResolvedSettings?
  private let cancelling = Mutex<(isCancelled: Bool, stop: (@Sendable () -> Void)?)>((false, nil))

  private static let everything = TimeRange(start: .zero, duration: .positiveInfinity)

  /// Creates a session for the file `input` and opens it for reading.
  ///
  /// Throws `io` if that is not possible.
  public convenience init(
    input: String, preset: Preset, registry: PluginRegistry = .standard, threads: Int = 1
  ) throws(MediaError) {
    try self.init(
      asset: Asset(path: input, registry: registry), preset: preset, registry: registry,
      threads: threads)
  }

  /// Creates a session for an asset.
  ///
  /// `registry` provides the encoders and the muxer. Throws `io` if the asset is a file that cannot be opened.
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

  /// Path of the source file; `composition` if the asset is not a file.
  public var input: String { asset.path ?? "composition" }

  /// Description of the source; available after `prepare`.
  public private(set) var media: MediaDescription?

  /// Plugin that reads the source and the reason why it was chosen; available after `prepare`.
  public var demuxerReason: String? { demuxer?.reason }

  private var isEdited: Bool {
    asset.path == nil || timeRange != Self.everything || audioMix != nil
      || videoComposition != nil || rotation != nil
  }

  /// Reads the description of the source and resolves the settings of the output.
  ///
  /// Throws `unsupported` if no plugin reads the file, and `malformed` if it is damaged. Throws `invalidArgument`
  /// for a time range that is not numeric or contains no media.
  public func prepare() throws(MediaError) -> ResolvedSettings {
    do throws(MediaError) { return try prepared() } catch {
      throw registry.explaining(error).inFile(input)
    }
  }

  private func prepared() throws(MediaError) -> ResolvedSettings {
    if let resolved { return sharing(resolved) }
    guard !isEdited, let source else { return try prepareEdited() }
    try checkRequests()
    let demuxer = try registry.openDemuxer(source)
    self.demuxer = demuxer
    return try registry.resolved(demuxer.media, of: source, for: outputFileType.rawValue) {
      (media) throws(MediaError) in try settle(media)
    }
  }

  /// Resolves the settings as `prepare` does, for reading each track separately, from any time.
  func prepareEdited() throws(MediaError) -> ResolvedSettings {
    if edited != nil, let resolved { return sharing(resolved) }
    try checkRequests()
    let edited = try editedMedia()
    (self.edited, demuxer) = (edited, nil)
    let settings = try settle(edited.media)
    guard let start = try edited.syncStart(settings) else { return settings }
    let lead = edited.timeRange.start - start
    let longer = try editedMedia(startingAt: start)
    self.edited = longer
    return try settle(longer.media, lead: lead)
  }

  /// Resolves the settings for a source; `lead` is the time by which the part begins earlier than requested.
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

  /// Returns the media of the edited asset; `start` replaces the start of the time range.
  private func editedMedia(startingAt start: MediaTime? = nil) throws(MediaError) -> EditedMedia {
    let part = start.map { TimeRange(start: $0, end: timeRange.end) } ?? timeRange
    // Media that is passed through is neither mixed nor composed.
    let isCopied = named == .passthrough
    return try EditedMedia(
      asset, timeRange: part, audioMix: isCopied ? nil : audioMix,
      videoComposition: isCopied ? nil : videoComposition, pitch: audioTimePitchAlgorithm,
      rotation: rotation, mixesAudio: !isCopied,
      keepsAudioTracksApart: keepsSoundTracksApart || preservesAlternates)
  }

  /// Returns the source media for the current settings, and why tracks of it cannot be copied.
  ///
  /// It does not resolve settings.
  func sourceMedia() throws(MediaError) -> SourceMedia {
    if let media { return edited.map(SourceMedia.init) ?? SourceMedia(media) }
    try checkRequests()
    guard isEdited else { return SourceMedia(try asset.mediaDescription()) }
    return SourceMedia(try editedMedia())
  }

  /// Writes the output to `path` and blocks until that is done.
  ///
  /// There must be no file at `path`; after an error nothing is left there. `progress` gets the completed
  /// fraction, 0 to 1, never falling, on threads of the session. A session exports once. Code that must not block
  /// awaits ``export(to:)``.
  @discardableResult
  public func exportAndWait(to path: String, progress: (@Sendable (Double) -> Void)? = nil)
    throws(MediaError) -> ExportReport
  {
    try run.begin()
    return try exportBegun(to: path, progress: progress)
  }

  /// Exports as `exportAndWait` does, in a run that has begun.
  func exportBegun(to path: String, progress: (@Sendable (Double) -> Void)? = nil)
    throws(MediaError) -> ExportReport
  {
    // Releases the folder now: a session that resumes need not wait for this one to be deallocated.
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

  /// Exports with `settings`; opens the source again if it has been read before.
  ///
  /// The stored parts of a resumable export are separate for each pass.
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
      builder: ChainBuilder(registry: registry, threads: threads), sink: sink)
    chains.journal = { [resumption] (track, conversion) throws(MediaError) in
      try resumption?.journal(pass: pass, track: track, settings: conversion)
    }
    // A track's title is its name, by which users choose it.
    let names = MetadataItemFilter { $0.tagName?.lowercased() == "title" }
    chains.trackTags = metadataItemFilter ?? (settings.keepsMetadata ? nil : names)
    // The closure for stopping may retain an observer of the session.
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
        throw MediaError(.internal, "the export was not prepared")
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
      // A container refuses something in the source. The output is removed, so the error names the input.
      if error.file == path, error.code != .io { error.file = input }
      throw error
    }
  }

  /// Reads the description of a written output.
  ///
  /// Throws `pluginFailure` if it cannot be read: it is then not valid in its container.
  private func readBack(_ path: String) throws(MediaError) -> MediaDescription {
    do throws(MediaError) {
      return try registry.openDemuxer(FileSource(path: path)).media
    } catch {
      throw MediaError(
        .pluginFailure, "the output that was written cannot be read back", file: path,
        cause: error.description)
    }
  }

  /// Sets the closure that stops the export; throws if the export is already cancelled.
  private func begin(_ stop: @escaping @Sendable () -> Void) throws(MediaError) {
    let isCancelled = cancelling.withLock {
      $0.stop = stop
      return $0.isCancelled
    }
    if isCancelled { throw MediaError(.cancelled, "stopped") }
  }

  /// Cancels the export, which then throws `cancelled` and leaves no file.
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

/// Result of an export.
public struct ExportReport: Sendable {
  /// `true` if every track was passed through.
  public var isCopy = false
  /// Duration of the media written, in seconds.
  public var duration = 0.0
  /// Missing part of the source.
  ///
  /// `nil`: it is complete, as far as its container states. If it is set, the output has everything that was
  /// there. The output is not final: the source may have been cut off, or was still being copied.
  public var incomplete: IncompleteSource?
  /// Damage in the source and losses in the output, one sentence each.
  public var losses: [String] = []
  /// Plugins that took part and their tasks, one sentence each.
  public var plugins: [String] = []
}
