import RespoolMedia

/// Reads audio tracks of a prepared export, each into a meter.
struct LoudnessReading {
  let prepared: PreparedExport
  /// File of the asset; `nil` for a composition.
  let source: FileSource?
  let registry: PluginRegistry
  let threads: Int
  let run: ExportRun

  /// Measures tracks; `progress` gets the seconds of audio that have been measured.
  func measure(_ tracks: [Int: MeasuredAudio], _ progress: @escaping (Double) -> Void)
    throws(MediaError) -> [Int: LoudnessMeter]
  {
    let builder = ChainBuilder(registry: registry, threads: threads)
    defer { builder.abandon() }
    let meters = tracks.mapValues {
      LoudnessStage(rate: $0.meterRate, layout: $0.channelLayout, progress: progress)
    }
    func chain(_ track: Int, _ audio: MeasuredAudio, _ base: Rational) throws(MediaError)
      -> any Stage<Frame>
    {
      guard let meter = meters[track] else { throw MediaError(.internal, "a track has no meter") }
      return try AudioChain(
        measuring: audio, of: prepared.media.tracks[track], timeBase: base, builder: builder,
        to: meter
      ).stage
    }
    if let edited = prepared.edited {
      let reader = try AssetReader(asset: edited.asset)
      reader.timeRange = edited.timeRange
      var feeds: [SampleFeed] = []
      for (track, audio) in tracks {
        let (output, base) = try edited.audioOutput(for: track)
        output.alwaysCopiesSampleData = false
        try reader.add(output)
        var feed = SampleFeed(output: output, start: edited.timeRange.start, timeBase: base)
        feed.frames = try chain(track, audio, base)
        feeds.append(feed)
      }
      let stop: @Sendable () -> Void = { [monitor = builder.monitor] in
        monitor.cancel()
        reader.cancelReading()
      }
      try run.perform(stoppedBy: stop) { () throws(MediaError) in
        try SampleFeed.run(feeds, from: [reader], stop: stop)
      }
      return meters.mapValues(\.meter)
    }
    guard let source else { throw MediaError(.internal, "a composition was not prepared") }
    let demuxer = try registry.openDemuxer(source)
    var stages: [(any Stage<Packet>)?] = Array(repeating: nil, count: demuxer.media.tracks.count)
    for (track, audio) in tracks where stages.indices.contains(track) {
      let description = demuxer.media.tracks[track]
      stages[track] = try builder.decode(
        description, of: source, to: chain(track, audio, description.timeBase))
    }
    let stop: @Sendable () -> Void = { [source, monitor = builder.monitor] in
      monitor.cancel()
      source.cancel()
    }
    try run.perform(stoppedBy: stop) { () throws(MediaError) in
      var loop = DemuxLoop(demuxer: demuxer, source: source, stages: stages)
      try loop.run()
    }
    return meters.mapValues(\.meter)
  }
}
