public import RespoolMedia
import Synchronization

/// Converts one file by a preset.
///
/// `prepare` opens the source and settles every setting; `export` does exactly that. Both block; call
/// them from a thread that may, never from Swift's cooperative pool. `cancel` may come from any thread.
// Sendable: prepare and export are called by one thread at a time; cancelling goes through FileSource.
public final class ExportSession: @unchecked Sendable {
  public let input: String
  public let preset: Preset
  public let registry: PluginRegistry
  /// How many threads the conversion may use, 1 or more.
  public let threads: Int

  private let source: FileSource
  private var demuxer: DemuxerInstance?
  private var resolved: ResolvedSettings?

  /// Opens `input` for reading.
  ///
  /// Throws `io` where that is not possible.
  public init(input: String, preset: Preset, registry: PluginRegistry, threads: Int = 1)
    throws(MediaError)
  {
    self.input = input
    self.preset = preset
    self.registry = registry
    self.threads = max(1, threads)
    source = try FileSource(path: input)
  }

  /// What is in the source; after `prepare`.
  public var media: MediaDescription? { demuxer?.media }

  /// The plugin that reads the source and why it was chosen; after `prepare`.
  public var demuxerReason: String? { demuxer?.reason }

  /// Finds out what is in the source and settles what is to be made of it.
  ///
  /// Throws `unsupported` where no plugin reads the file, `malformed` where it is broken.
  public func prepare() throws(MediaError) -> ResolvedSettings {
    if let resolved { return resolved }
    let demuxer = try registry.openDemuxer(source)
    self.demuxer = demuxer
    let settings = try OutputSettingsAssistant.resolve(
      preset: preset, source: demuxer.media, available: registry.availablePlugins)
    resolved = settings
    return settings
  }

  /// Writes the output to `path`, which must not exist; on an error nothing is left there.
  ///
  /// `progress` gets the part done, 0 to 1, never falling, from threads of the session. The session can
  /// not be used again afterwards.
  public func export(to path: String, progress: (@Sendable (Double) -> Void)? = nil)
    throws(MediaError) -> ExportReport
  {
    let settings = try prepare()
    if let reason = settings.skipReason { throw MediaError(.unsupported, reason, file: input) }
    guard let demuxer else { throw MediaError(.internal, "not prepared", file: input) }
    self.demuxer = nil
    self.resolved = nil
    let sink = try FileSink(path: path, source: source)
    let job = ExportJob(
      source: source, demuxer: demuxer, settings: settings, registry: registry, sink: sink,
      threads: threads)
    do throws(MediaError) {
      let report = try job.run(progress: progress)
      try sink.finish()
      progress?(1)
      return report
    } catch {
      sink.abandon()
      throw error.inFile(input)
    }
  }

  /// Stops the export, which then throws `cancelled` and leaves nothing.
  public func cancel() { source.cancel() }
}

/// What became of a conversion.
public struct ExportReport: Sendable {
  /// Whether every track was passed through.
  public var isCopy = false
  /// Seconds of media written.
  public var duration = 0.0
  /// What was damaged in the source or could not be kept, a sentence each.
  public var losses: [String] = []
  /// Which plugin did what, for those who want to know.
  public var plugins: [String] = []
}
