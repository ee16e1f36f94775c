import RespoolHost
import RespoolMedia

/// A demuxer with an intact file, whose packets are read once for several checks.
final class DemuxerTrial {
  let factory: PluginFactory
  let source: FileSource
  /// The media in the file, if a check has written it.
  let written: WrittenFile?

  init(factory: PluginFactory, source: FileSource, written: WrittenFile?) {
    self.factory = factory
    self.source = source
    self.written = written
  }

  /// Throws if the packets are not those that were written.
  func compare() throws(Finding) { try comparison.get() }

  private lazy var comparison: Result<Void, Finding> = {
    do throws(Finding) { return .success(try compareOnce()) } catch { return .failure(error) }
  }()

  private func compareOnce() throws(Finding) {
    guard let written else { return }
    let timing = DemuxerSettings(
      timing: PacketTiming([.exactEnd, .shownStart])
        .intersection(factory.description.packetTiming))
    let (factory, source) = (factory, source)
    let demuxer = try open("the file") { () throws(MediaError) in
      try DemuxerInstance(factory, FileSource(again: source), settings: timing, reason: "")
    }
    let read = try ReadFile(demuxer)
    try read.checkTrims()
    try FileComparison(written: written, read: read, reader: factory.description.name).check()
  }

  lazy var file: Result<ReadFile, Finding> = read()

  func opened() throws(Finding) -> DemuxerInstance {
    let (factory, source) = (factory, source)
    return try open("the file") { () throws(MediaError) in
      try DemuxerInstance(factory, FileSource(again: source), reason: "")
    }
  }

  func read() -> Result<ReadFile, Finding> {
    do throws(Finding) { return .success(try ReadFile(try opened())) } catch {
      return .failure(error)
    }
  }
}
