public import RespoolMedia

/// Writes a file of media from samples.
///
/// Add inputs, start writing, start a session, append samples, finish. A file is written once, and only
/// where none is yet; on failure or cancelling nothing is left. Inputs may be fed from threads of their
/// own, one each; the rest is for one thread at a time.
// Sendable: state is behind the lock; an input's stage is called by the one thread that feeds it.
public final class AssetWriter: @unchecked Sendable {
  public enum Status: Sendable { case unknown, writing, completed, failed, cancelled }

  public let path: String
  public let container: String
  /// Written as the file's tags; set before `startWriting`.
  public var metadata: [MetadataEntry] = []

  private let registry: PluginRegistry
  private let muxer: PluginFactory
  private let lock = Monitor()
  private var writerInputs: [AssetWriterInput] = []
  private var state = Status.unknown
  private var failure: MediaError?
  private var interleaver: Interleaver?
  private var sink: FileSink?
  private var sessionStart: MediaTime?

  /// `container` is a muxer's name, alias or file extension.
  ///
  /// Throws `unsupported` where no plugin writes it.
  public init(path: String, container: String, registry: PluginRegistry) throws(MediaError) {
    guard let muxer = registry.muxer(named: container) else {
      throw MediaError(.unsupported, "no plugin writes \(container)")
    }
    self.path = path
    self.container = container
    self.registry = registry
    self.muxer = muxer
  }

  public var status: Status { lock.locked { state } }
  /// Why it failed; nil unless the status is `failed`.
  public var error: MediaError? { lock.locked { failure } }
  public var inputs: [AssetWriterInput] { lock.locked { writerInputs } }

  /// Whether the input is new, writing has not begun, and there is an encoder or a format for it.
  public func canAdd(_ input: AssetWriterInput) -> Bool {
    guard status == .unknown, input.writer == nil else { return false }
    switch input.settings {
    case nil:
      guard let hint = input.sourceFormatHint, hint.mediaType == input.mediaType else {
        return false
      }
      do throws(MediaError) {
        try registry.checkMuxer(muxer, track: hint.track)
        return true
      } catch { return false }
    case .video(let codec, let width, let height, let encoder, _, _, _):
      return input.mediaType == .video && width > 0 && height > 0
        && muxer.description.codecs.contains(codec) && factory(codec, encoder) != nil
    case .audio(let codec, let rate, let layout, let encoder, _, _):
      return input.mediaType == .audio && rate > 0 && layout.channelCount > 0
        && muxer.description.codecs.contains(codec) && factory(codec, encoder) != nil
    }
  }

  /// Throws `invalidArgument` where `canAdd` is false.
  public func add(_ input: AssetWriterInput) throws(MediaError) {
    guard canAdd(input) else {
      throw MediaError(.invalidArgument, "the input cannot be added to this writer", file: path)
    }
    input.writer = self
    lock.locked { writerInputs.append(input) }
  }

  /// Creates the file.
  ///
  /// False where it exists or cannot be created; `error` tells why.
  @discardableResult public func startWriting() -> Bool {
    guard status == .unknown else { return false }
    do throws(MediaError) {
      let sink = try FileSink(path: path, source: nil)
      var media = MediaDescription(format: container)
      media.metadata = metadata
      let (registry, muxer) = (registry, muxer)
      let inputs = inputs
      let interleaver = Interleaver(
        trackCount: inputs.count, media: media, limit: 32 << 20
      ) {
        (media: MediaDescription) throws(MediaError) -> MuxerInstance in
        try registry.openMuxer(muxer, media: media, sink: sink, options: [])
      }
      for (index, input) in inputs.enumerated() {
        input.port = MuxPort(interleaver, index: index)
      }
      lock.locked {
        self.sink = sink
        self.interleaver = interleaver
        state = .writing
      }
      return true
    } catch {
      fail(error)
      return false
    }
  }

