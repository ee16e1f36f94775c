import RespoolMedia

/// Run of an export of an unedited file: builds the chain of stages for every track and pushes the file through.
///
///     demuxer -> decode -> video or audio -> encode -> interleaver -> muxer
///            \-> pass through ----------------------/
///
/// With one thread, everything runs on the caller's thread. With more, the stages after the decoder of a video
/// track run on a thread of their own. So do all stages of an audio track, or only the encoder of an audio track
/// that is alone.
final class ExportJob {
  private let source: FileSource
  private let demuxer: DemuxerInstance
  private let sidecars: [Sidecar]
  /// The media of the source, with the tracks of the sidecars after those of the file.
  private let media: MediaDescription
  private let chains: ExportChains
  private let interleaver: Interleaver
  private var decoders: [(track: Int, stage: DecodeStage)] = []

  /// Creates a run; `known` are the tracks of the file as they were prepared, with what only their frames state.
  init(
    source: FileSource, demuxer: DemuxerInstance, known: [TrackDescription], sidecars: [Sidecar],
    chains: ExportChains
  ) throws(MediaError) {
    self.source = source
    self.demuxer = demuxer
    self.sidecars = sidecars
    self.chains = chains
    var media = demuxer.media
    for (index, track) in known.prefix(media.tracks.count).enumerated() {
      media.tracks[index].takeSize(of: track)
    }
    media.tracks += sidecars.map(\.track)
    media = media.withoutWindowsText
    self.media = media
    media.moveChapters(with: chains.settings)
    interleaver = try chains.makeInterleaver(media)
  }

  /// Closure that ends the run; may be called from any thread.
  var stop: @Sendable () -> Void {
    { [source, interleaver, monitor = chains.builder.monitor] in
      monitor.cancel()
      source.cancel()
      interleaver.stop {}
    }
  }

  func run(progress: (@Sendable (Double) -> Void)?) throws(MediaError) -> ExportReport {
    let settings = chains.settings
    interleaver.progress = ProgressPace(of: demuxer.media, progress)?.report
    defer { chains.builder.abandon() }
    var stages: [(any Stage<Packet>)?] = Array(repeating: nil, count: media.tracks.count)
    for (index, track) in settings.outputTracks.enumerated() {
      let port = chains.port(interleaver, outputIndex: index)
      let description = media.tracks[track.source]
      if description.kind == .attachment {
        try port.attach(description)
        continue
      }
      stages[track.source] = chains.utf8(
        description, of: source, to: try stage(for: track, to: port))
    }
    chains.addParticipant("\(demuxer.factory.description.name) reads the source: \(demuxer.reason)")
    let count = demuxer.media.tracks.count
    let others = stages[count...]
    stages.removeSubrange(count...)
    var loop = DemuxLoop(demuxer: demuxer, source: source, stages: stages)
    // The interleaver sorts them among the packets of the file.
    for (sidecar, stage) in zip(sidecars, others) {
      guard let stage else { continue }
      for packet in sidecar.packets { try stage.consume(packet) }
      try stage.finish()
    }
    try loop.run()
    guard interleaver.hasContent else {
      throw nothing(loop, isWhole: stages.allSatisfy { $0 != nil })
    }
    try interleaver.complete()
    var report = ExportReport(
      isCopy: settings.isPassThroughOnly, duration: interleaver.writtenSeconds,
      losses: losses(loop),
      plugins: chains.participants)
    report.doubts =
      (loop.damage.map(\.description)
      + decoders.compactMap { track, stage in
        stage.damage.map { "\(TrackNumber(index: track)): \($0)" }
      }).map { "the source is damaged: \($0)" }
    chains.complete(&report, interleaver)
    report.notes += remarks(on: loop)
    report.incomplete = IncompleteSource(
      demuxer.media, cut: loop.cut, readTo: loop.reachedSeconds,
      isWhole: stages.allSatisfy { $0 != nil })
    return report
  }

