public import RespoolMedia
import Synchronization

/// Converts an asset, which is a file or a composition, by a preset.
///
/// `export` opens the source, resolves every setting and writes the file; ``states(updateInterval:)`` reports its
/// progress. `prepare` only resolves the settings. Both `prepare` and ``exportAndWait(to:progress:)`` block:
/// never call them from a thread of Swift's cooperative pool. Everything may be called from any thread.
public final class ExportSession: Sendable {
  private struct Work {
    var configuration = ExportConfiguration()
    var prepared: PreparedExport?
    /// Stored state of a resumable export; `nil` if the export is not resumable.
    var resumption: ResumableExport?
    /// Locks of the files that this session has written, held because the caller may still rename the files.
    var locks: [OpenFile] = []
  }

  public let asset: Asset
  public let preset: Preset
  public let registry: PluginRegistry
  /// Number of threads that the conversion may use, 1 or more.
  public let threads: Int

  let run = ExportRun()
  /// AVFoundation preset that the session was created with.
  let named: ExportPreset?
  private let source: FileSource?
  private let work = Mutex(Work())

  /// Creates a session for the file `input` and opens it for reading.
  ///
  /// Throws `io` if that is not possible.
  public convenience init(
    input: String, preset: Preset, registry: PluginRegistry = .standard, threads: Int = 1
  ) throws(MediaError) {
    // Edits are read through the asset's registry.
    let chosen = registry.preferring(decoders: preset.decoders)
    try self.init(
      asset: Asset(path: input, registry: chosen), preset: preset, registry: registry,
      threads: threads)
  }

  /// Creates a session for an asset.
  ///
  /// `registry` provides the encoders and the muxer. A decoder that the preset names is used for a file, and not for
  /// the clips of a composition, which have registries of their own. Throws `io` if the asset is a file that cannot be opened.
  public convenience init(
    asset: Asset, preset: Preset, registry: PluginRegistry = .standard, threads: Int = 1
  ) throws(MediaError) {
    try self.init(asset: asset, preset: preset, named: nil, registry: registry, threads: threads)
  }

  init(
    asset: Asset, preset: Preset, named: ExportPreset?, registry: PluginRegistry, threads: Int
  ) throws(MediaError) {
    (self.asset, self.preset, self.named) = (asset, preset, named)
    self.registry = registry.preferring(decoders: preset.decoders)
    self.threads = max(1, threads)
    source = if let path = asset.path { try FileSource(path: path) } else { nil }
  }

  deinit { run.close() }

  /// Path of the source file; `composition` if the asset is not a file.
  public var input: String { asset.path ?? "composition" }

  /// Description of the source; available after `prepare`.
  public var media: MediaDescription? { prepared?.media }

  /// Name of the plugin that reads the source; `nil` before `prepare`, and for an edited asset.
  package var readingPlugin: String? { prepared?.readingPlugin }

  var configuration: ExportConfiguration { work.withLock { $0.configuration } }

  func configure(_ change: (inout ExportConfiguration) -> Void) {
    work.withLock { change(&$0.configuration) }
  }

  /// Resolution of the preset with the settings of this moment.
  var resolver: ExportResolver {
    ExportResolver(
      preset: preset, named: named, configuration: configuration, registry: registry,
      available: registry.availablePlugins)
  }

  /// Reads the description of the source and resolves the settings of the output.
  ///
  /// Throws `unsupported` if no plugin reads the file, and `malformed` if it is damaged. Throws `invalidArgument`
  /// for a time range that is not numeric or contains no media.
  public func prepare() throws(MediaError) -> ResolvedSettings {
    try prepareExport().settings(filteredBy: configuration.metadataItemFilter)
  }

  /// The source and the resolved settings; `nil` before `prepare`.
  var prepared: PreparedExport? { work.withLock { $0.prepared } }

