import RespoolMedia

/// A look at frames of a video track before they are converted.
struct FrameLook {
  let source: FileSource
  let registry: PluginRegistry
  let threads: Int
  let run: ExportRun

  /// Number of frames at each of three places, or at the start of a shorter film.
  private static let (frames, framesOfShort) = (50, 100)
  /// Minimum number of key frames in which borders are found; with fewer, all frames are decoded.
  private static let fewestKeyFrames = 30

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
          track, by: SeenFields.filter, from: time,
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
  /// Looks at the key frames of the whole film, or at every frame if there are few.
  private func visibleArea(of track: Int) throws(MediaError) -> VisibleArea? {
    do throws(MediaError) {
      for onlyKeyFrames in [true, false] {
        let demuxer = try registry.openDemuxer(source)
        guard demuxer.media.tracks.indices.contains(track) else { return nil }
        let measured = try measure(
          track, by: VisibleArea.filter.name, options: VisibleArea.filter.options, from: .zero,
          frames: nil, onlyKeyFrames: onlyKeyFrames, demuxer)
        if measured.frames >= Self.fewestKeyFrames || !onlyKeyFrames {
          return measured.results.first { $0.name == "visible" }.flatMap { VisibleArea($0.value) }
        }
      }
    } catch {
      if error.code == .cancelled { throw error }
    }
    return nil
  }

  /// Decodes frames of a track and returns what a filter measures in them.
  ///
  /// `frames` is the number after which the look ends; `nil`: at the end of the film.
  private func measure(
    _ index: Int, by name: String, options: [PluginOption] = [], from time: MediaTime,
    frames: Int?, onlyKeyFrames: Bool = false, _ demuxer: DemuxerInstance
  ) throws(MediaError) -> (results: [FilterResult], frames: Int) {
    let track = demuxer.media.tracks[index]
    guard let filter = registry.factories(.filter).first(where: { $0.description.name == name })
    else { return ([], 0) }
    let builder = ChainBuilder(registry: registry, threads: threads)
    let chain = try builder.filters([.init(filter, options: options)], of: track)
    let counter = CountingStage()
    var stages: [(any Stage<Packet>)?] = Array(repeating: nil, count: demuxer.media.tracks.count)
    let decoder = try builder.decode(track, of: source, to: chain.stage(to: counter))
    stages[index] = onlyKeyFrames ? KeyFrameStage(track, to: decoder) : decoder
    let stop: @Sendable () -> Void = { [source, monitor = builder.monitor] in
      monitor.cancel()
      source.cancel()
    }
    try run.perform(stoppedBy: stop) { () throws(MediaError) in
      var loop = DemuxLoop(demuxer: demuxer, source: source, stages: stages)
      loop.beginning = (index, time)
      if let frames { loop.isComplete = { counter.count >= frames } }
      try loop.run()
    }
    return (chain.results.flatMap(\.results), counter.count)
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
      case "repeated-top", "repeated-bottom": repeated += value
      default: break
      }
    }
  }
}

/// A stage that passes key frames on, at most two in a second.
private final class KeyFrameStage: Stage {
  private let next: any Stage<Packet>
  private let distance: Int64
  private var last: Int64?

  init(_ track: TrackDescription, to next: any Stage<Packet>) {
    self.next = next
    distance = Rational.nanoseconds.convert(500_000_000, to: track.timeBase)
  }

  func consume(_ packet: Packet) throws(MediaError) {
    guard packet.flags.contains(.key) else { return }
    let time = packet.pts ?? packet.dts
    if let last, let time, time >= last, time.subtractingClamped(last) < distance { return }
    last = time
    try next.consume(packet)
  }

  func skip(to nanoseconds: Int64) throws(MediaError) { try next.skip(to: nanoseconds) }
  func finish() throws(MediaError) { try next.finish() }
}

/// The end of a chain, which counts frames.
private final class CountingStage: Stage {
  private(set) var count = 0

  func consume(_ frame: Frame) { count += 1 }
  func finish() {}
}
