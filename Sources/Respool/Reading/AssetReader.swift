public import RespoolMedia

/// Reads samples of an asset's tracks.
///
/// Add outputs, start, then take samples from the outputs until each gives nil. Samples that lie between
/// those of the output that is asked are kept for their own outputs. Reading happens on the calling
/// thread; one thread at a time uses a reader, `cancelReading` may come from any.
// Sendable: every member but `cancelReading` takes the lock.
public final class AssetReader: @unchecked Sendable {
  public enum Status: Sendable { case unknown, reading, completed, failed, cancelled }

  public let asset: Asset
  private let lock = Monitor()
  private let source: FileSource
  private let demuxer: DemuxerInstance
  private var readerOutputs: [AssetReaderTrackOutput] = []
  private var stages: [(any Stage<Packet>)?] = []
  private var state = Status.unknown
  private var failure: MediaError?
  private var atEnd = false

  /// Opens the asset's file.
  ///
  /// Throws where it cannot be read.
  public init(asset: Asset) throws(MediaError) {
    self.asset = asset
    source = try FileSource(path: asset.path)
    demuxer = try asset.registry.openDemuxer(source)
  }

  public var status: Status { lock.locked { state } }
  /// Why it failed; nil unless the status is `failed`.
  public var error: MediaError? { lock.locked { failure } }
  public var outputs: [AssetReaderTrackOutput] { lock.locked { readerOutputs } }

  /// Whether the output's track is one of the asset, not taken yet, and reading has not begun.
  public func canAdd(_ output: AssetReaderTrackOutput) -> Bool {
    lock.locked { canAddLocked(output) }
  }

  private func canAddLocked(_ output: AssetReaderTrackOutput) -> Bool {
    state == .unknown && output.track.asset === asset && output.reader == nil
      && demuxer.media.tracks.indices.contains(output.track.index)
      && !readerOutputs.contains { $0.track.index == output.track.index }
  }

  /// Throws `invalidArgument` where `canAdd` is false.
  public func add(_ output: AssetReaderTrackOutput) throws(MediaError) {
    let added = lock.locked {
      guard canAddLocked(output) else { return false }
      output.reader = self
      readerOutputs.append(output)
      return true
    }
    if !added { throw MediaError(.invalidArgument, "the output cannot be added to this reader") }
  }

  /// Makes everything ready.
  ///
  /// False where that fails or reading has begun before; `error` tells why.
  @discardableResult public func startReading() -> Bool {
    lock.locked {
      guard state == .unknown else { return false }
      do throws(MediaError) {
        stages = Array(repeating: nil, count: demuxer.media.tracks.count)
        for output in readerOutputs { stages[output.track.index] = try stage(for: output) }
        try demuxer.select(stages.map { $0 != nil })
        state = .reading
        return true
      } catch {
        fail(error)
        return false
      }
    }
  }

  /// Stops reading; the next sample that is asked for is nil.
  ///
  /// Any thread.
  public func cancelReading() {
    source.cancel()
    lock.locked { if state == .reading || state == .unknown { state = .cancelled } }
  }

  func next(for output: AssetReaderTrackOutput) -> SampleBuffer? {
    lock.locked {
      while output.ready.isEmpty, state == .reading, !atEnd { pump() }
      guard state == .reading else { return nil }
      if output.ready.isEmpty {
        output.hasEnded = true
        if readerOutputs.allSatisfy(\.hasEnded) { state = .completed }
        return nil
      }
      return output.ready.removeFirst()
    }
  }

  /// Reads one packet and gives it to its stage.
  private func pump() {
    do throws(MediaError) {
      if source.isCancelled { throw MediaError(.cancelled, "stopped") }
      if let packet = try demuxer.read() {
        guard stages.indices.contains(packet.track) else { return }
        try stages[packet.track]?.consume(packet)
      } else {
        atEnd = true
        for stage in stages { try stage?.finish() }
      }
    } catch { fail(error) }
  }

  private func fail(_ error: MediaError) {
    state = error.code == .cancelled ? .cancelled : .failed
    failure = state == .failed ? error.inFile(asset.path) : nil
  }

  private func stage(for output: AssetReaderTrackOutput) throws(MediaError) -> any Stage<Packet> {
    let track = output.track.description
    switch output.settings {
    case nil: return StoredSampleStage(output, source)
    case .video(let pixelFormat, let width, let height):
      guard track.kind == .video else {
        throw MediaError(.invalidArgument, "video settings for a track of \(track.kind)")
      }
      let end = DecodedSampleStage(output, timeBase: track.timeBase)
      var next: any Stage<Frame> = end
      if pixelFormat != nil || width != nil || height != nil {
        var color = track.color
        if color.range == .unspecified { color.range = .limited }
        next = PictureStage(
          output: PictureShape(
            pixelFormat: pixelFormat ?? track.pixelFormat, width: width ?? track.width,
            height: height ?? track.height, color: color),
          orientation: .init(), sampleAspect: nil, maximumRate: nil, timeBase: track.timeBase,
          to: end)
      }
      return try decode(track, to: next)
    case .audio(let format, let rate, let layout):
      guard track.kind == .audio else {
        throw MediaError(.invalidArgument, "audio settings for a track of \(track.kind)")
      }
      let shape = SoundShape(
        sampleFormat: format ?? (track.sampleFormat == .none ? .flt : track.sampleFormat),
        sampleRate: rate ?? track.sampleRate, channelLayout: layout ?? track.channelLayout)
      let end = DecodedSampleStage(
        output, timeBase: Rational(1, Int32(clamping: shape.sampleRate)))
      return try decode(track, to: SoundStage(output: shape, timeBase: track.timeBase, to: end))
    }
  }

  private func decode(_ track: TrackDescription, to next: any Stage<Frame>) throws(MediaError)
    -> any Stage<Packet>
  {
    let decoder = try asset.registry.openDecoder(track, threads: 1)
    return DecodeStage(decoder, source: source, track: track, to: next)
  }
}

private final class StoredSampleStage: Stage {
  private unowned let output: AssetReaderTrackOutput
  private let source: FileSource

  init(_ output: AssetReaderTrackOutput, _ source: FileSource) {
    self.output = output
    self.source = source
  }

  func consume(_ packet: Packet) throws(MediaError) {
    let format = output.track.formatDescription
    let packet = try source.bytes(of: packet)
    output.ready.append(
      SampleBuffer(.packet(packet), format: format, timeBase: format.track.timeBase))
  }

  func finish() {}
}

private final class DecodedSampleStage: Stage {
  private unowned let output: AssetReaderTrackOutput
  private let timeBase: Rational
  private var format: FormatDescription?

  init(_ output: AssetReaderTrackOutput, timeBase: Rational) {
    self.output = output
    self.timeBase = timeBase
  }

  func consume(_ frame: Frame) {
    output.ready.append(
      SampleBuffer(.frame(frame), format: description(of: frame), timeBase: timeBase))
  }

  func finish() {}

  /// Made anew only where the frames change.
  private func description(of frame: Frame) -> FormatDescription {
    var track = output.track.description
    track.timeBase = timeBase
    track.extradata = []
    switch frame.kind {
    case .video:
      track.codec = "rawvideo"
      (track.width, track.height) = (frame.width, frame.height)
      (track.pixelFormat, track.color) = (frame.pixelFormat, frame.color)
    case .audio:
      track.codec = "pcm"
      (track.sampleRate, track.channelLayout) = (frame.sampleRate, frame.channelLayout)
      track.sampleFormat = frame.sampleFormat
    }
    if let format, format.track == track { return format }
    let fresh = FormatDescription(track)
    format = fresh
    return fresh
  }
}
