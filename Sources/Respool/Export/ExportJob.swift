import RespoolMedia

/// One run of an export: builds the chain of stages for every track and pushes the file through.
///
///     demuxer -> decode -> picture or sound -> encode -> interleaver -> muxer
///            \-> pass through ----------------------/
///
/// With one thread to use everything runs on the caller's; with more, what follows the decoder of a
/// picture track and all of a sound track run on threads of their own, and the encoder of a sound track
/// that is alone.
final class ExportJob {
  private let source: FileSource
  private let demuxer: DemuxerInstance
  private let settings: ResolvedSettings
  private let registry: PluginRegistry
  private let sink: FileSink
  private let threads: Int

  private var decoders: [(track: Int, stage: DecodeStage)] = []
  private var pictures: [(track: Int, stage: PictureStage)] = []
  private var sounds: [(track: Int, stage: SoundStage)] = []
  private var abandon: [() -> Void] = []
  private var report = ExportReport()

  init(
    source: FileSource, demuxer: DemuxerInstance, settings: ResolvedSettings,
    registry: PluginRegistry, sink: FileSink, threads: Int
  ) {
    self.source = source
    self.demuxer = demuxer
    self.settings = settings
    self.registry = registry
    self.sink = sink
    self.threads = threads
  }

  func run(progress: (@Sendable (Double) -> Void)?) throws(MediaError) -> ExportReport {
    let interleaver = try makeInterleaver()
    defer { for stop in abandon { stop() } }
    var stages: [(any Stage<Packet>)?] = Array(repeating: nil, count: demuxer.media.tracks.count)
    for (index, track) in settings.outputTracks.enumerated() {
      let port = MuxPort(interleaver, index: index)
      stages[track.source] = try stage(for: track, to: port)
    }
    note("\(demuxer.factory.description.name) reads it: \(demuxer.reason)")
    var loop = DemuxLoop(demuxer: demuxer, source: source, stages: stages)
    let total = Double(demuxer.media.duration ?? 0) / 1e9
    if let progress, total > 0 {
      var last = 0.0
      loop.progress = {
        let done = min(interleaver.writtenSeconds / total, 0.999)
        if done > last {
          last = done
          progress(done)
        }
      }
    }
    try loop.run()
    if source.isCancelled { throw MediaError(.cancelled, "stopped") }
    try interleaver.complete()
    report.isCopy = settings.isPassThroughOnly
    report.duration = interleaver.writtenSeconds
    report.losses = losses(loop.damage)
    return report
  }

  private func makeInterleaver() throws(MediaError) -> Interleaver {
    guard let muxer = registry.factory(for: settings.muxer) else {
      throw MediaError(.unsupported, "no plugin writes \(settings.container)")
    }
    note("\(muxer.plugin.name) writes \(settings.container)")
    var media = MediaDescription(format: settings.container)
    if settings.keepsMetadata { media.metadata = demuxer.media.metadata }
    if settings.keepsChapters { media.chapters = demuxer.media.chapters }
    media.duration = demuxer.media.duration
    let (registry, sink, options) = (registry, sink, settings.containerOptions)
    return Interleaver(trackCount: settings.outputTracks.count, media: media) {
      (media: MediaDescription) throws(MediaError) -> MuxerInstance in
      try registry.openMuxer(muxer, media: media, sink: sink, options: options)
    }
  }

  private func stage(for track: ResolvedSettings.Track, to port: MuxPort) throws(MediaError)
    -> any Stage<Packet>
  {
    let description = demuxer.media.tracks[track.source]
    switch track.action {
    case .passThrough, .drop:
      note("track \(track.source) (\(description.codec)) is passed through")
      return PassThroughStage(description, to: port)
    case .convertVideo(let conversion):
      return try pictureChain(conversion, track.source, description, to: port)
    case .convertAudio(let conversion):
      return try soundChain(conversion, track.source, description, to: port)
    }
  }