  /// Returns an error for an output without content.
  ///
  /// `isWhole` is `true` if all tracks were read.
  private func nothing(_ loop: DemuxLoop, isWhole: Bool) -> MediaError {
    // Covers are not media.
    let tracks = chains.settings.outputTracks.map(\.source).filter {
      !media.tracks[$0].disposition.contains(.attachedPicture)
        && media.tracks[$0].kind != .attachment
    }
    let codecs = tracks.map { media.tracks[$0].codec }.filter { !$0.isEmpty }
      .joined(separator: " and ")
    let packets = tracks.filter { $0 < loop.packetCounts.count }
      .reduce(0) { $0 + loop.packetCounts[$1] }
    let early = IncompleteSource(
      demuxer.media, cut: loop.cut, readTo: loop.reachedSeconds, isWhole: isWhole)
    var reason =
      packets == 0
      ? "the demuxer \(demuxer.factory.description.name) found no packet of \(codecs) in the file"
      : "packets of \(codecs) were read (\(packets)), but gave no video and no audio"
    if let early {
      reason += "; \(early)"
    } else {
      if packets == 0 {
        reason +=
          ", which is empty after its header or coded in a way that the demuxer does not support"
      }
      // Without packets, a duration is not an estimate.
      if packets == 0 || demuxer.media.declaresDuration, let duration = demuxer.media.duration {
        reason += "; the file states a duration of \((Double(duration) / 1e9).decimalText) s"
      }
    }
    return MediaError(
      .unsupported, "nothing to write: \(reason)", detail: early == nil ? nil : .endsEarly)
  }

  private func stage(for track: ResolvedSettings.Track, to port: TrackOutput) throws(MediaError)
    -> any Stage<Packet>
  {
    let description = media.tracks[track.source]
    switch track.action {
    case .passThrough, .drop:
      chains.addParticipant(
        "\(TrackNumber(index: track.source)) (\(description.codec)) is passed through")
      let stage = PassThroughStage(
        description, of: source,
        silencesInfoFrame: chains.settings.muxer.description.name == "mp3",
        fillsGaps: chains.fillsGaps, to: port)
      chains.copies.append((track.source, stage))
      return stage
    case .convertVideo(let conversion):
      let video = try chains.video(
        conversion, track.source, description, timeBase: description.timeBase, to: port)
      return try decode(
        track.source, description, conversion.encoder, conversion.codec,
        to: try chains.builder.queued(video, of: .video))
    case .convertAudio(let conversion):
      let audio = try chains.audio(
        conversion, track.source, description, timeBase: description.timeBase, to: port)
      let decode = try decode(
        track.source, description, conversion.encoder, conversion.codec, to: audio)
      return chains.isAlone ? decode : try chains.builder.queued(decode)
    case .convertCaptions(let codec):
      return try chains.text(codec, track.source, description, of: source, to: port)
    }
  }

  private func decode(
    _ index: Int, _ track: TrackDescription, _ encoder: AvailablePlugins.Factory,
    _ codec: String, to next: any Stage<Frame>
  ) throws(MediaError) -> DecodeStage {
    let decode = try chains.builder.decode(track, of: source, to: next)
    let plugin = try chains.encoderFactory(encoder).plugin.name
    chains.addParticipant(
      "\(TrackNumber(index: index)): \(decode.decoder.reason); \(plugin) encodes \(codec)")
    decoders.append((index, decode))
    return decode
  }

  /// Returns what decoders and the demuxer gave otherwise than the file states, one sentence each.
  private func remarks(on loop: DemuxLoop) -> [String] {
    decoders.compactMap { track, stage in
      stage.remark.map { "\(TrackNumber(index: track)): \($0)" }
    } + [loop.durationRemark].compactMap(\.self)
  }

  /// Returns the damage of the source and the losses of the output, one sentence each.
  private func losses(_ loop: DemuxLoop) -> [String] {
    let damage = loop.damageInside.map(\.error)
    var losses = damage.prefix(4).map { "the file is damaged: \($0.description)" }
    if damage.count > 4 { losses.append("\(damage.count - 4) more places are damaged") }
    for (track, stage) in decoders {
      if let damage = stage.damage { losses.append("\(TrackNumber(index: track)): \(damage)") }
    }
    return losses + chains.losses()
  }
}

extension TrackDescription {
  /// Takes over the size of frames, and the rate and channels of audio, if they are not known.
  mutating func takeSize(of track: TrackDescription) {
    if width <= 0 || height <= 0 { (width, height) = (track.width, track.height) }
    if sampleRate <= 0 { (sampleRate, channelLayout) = (track.sampleRate, track.channelLayout) }
  }
}