  /// Samples at `time` are shown at the start of the file.
  ///
  /// Once, after `startWriting`, before the first sample.
  public func startSession(atSourceTime time: MediaTime) {
    lock.locked {
      if state == .writing, sessionStart == nil, time.isNumeric { sessionStart = time }
    }
  }

  /// Completes the file; blocks until it is on the disk.
  public func finishWriting() {
    guard status == .writing else { return }
    for input in inputs { finish(input) }
    guard status == .writing, let interleaver, let sink else { return }
    do throws(MediaError) {
      try interleaver.complete { () throws(MediaError) in
        try sink.finish()
        lock.locked { if state == .writing { state = .completed } }
      }
    } catch { fail(error) }
  }

  /// Stops and removes the file.
  public func cancelWriting() {
    // While nobody writes the file is either complete, and stays, or it is not, and goes.
    whileNobodyWrites { sink in
      let cancelled = lock.locked {
        guard state == .writing || state == .unknown else { return false }
        state = .cancelled
        return true
      }
      if cancelled { sink?.abandon() }
    }
  }

  private func whileNobodyWrites(_ body: (FileSink?) -> Void) {
    let (interleaver, sink) = lock.locked { (self.interleaver, self.sink) }
    if let interleaver { interleaver.stop { body(sink) } } else { body(sink) }
  }

  func isReady(_ input: AssetWriterInput) -> Bool {
    guard status == .writing, !input.isFinished, let port = input.port else {
      return false
    }
    return port.hasRoom
  }

  func append(_ sample: SampleBuffer, to input: AssetWriterInput) -> Bool {
    guard status == .writing, !input.isFinished else { return false }
    guard let start = lock.locked({ sessionStart }) else {
      fail(MediaError(.invalidArgument, "a sample came before startSession", file: path))
      return false
    }
    do throws(MediaError) {
      switch sample.content {
      case .frame(var frame):
        let isVideo = frame.kind == .video
        guard input.settings != nil, input.mediaType == (isVideo ? .video : .audio) else {
          throw MediaError(
            .invalidArgument,
            "decoded \(isVideo ? "pictures" : "sound") for an input that takes "
              + (input.settings == nil ? "compressed samples" : "something else"))
        }
        let stage = try stage(for: input, since: start, first: sample)
        let (time, base) = (sample.presentationTimeStamp, input.timeBase)
        frame.pts = try ticks(time, since: start, base)
        frame.duration = 0
        if sample.duration.isNumeric {
          // Rounded as an end, so that durations add up to the time line.
          let end = try ticks(time + sample.duration, since: start, base)
          frame.duration = frame.pts.map { max(0, end &- $0) } ?? 0
        }
        try stage.consume(frame)
      case .packet(var packet):
        guard input.settings == nil, let format = input.sourceFormatHint, let port = input.port
        else { throw MediaError(.invalidArgument, "a compressed sample for an encoding input") }
        let base = format.track.timeBase
        if !input.hasBegun {
          input.hasBegun = true
          var track = format.track
          track.displayMatrix = input.transform
          track.language = input.languageCode ?? track.language
          try port.begin(track)
        }
        packet.pts = try ticks(sample.presentationTimeStamp, since: start, base)
        if packet.dts != nil, sample.decodeTimeStamp.isNumeric {
          packet.dts = try ticks(sample.decodeTimeStamp, since: start, base)
        } else {
          packet.dts = packet.pts
        }
        try port.consume(packet)
      }
      return true
    } catch {
      fail(error)
      return false
    }
  }

  func finish(_ input: AssetWriterInput) {
    guard status == .writing, !input.isFinished else { return }
    input.isFinished = true
    do throws(MediaError) {
      if let stage = input.stage { try stage.finish() } else { try input.port?.finish() }
    } catch { fail(error) }
    input.stage = nil
  }

  private func fail(_ error: MediaError) {
    lock.locked {
      guard state == .unknown || state == .writing else { return }
      state = .failed
      failure = error.inFile(path)
    }
    whileNobodyWrites { $0?.abandon() }
  }

