import RespoolMedia

/// A look at some frames of a video track, to find the fields that they have.
struct FieldLook {
  let source: FileSource
  let registry: PluginRegistry
  let threads: Int
  let run: ExportRun

  /// Number of frames at each of three places, or at the start of a shorter film.
  private static let (frames, framesOfShort) = (50, 100)

  /// Returns the fields of a track; `nil` if its frames show none clearly.
  ///
  /// The frames are from the start and, if the demuxer can seek, from the beginnings of the second and the last third.
  /// Damage ends the look at a place. Throws `cancelled`.
  func fields(of track: Int) throws(MediaError) -> SeenFields? {
    var counts = SeenFields.Counts()
    var rate = Rational(0, 1)
    for part in 0..<3 {
      do throws(MediaError) {
        let demuxer = try registry.openDemuxer(source)
        guard demuxer.media.tracks.indices.contains(track) else { return nil }
        rate = demuxer.media.tracks[track].frameRate
        let duration = demuxer.media.duration ?? 0
        let isShort = duration < 5_000_000_000
        guard part == 0 || !isShort else { break }
        let time = MediaTime(value: duration / 3 * Int64(part), timescale: 1_000_000_000)
        try look(
          at: track, from: time, frames: isShort ? Self.framesOfShort : Self.frames, demuxer,
          &counts)
      } catch {
        if error.code == .cancelled { throw error }
      }
    }
    return SeenFields(counts, frameRate: rate)
  }

  private func look(
    at index: Int, from time: MediaTime, frames: Int, _ demuxer: DemuxerInstance,
    _ counts: inout SeenFields.Counts
  ) throws(MediaError) {
    let track = demuxer.media.tracks[index]
    guard
      let filter = registry.factories(.filter).first(where: {
        $0.description.name == SeenFields.filter
      })
    else { return }
    let builder = ChainBuilder(registry: registry, threads: threads)
    let chain = try builder.filters([.init(filter, options: [])], of: track)
    let counter = CountingStage()
    var stages: [(any Stage<Packet>)?] = Array(repeating: nil, count: demuxer.media.tracks.count)
    stages[index] = try builder.decode(track, of: source, to: chain.stage(to: counter))
    let stop: @Sendable () -> Void = { [source, monitor = builder.monitor] in
      monitor.cancel()
      source.cancel()
    }
    try run.perform(stoppedBy: stop) { () throws(MediaError) in
      var loop = DemuxLoop(demuxer: demuxer, source: source, stages: stages)
      loop.beginning = (index, time)
      loop.isComplete = { counter.count >= frames }
      try loop.run()
    }
    counts.total += counter.count
    for result in chain.results.flatMap(\.results) {
      let value = Int(Double(result.value) ?? 0)
      switch result.name {
      case "top-first": counts.topFirst += value
      case "bottom-first": counts.bottomFirst += value
      case "progressive": counts.progressive += value
      case "repeated-top", "repeated-bottom": counts.repeated += value
      default: break
      }
    }
  }
}

/// The end of a chain, which counts frames.
private final class CountingStage: Stage {
  private(set) var count = 0

  func consume(_ frame: Frame) { count += 1 }
  func finish() {}
}