  /// Prepares the export as `prepare` does, if requested for reading each track separately, from any time.
  func prepareExport(readingTracksSeparately isSeparate: Bool = false) throws(MediaError)
    -> PreparedExport
  {
    if let prepared, !isSeparate || prepared.edited != nil { return prepared }
    do throws(MediaError) {
      let resolver = resolver
      let fresh: PreparedExport
      if let source, !isSeparate, !resolver.configuration.isEdited {
        fresh = try PreparedExport(source, by: resolver)
      } else {
        fresh = try PreparedExport(asset, by: resolver)
      }
      work.withLock { $0.prepared = fresh }
      return fresh
    } catch {
      throw registry.explaining(error).inFile(input)
    }
  }

  /// Makes the export resumable with the stored state of an earlier one.
  func resume(from resumption: ResumableExport) {
    work.withLock { $0.resumption = resumption }
  }

  var isResumable: Bool { work.withLock { $0.resumption != nil } }

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

  /// Exports as a file type, which replaces `outputFileType`, and blocks until that is done.
  ///
  /// Throws as ``exportAndWait(to:progress:)`` does, and `invalidArgument` if the session has been prepared for
  /// another type.
  @discardableResult
  public func exportAndWait(
    to path: String, as type: FileType, progress: (@Sendable (Double) -> Void)? = nil
  ) throws(MediaError) -> ExportReport {
    try choose(type)
    return try exportAndWait(to: path, progress: progress)
  }

  func choose(_ type: FileType) throws(MediaError) {
    guard prepared == nil || type == outputFileType else {
      throw MediaError(
        .invalidArgument, "the export was prepared for \(outputFileType), not for \(type)")
    }
    outputFileType = type
  }

  /// Exports as `exportAndWait` does, in a run that has begun.
  func exportBegun(to path: String, progress: (@Sendable (Double) -> Void)? = nil)
    throws(MediaError) -> ExportReport
  {
    // Released at the end: a session that resumes need not wait for this one to be deallocated.
    let resumption = work.withLock { $0.resumption.take() }
    do throws(MediaError) {
      let resolver = resolver
      var writer = ExportWriter(
        prepared: try prepareWithLook(resolver), source: source, resolver: resolver,
        threads: threads,
        run: run, resumption: resumption)
      defer {
        let locks = writer.locks
        work.withLock { $0.locks += locks }
      }
      let settings = writer.prepared.settings(
        filteredBy: resolver.configuration.metadataItemFilter)
      if let reason = settings.skipReason { throw MediaError(.unsupported, reason) }
      let report = try writer.write(to: path, settings) { [run] done in
        run.report(done)
        progress?(done)
      }
      resumption?.remove()
      run.report(1)
      progress?(1)
      run.end(nil)
      return report
    } catch {
      let error = error.inFile(input)
      run.end(error)
      throw error
    }
  }

  /// Prepares the export, and looks at frames if the settings depend on them.
  private func prepareWithLook(_ resolver: ExportResolver) throws(MediaError) -> PreparedExport {
    var prepared = try prepareExport()
    let tracks = prepared.tracksToLookAt
    guard let source, !tracks.isEmpty else { return prepared }
    let look = FrameLook(source: source, registry: registry, threads: threads, run: run)
    var seen: [Int: SeenFrames] = [:]
    for (track, wanted) in tracks { seen[track] = try look.look(at: track, for: wanted) }
    try prepared.resolve(withSeen: seen, by: resolver)
    work.withLock { $0.prepared = prepared }
    return prepared
  }

  /// Cancels the export, which then throws `cancelled` and leaves no file.
  public func cancel() {
    // Opening a source can take long, too.
    source?.cancel()
    run.cancel()
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
  /// Reasons why the output must not take the place of its source: damage of the source, and content that the output
  /// should have and lacks.
  package var doubts: [String] = []
  /// Changes by which nothing is lost or that the preset asks for, such as a downmix, one sentence each.
  public var notes: [String] = []
  /// Indexes of the source's tracks of which no sample was written.
  var emptyTracks: Set<Int> = []
  /// Plugins that took part and their tasks, one sentence each.
  public var plugins: [String] = []
}