  private func pictureChain(
    _ conversion: VideoConversion, _ index: Int, _ track: TrackDescription, to port: MuxPort
  ) throws(MediaError) -> any Stage<Packet> {
    let factory = try encoder(conversion.encoder)
    let (registry, threads) = (registry, threads)
    let encode = EncodeStage(to: port) { (frame: Frame) throws(MediaError) -> EncoderInstance in
      var settings = conversion.encoderSettings(
        source: track, timeBase: track.timeBase, threads: threads)
      settings.track.sampleAspect = conversion.sampleAspect
      return try registry.openEncoder(factory, settings)
    }
    var orientation = DisplayMatrix.Orientation()
    if case .rotatePixels(let turn) = conversion.rotation { orientation = turn }
    let picture = PictureStage(
      output: PictureShape(
        pixelFormat: conversion.pixelFormat, width: conversion.width, height: conversion.height,
        color: conversion.color),
      orientation: orientation, sampleAspect: conversion.sampleAspect,
      maximumRate: conversion.maximumFrameRate, timeBase: track.timeBase, to: encode)
    pictures.append((index, picture))
    var next: any Stage<Frame> = picture
    if threads > 1 {
      // A few pictures in flight keep decoder and encoder busy; more would only cost memory.
      let queue = try QueueStage(to: picture, limit: 6 << 20, name: "encode") { (frame: Frame) in
        frame.byteCount
      }
      abandon.append { queue.abandon() }
      next = queue
    }
    let decoder = try registry.openDecoder(track, threads: threads)
    note("track \(index): \(decoder.reason); \(factory.plugin.name) encodes \(conversion.codec)")
    let decode = DecodeStage(decoder, source: source, track: track, to: next)
    decoders.append((index, decode))
    return decode
  }

  private func soundChain(
    _ conversion: AudioConversion, _ index: Int, _ track: TrackDescription, to port: MuxPort
  ) throws(MediaError) -> any Stage<Packet> {
    let factory = try encoder(conversion.encoder)
    let registry = registry
    let encode = EncodeStage(to: port) { (frame: Frame) throws(MediaError) -> EncoderInstance in
      try registry.openEncoder(factory, conversion.encoderSettings(source: track, threads: 1))
    }
    var next: any Stage<Frame> = encode
    let isAlone = settings.outputTracks.count == 1
    if threads > 1, isAlone {
      // What comes before the encoder takes a sixth of the time; beside a picture it does not matter.
      let queue = try QueueStage(to: encode, limit: 1 << 20, name: "encode") { (frame: Frame) in
        frame.byteCount
      }
      abandon.append { queue.abandon() }
      next = queue
    }
    let sound = SoundStage(
      output: SoundShape(
        sampleFormat: conversion.sampleFormat, sampleRate: conversion.sampleRate,
        channelLayout: conversion.channelLayout), timeBase: track.timeBase,
      startsAtZero: settings.outputTracks.count {
        $0.kind != .video || !settings.covers.contains($0.source)
      } == 1,
      to: next)
    sounds.append((index, sound))
    let decoder = try registry.openDecoder(track, threads: 1)
    note("track \(index): \(decoder.reason); \(factory.plugin.name) encodes \(conversion.codec)")
    let decode = DecodeStage(decoder, source: source, track: track, to: sound)
    decoders.append((index, decode))
    guard threads > 1, !isAlone else { return decode }
    // Some seconds of sound: were it more, pictures that are ready would pile up before the muxer.
    let queue = try QueueStage(to: decode, limit: 1 << 20, name: "sound") { (packet: Packet) in
      packet.size + 4096
    }
    abandon.append { queue.abandon() }
    return queue
  }

  private func encoder(_ wanted: AvailablePlugins.Factory) throws(MediaError) -> PluginFactory {
    guard let factory = registry.factory(for: wanted) else {
      throw MediaError(.unsupported, "the encoder \(wanted.description.name) is not there")
    }
    return factory
  }

  private func note(_ text: String) { report.plugins.append(text) }

  /// What the source's damage and the output's form cost, a sentence each.
  private func losses(_ damage: [MediaError]) -> [String] {
    var losses = damage.prefix(4).map { "the file is damaged: \($0.description)" }
    if damage.count > 4 { losses.append("\(damage.count - 4) more places are damaged") }
    for (track, stage) in decoders where stage.damagedPackets > 0 {
      let reason = stage.firstDamage.map { ": \($0.description)" } ?? ""
      losses.append("track \(track): \(stage.damagedPackets) packets could not be decoded\(reason)")
    }
    for (track, stage) in pictures where stage.outOfOrder > 0 {
      losses.append(
        "track \(track): \(stage.outOfOrder) pictures came out of order and were left out")
    }
    for (track, stage) in sounds where stage.insertedSeconds > 0.1 || stage.droppedSeconds > 0.1 {
      let (put, cut) = (milliseconds(stage.insertedSeconds), milliseconds(stage.droppedSeconds))
      losses.append(
        "track \(track): to keep time, \(put) ms of silence were put in and \(cut) ms dropped")
    }
    for (track, stage) in sounds where stage.unbelievedHoles > 0 {
      losses.append(
        "track \(track): times of the sound jump further than is believed; it goes on at once")
    }
    for track in settings.tracks {
      guard case .drop(let reason) = track.action else { continue }
      losses.append("track \(track.source) is dropped: \(reason)")
    }
    return losses
  }

  private func milliseconds(_ seconds: Double) -> Int { Int((seconds * 1000).rounded()) }
}
