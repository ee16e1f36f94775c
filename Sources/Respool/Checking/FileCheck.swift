public import RespoolMedia

/// Reads a file from start to end and decodes all audio and video, to find damage.
///
/// Decoders report damage that they conceal when they convert, if they can (option `strict`). Packets of other tracks
/// are read. Data that is not compressed and has no checksum cannot be checked, such as PCM.
public struct FileCheck: Sendable {
  public let path: String
  public let registry: PluginRegistry
  /// Number of threads that each video decoder may use, 1 or more.
  public var threads: Int

  public init(path: String, registry: PluginRegistry = .standard, threads: Int = 1) {
    self.path = path
    self.registry = registry
    self.threads = max(1, threads)
  }

  /// Most findings of one kind that are reported of a file.
  static let mostFindings = 16

  /// Bytes that a file without media may have, such as the first segment of a stream.
  private static let largestHeader: Int64 = 4096

  /// Checks the file on the calling thread.
  ///
  /// `progress` gets the part of the file that was read, 0 to 1, never falling, on this thread. Throws these errors:
  ///
  /// - `io` if the file cannot be read
  /// - `malformed` if the file is damaged so much that no plugin can open it
  /// - `unsupported` if no plugin reads its format
  /// - `cancelled` after `cancellation`, which another thread may use, was cancelled
  public func run(
    cancelledBy cancellation: ReadCancellation? = nil,
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) throws(MediaError) -> Report {
    do throws(MediaError) {
      let source = try FileSource(path: path)
      guard let cancellation else { return try checked(source, progress) }
      return try cancellation.covering(source) { () throws(MediaError) in
        try checked(source, progress)
      }
    } catch { throw error.inFile(path) }
  }

  /// Asynchronous version of ``run(cancelledBy:progress:)``.
  ///
  /// Checks the file on a separate thread. Throws `cancelled` soon after the task is cancelled.
  public func report() async throws(MediaError) -> Report {
    try await ReadCancellation.result("check") { (cancellation) throws(MediaError) in
      try run(cancelledBy: cancellation)
    }
  }

  /// Checks a file, a damaged one again with one thread: decoders with several report damage some packets late.
  private func checked(_ source: FileSource, _ progress: @escaping @Sendable (Double) -> Void)
    throws(MediaError) -> Report
  {
    let report = try run(source, progress)
    guard threads > 1, report.findings.contains(where: { $0.kind == .damage && $0.track != nil })
    else { return report }
    var exact = self
    exact.threads = 1
    return try exact.run(source) { _ in }
  }

  private func run(_ source: FileSource, _ progress: @escaping @Sendable (Double) -> Void)
    throws(MediaError) -> Report
  {
    let demuxer = try registry.openDemuxer(source, for: .checking)
    let media = demuxer.media
    var report = Report()
    if let rejection = demuxer.rejection {
      // Another plugin may read what the first one does not support.
      report.add(
        Finding(
          rejection.code == .malformed ? .damage : .unchecked,
          "\(rejection.withoutFile); \(demuxer.factory.label) reads the file instead"))
    }
    if !media.endsEarly, let warning = media.warning { report.add(Finding(.damage, warning)) }
    let builder = ChainBuilder(registry: registry, threads: threads)
    let pace = ReadPace(size: source.size, progress)
    var tracks: [CheckedTrack] = []
    for var track in media.tracks {
      if !demuxer.statesDurations { track.duration = nil }
      tracks.append(CheckedTrack(track, of: source, builder, pace))
    }
    var loop = DemuxLoop(demuxer: demuxer, source: source, stages: tracks)
    var failure: MediaError?
    do throws(MediaError) { try loop.run() } catch {
      guard error.code == .malformed || error.code == .limitExceeded else { throw error }
      // If no packet could be read, the loop throws its first damage.
      if loop.damage.isEmpty { failure = error }
    }
    if let failure { report.add(Finding(.damage, failure.withoutFile)) }
    for (error, times) in loop.damageInside {
      report.add(
        Finding(
          .damage, track: error.track.map { TrackNumber(index: $0) }, times: times,
          error.withoutFile))
    }
    if let early = IncompleteSource(
      media, cut: loop.cut, readTo: loop.reachedSeconds, isWhole: true)
    {
      report.add(
        Finding(
          early.isUndeclared ? .disagreement : .damage, times: early.time...early.time,
          early.description))
    }
    for (index, track) in tracks.enumerated() {
      for finding in track.findings { report.add(finding.of(TrackNumber(index: index))) }
    }
    let areMedia = tracks.map { $0.track.kind == .audio || $0.track.isMovingPicture }
    if areMedia.contains(true), loop.packetCounts.allSatisfy({ $0 == 0 }), loop.damage.isEmpty,
      source.size > Self.largestHeader
    {
      report.add(Finding(.damage, "no packet was found in \(source.size.counting("byte"))"))
    }
    if let remark = loop.durationRemark { report.add(Finding(.disagreement, remark)) }
    if let fault = demuxer.timeFault { report.add(Finding(.disagreement, fault)) }
    if let fault = try SeekCheck(demuxer, tracks).fault() { report.add(fault) }
    report.close()
    report.duration = loop.reachedSeconds
    report.tracks = tracks.map(\.contents)
    progress(1)
    return report
  }
}

extension FileCheck.Report {
  /// Adds a finding, unless there are many of its kind, which are counted.
  mutating func add(_ finding: FileCheck.Finding) {
    counts[finding.kind, default: 0] += 1
    if counts[finding.kind, default: 0] <= FileCheck.mostFindings { findings.append(finding) }
  }

  /// Adds the numbers of findings that were left out, and puts the findings in order.
  mutating func close() {
    for (kind, count) in counts where count > FileCheck.mostFindings {
      let more = count - FileCheck.mostFindings
      findings.append(FileCheck.Finding(kind, "\(more) more places are like this"))
    }
    let order = FileCheck.Finding.Kind.allCases
    findings = order.flatMap { kind in findings.filter { $0.kind == kind } }
  }
}

extension FileCheck.Finding {
  /// Returns the finding as one of a track.
  fileprivate func of(_ track: TrackNumber) -> FileCheck.Finding {
    var finding = self
    finding.track = track
    return finding
  }
}

extension MediaError {
  /// The description without the name of the file.
  fileprivate var withoutFile: String {
    var error = self
    error.file = nil
    return error.description
  }
}

/// Reports the part of a file that was read, in steps of a thousandth or more.
final class ReadPace {
  private let size: Double
  private let progress: @Sendable (Double) -> Void
  private var read = 0.0
  private var reported = 0.0

  init(size: Int64, _ progress: @escaping @Sendable (Double) -> Void) {
    (self.size, self.progress) = (Double(max(1, size)), progress)
  }

  /// Adds the bytes of a packet.
  func add(_ bytes: Int) {
    read += Double(bytes)
    let done = min(read / size, 0.999)
    guard done - reported >= 0.001 else { return }
    reported = done
    progress(done)
  }
}
