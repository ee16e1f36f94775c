public import RespoolMedia

/// Reads samples of an asset's tracks.
///
/// Add outputs, start, then take samples from the outputs, in any order, until each gives nil; the
/// status is `completed` when all have. Reading happens on the calling thread. Outputs may be read from
/// threads of their own, which then wait for each other; `cancelReading` may come from any.
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
  private var range = AssetReader.everything
  private var outputOfTrack: [Int: AssetReaderTrackOutput] = [:]

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

  private static let everything = TimeRange(start: .zero, duration: .positiveInfinity)

  /// What of the asset is read; zero to infinity unless it is set before `startReading`.
  ///
  /// Decoded sound is cut to the sample; of decoded pictures those come that are seen in the range,
  /// their times cut to it. Stored samples start with the last one from which decoding reaches the
  /// range's start. Times stay those of the asset. Later changes, and ranges that are not valid, have
  /// no effect.
  public var timeRange: TimeRange {
    get { lock.locked { range } }
    set {
      lock.locked {
        if state == .unknown, newValue.start.isNumeric, newValue.isValid { range = newValue }
      }
    }
  }

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
        for output in readerOutputs {
          stages[output.track.index] = try stage(for: output)
          outputOfTrack[output.track.index] = output
        }
        try demuxer.select(stages.map { $0 != nil })
        try seekToRange()
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
      while state == .reading, output.ready.isEmpty, !output.hasEnded { step(for: output) }
      guard state == .reading else { return nil }
      if let sample = output.ready.popFirst() { return sample }
      if readerOutputs.allSatisfy({ $0.hasEnded && $0.ready.isEmpty }) { state = .completed }
      return nil
    }
  }

  /// Does one step towards a sample for `output`.
  ///
  /// What is read for other outputs waits as it is in the file and is decoded when it is asked for, so
  /// that one output may be read to its end before another is begun.
  private func step(for output: AssetReaderTrackOutput) {
    do throws(MediaError) {
      if source.isCancelled { throw MediaError(.cancelled, "stopped") }
      let stage = stages[output.track.index]
      if output.isPastEnd {
        output.hasEnded = true
        output.waiting.removeAll()
      } else if let packet = output.waiting.popFirst() {
        try stage?.consume(packet)
      } else if atEnd {
        output.hasEnded = true
        try stage?.finish()
      } else if let packet = try demuxer.read() {
        guard let owner = outputOfTrack[packet.track], !owner.hasEnded else { return }
        owner.waiting.append(packet)
      } else {
        atEnd = true
      }
    } catch { fail(error) }
  }

  /// Goes near the start of the range; where the demuxer cannot, everything before it is read over.
  private func seekToRange() throws(MediaError) {
    guard range.start > .zero else { return }
    let leader = readerOutputs.first { $0.track.mediaType == .video } ?? readerOutputs.first
    guard let leader else { return }
    // Sound codecs need some packets to be exact: Opus 80 ms (RFC 7845 4.6), Layer III what its bit
    // reservoir reaches back.
    let hasSound = readerOutputs.contains { $0.track.mediaType == .audio && $0.settings != nil }
    let target = range.start - (hasSound ? MediaTime(value: 1, timescale: 4) : .zero)
    guard target > .zero else { return }
    let unit = Rational(1, target.timescale)
    let base = leader.track.description.timeBase
    do throws(MediaError) {
      try demuxer.seek(
        track: leader.track.index, to: unit.convert(target.value, to: base, rounding: .down))
    } catch  where error.code == .unsupported {
    } catch { throw error }
  }

  private func fail(_ error: MediaError) {
    state = error.code == .cancelled ? .cancelled : .failed
    failure = state == .failed ? error.inFile(asset.path) : nil
  }

  private func stage(for output: AssetReaderTrackOutput) throws(MediaError) -> any Stage<Packet> {
    let track = output.track.description
    switch output.settings {
    case nil: return StoredSampleStage(output, source, range)
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
      return try decode(
        track, to: RangeStage(output, range, timeBase: track.timeBase, to: next))
    case .audio(let format, let rate, let layout):
      guard track.kind == .audio else {
        throw MediaError(.invalidArgument, "audio settings for a track of \(track.kind)")
      }
      let shape = SoundShape(
        sampleFormat: format ?? (track.sampleFormat == .none ? .flt : track.sampleFormat),
        sampleRate: rate ?? track.sampleRate, channelLayout: layout ?? track.channelLayout)
      let end = DecodedSampleStage(
        output, timeBase: Rational(1, Int32(clamping: shape.sampleRate)))
      let cut = RangeStage(output, range, timeBase: end.timeBase, to: end)
      return try decode(track, to: SoundStage(output: shape, timeBase: track.timeBase, to: cut))
    }
  }

  private func decode(_ track: TrackDescription, to next: any Stage<Frame>) throws(MediaError)
    -> any Stage<Packet>
  {
    let decoder = try asset.registry.openDecoder(track, threads: 1)
    return DecodeStage(decoder, source: source, track: track, to: next)
  }
}