  private func factory(_ codec: String, _ name: String?) -> PluginFactory? {
    if let name {
      let encoder = registry.encoder(named: name)
      return encoder.flatMap { $0.description.codecs.contains(codec) ? $0 : nil }
    }
    return registry.encoders(for: codec).first
  }

  /// The unit of the times that an input's encoder gets.
  ///
  /// Sound: a sample. Pictures: that of the first one's time, so that times which are told in one unit
  /// stay exact; made finer where it is coarse, and 1/90,000 where it cannot serve.
  private func timeBase(of input: AssetWriterInput, since start: MediaTime, first: SampleBuffer)
    -> Rational
  {
    if case .audio(_, let rate, _, _, _, _) = input.settings {
      return Rational(1, Int32(clamping: rate))
    }
    let scale = (first.presentationTimeStamp - start).timescale
    guard scale > 0, scale <= 1_000_000 else { return Rational(1, 90_000) }
    return Rational(1, scale >= 10_000 ? scale : scale * (10_000 / scale + 1))
  }

  /// The input's chain of stages, made with its first sample.
  private func stage(for input: AssetWriterInput, since start: MediaTime, first: SampleBuffer)
    throws(MediaError) -> any Stage<Frame>
  {
    if let stage = input.stage { return stage }
    input.timeBase = timeBase(of: input, since: start, first: first)
    guard let port = input.port, let stage = stage(for: input, to: port) else {
      throw MediaError(.unsupported, "the encoder is not there any more")
    }
    input.stage = stage
    return stage
  }

  private func ticks(_ time: MediaTime, since start: MediaTime, _ base: Rational)
    throws(MediaError) -> Int64
  {
    let relative = time - start
    guard relative.isNumeric, relative.timescale > 0 else {
      throw MediaError(.invalidArgument, "a sample has no valid time")
    }
    return Rational(1, relative.timescale).convert(relative.value, to: base)
  }

  private func stage(for input: AssetWriterInput, to port: MuxPort) -> (any Stage<Frame>)? {
    let registry = registry
    let base = input.timeBase
    let (transform, language) = (input.transform, input.languageCode)
    switch input.settings {
    case nil: return nil
    case .video(let codec, let width, let height, let name, let bitRate, let quality, let options):
      guard let factory = factory(codec, name) else { return nil }
      let format = factory.description.pixelFormats.first ?? .yuv420p
      let encode = EncodeStage(to: port) { (frame: Frame) throws(MediaError) -> EncoderInstance in
        var track = TrackDescription(kind: .video, codec: codec, timeBase: base)
        (track.width, track.height) = (frame.width, frame.height)
        (track.pixelFormat, track.color) = (frame.pixelFormat, frame.color)
        track.sampleAspect = frame.sampleAspect
        track.displayMatrix = transform
        track.language = language
        return try registry.openEncoder(
          factory,
          EncoderSettings(track: track, bitRate: bitRate, quality: quality, options: options))
      }
      return PictureStage(
        output: PictureShape(pixelFormat: format, width: width, height: height),
        orientation: .init(), sampleAspect: nil, maximumRate: nil, timeBase: base, to: encode)
    case .audio(let codec, let rate, let layout, let name, let bitRate, let options):
      guard let factory = factory(codec, name) else { return nil }
      let shape = SoundShape(
        sampleFormat: factory.description.sampleFormats.first ?? .flt, sampleRate: rate,
        channelLayout: layout)
      let encode = EncodeStage(to: port) { (frame: Frame) throws(MediaError) -> EncoderInstance in
        var track = TrackDescription(kind: .audio, codec: codec, timeBase: base)
        track.sampleRate = rate
        track.channelLayout = layout
        track.sampleFormat = shape.sampleFormat
        track.language = language
        return try registry.openEncoder(
          factory, EncoderSettings(track: track, bitRate: bitRate, options: options))
      }
      return SoundStage(output: shape, timeBase: base, to: encode)
    }
  }
}
