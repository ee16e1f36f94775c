import RespoolMedia

/// Reads tracks of a prepared export to measure them, and pushes their frames through chains of stages.
struct TrackReading {
  let prepared: PreparedExport
  /// File of the asset; `nil` for a composition.
  let source: FileSource?
  let builder: ChainBuilder
  let run: ExportRun

  /// Creates the chain of a track, given the media with its description, and the time base of its frames.
  typealias MakeChain = (_ track: Int, MediaDescription, Rational) throws(MediaError) -> any Stage<
    Frame
  >

  /// Reads tracks to the end.
  ///
  /// `output` returns what reads a track of an edited asset, and the time base of its samples.
  func read(
    _ tracks: some Sequence<Int>,
    output: (EditedMedia, Int) throws(MediaError) -> (AssetReaderOutput, Rational),
    through makeChain: MakeChain
  ) throws(MediaError) {
    defer { builder.abandon() }
    if let edited = prepared.edited {
      let reader = try AssetReader(asset: edited.asset)
      reader.timeRange = edited.timeRange
      var feeds: [SampleFeed] = []
      for track in tracks {
        let (output, base) = try output(edited, track)
        output.alwaysCopiesSampleData = false
        try reader.add(output)
        var feed = SampleFeed(output: output, start: edited.timeRange.start, timeBase: base)
        feed.frames = try makeChain(track, prepared.media, base)
        feeds.append(feed)
      }
      let stop: @Sendable () -> Void = { [monitor = builder.monitor] in
        monitor.cancel()
        reader.cancelReading()
      }
      return try run.perform(stoppedBy: stop) { () throws(MediaError) in
        try SampleFeed.run(feeds, from: [reader], stop: stop)
      }
    }
    guard let source else { throw MediaError(.internal, "a composition was not prepared") }
    let demuxer = try builder.registry.openDemuxer(source)
    var media = demuxer.media
    for (index, track) in prepared.media.tracks.prefix(media.tracks.count).enumerated() {
      media.tracks[index].takeSize(of: track)
    }
    var stages: [(any Stage<Packet>)?] = Array(repeating: nil, count: media.tracks.count)
    for track in tracks where stages.indices.contains(track) {
      let description = media.tracks[track]
      stages[track] = try builder.decode(
        description, of: source, to: makeChain(track, media, description.timeBase))
    }
    let stop: @Sendable () -> Void = { [source, monitor = builder.monitor] in
      monitor.cancel()
      source.cancel()
    }
    try run.perform(stoppedBy: stop) { () throws(MediaError) in
      var loop = DemuxLoop(demuxer: demuxer, source: source, stages: stages)
      try loop.run()
    }
  }
}
