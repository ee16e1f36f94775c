import RespoolMedia

/// A look at frames of a video track before they are converted.
struct FrameLook {
  let source: FileSource
  let registry: PluginRegistry
  let threads: Int
  let run: ExportRun

  /// Number of frames at each of three places, or at the start of a shorter film.
  private static let (frames, framesOfShort) = (50, 100)

  /// Returns what the frames of a track have; parts that are not wanted, or that do not show, are `nil`.
  ///
  /// Throws `cancelled`.
  func look(at track: Int, for wanted: SeenFrames.Wanted) throws(MediaError) -> SeenFrames {
    var seen = SeenFrames()
    if wanted.contains(.fields) { seen.fields = try fields(of: track) }
    if wanted.contains(.borders) { seen.area = try visibleArea(of: track) }
    return seen
  }

  /// Returns the fields of a track; `nil` if its frames show none clearly.
  ///
  /// The frames are from the start and, if the demuxer can seek, from the beginnings of the second and the last third.
  /// Damage ends the look at a place.
  private func fields(of track: Int) throws(MediaError) -> SeenFields? {
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
        let measured = try measure(
          track, by: SeenFields.filter.name, options: SeenFields.filter.options, from: time,
          frames: isShort ? Self.framesOfShort : Self.frames, demuxer)
        counts.add(measured.results, frames: measured.frames)
      } catch {
        if error.code == .cancelled { throw error }
      }
    }
    return SeenFields(counts, frameRate: rate)
  }

  /// Returns the area that all frames of the film need; `nil` if they are black or damaged.
  ///
  /// Every frame is decoded: letters in a border may be there for a second only.
  private func visibleArea(of track: Int) throws(MediaError) -> VisibleArea? {
    do throws(MediaError) {
      let demuxer = try registry.openDemuxer(source)
      guard demuxer.media.tracks.indices.contains(track) else { return nil }
      let borders = BorderStage()
      let builder = ChainBuilder(registry: registry, threads: threads)
      let decoder = try builder.decode(demuxer.media.tracks[track], of: source, to: borders)
      try read(track, by: decoder, builder, from: .zero, demuxer)
      return borders.area
    } catch {
      if error.code == .cancelled { throw error }
    }
    return nil
  }

  /// Decodes a number of frames of a track and returns what a filter measures in them.
  private func measure(
    _ index: Int, by name: String, options: [PluginOption], from time: MediaTime,
    frames: Int, _ demuxer: DemuxerInstance
  ) throws(MediaError) -> (results: [FilterResult], frames: Int) {
    let track = demuxer.media.tracks[index]
    guard let filter = registry.factories(.filter).first(where: { $0.description.name == name })
    else { return ([], 0) }
    let builder = ChainBuilder(registry: registry, threads: threads)
    let chain = try builder.filters([.init(filter, options: options)], of: track)
    let counter = CountingStage()
    let decoder = try builder.decode(track, of: source, to: chain.stage(to: counter))
    try read(index, by: decoder, builder, from: time, demuxer) { counter.count >= frames }
    return (chain.results.flatMap(\.results), counter.count)
  }

  /// Passes the packets of a track on, to the end of the film or until `isComplete`.
  private func read(
    _ index: Int, by stage: any Stage<Packet>, _ builder: ChainBuilder, from time: MediaTime,
    _ demuxer: DemuxerInstance, until isComplete: (() -> Bool)? = nil
  ) throws(MediaError) {
    var stages: [(any Stage<Packet>)?] = Array(repeating: nil, count: demuxer.media.tracks.count)
    stages[index] = stage
    let stop: @Sendable () -> Void = { [source, monitor = builder.monitor] in
      monitor.cancel()
      source.cancel()
    }
    try run.perform(stoppedBy: stop) { () throws(MediaError) in
      var loop = DemuxLoop(demuxer: demuxer, source: source, stages: stages)
      loop.beginning = (index, time)
      loop.isComplete = isComplete
      try loop.run()
    }
  }
}

extension SeenFields.Counts {
  /// Adds results of the filter that counts.
  fileprivate mutating func add(_ results: [FilterResult], frames: Int) {
    total += frames
    for result in results {
      let value = Int(Double(result.value) ?? 0)
      switch result.name {
      case "top-first": topFirst += value
      case "bottom-first": bottomFirst += value
      case "progressive": progressive += value
      case "repeated-top": repeatedTop += value
      case "repeated-bottom": repeatedBottom += value
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
