public import RespoolMedia

/// Reads the sound of a file and reduces it to a waveform, in one pass over the file.
///
/// A file that is wrong about its length is read twice where that matters. Memory does not grow with the
/// length of the sound unless bins of a fixed number of samples are asked for, and then by 16 bytes to
/// each of them.
public struct WaveformReader: Sendable {
  public enum Resolution: Sendable, Hashable, CustomStringConvertible {
    /// So many bins of all the sound, 1 to 1,048,576 divided by the channels.
    case bins(Int)
    /// As many bins of a whole number of samples as there can be, and no more than so many, 1 to 1,048,576
    /// divided by the channels: their times are exact in data of `Waveform.json(_:)` and `dat(_:)`.
    case wholeBins(Int)
    /// So many samples of each channel to a bin, at least 1.
    case samplesPerBin(Int)

    public var description: String {
      switch self {
      case .bins(let count), .wholeBins(let count): "\(count) bins"
      case .samplesPerBin(1): "bins of a sample each"
      case .samplesPerBin(let count): "bins of \(count) samples"
      }
    }
  }

  public struct Settings: Sendable, Hashable {
    public var resolution: Resolution
    /// What of the file is read, to the nearest sample; nil: all.
    ///
    /// 0 is the start of the file, where its first track begins.
    public var timeRange: TimeRange?
    /// Whether all channels are mixed to one, their mean.
    public var mixesChannels: Bool
    /// The file's own number of the track; nil: the sound that the file presents first.
    public var trackID: Int64?

    public init(
      resolution: Resolution = .bins(1800), timeRange: TimeRange? = nil,
      mixesChannels: Bool = true, trackID: Int64? = nil
    ) {
      self.resolution = resolution
      self.timeRange = timeRange
      self.mixesChannels = mixesChannels
      self.trackID = trackID
    }
  }

  public let asset: Asset
  public var settings: Settings

  public init(asset: Asset, settings: Settings = Settings()) {
    self.asset = asset
    self.settings = settings
  }

  /// Reads the file, on the calling thread.
  ///
  /// Damage that reading went on behind is in the waveform. Throws `invalidArgument` for settings out of
  /// their ranges and for a time range in which there is no sound, `unsupported` where the file has no
  /// sound or nothing decodes it, `limitExceeded` where there would be more than 16,777,216 bins, and
  /// `cancelled` once `cancellation`, which another thread may use, says so.
  public func read(cancelledBy cancellation: ReadCancellation? = nil) throws(MediaError)
    -> Waveform
  {
    guard let path = asset.path, let registry = asset.fileRegistry else {
      throw MediaError(
        .unsupported, "a waveform is made of a file, not of a composition: export it first")
    }
    do throws(MediaError) {
      try check()
      let source = try FileSource(path: path)
      let reading = { () throws(MediaError) in
        switch try pass(source, registry, counted: nil) {
        case .waveform(let waveform): return waveform
        case .otherLength(let samples):
          guard case .waveform(let waveform) = try pass(source, registry, counted: samples) else {
            throw MediaError(.io, "it has changed while it was read")
          }
          return waveform
        }
      }
      guard let cancellation else { return try reading() }
      return try cancellation.covering(source, reading)
    } catch { throw error.inFile(path) }
  }

  /// Reads the file on a thread of its own; throws `cancelled` soon after the task is cancelled.
  ///
  /// For the rest as the method that blocks.
  public func waveform() async throws(MediaError) -> Waveform {
    let cancellation = ReadCancellation()
    let result: Result<Waveform, MediaError> = await withTaskCancellationHandler {
      do throws(MediaError) {
        return .success(
          try await PlainThread.result("waveform") { () throws(MediaError) in
            try read(cancelledBy: cancellation)
          })
      } catch { return .failure(error) }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }

  private func check() throws(MediaError) {
    switch settings.resolution {
    case .bins(let count) where !(1...1 << 20).contains(count),
      .wholeBins(let count) where !(1...1 << 20).contains(count):
      throw MediaError(.invalidArgument, "\(count) bins; 1 to \(1 << 20) can be made")
    case .samplesPerBin(let count) where !(1...Int(Int32.max)).contains(count):
      throw MediaError(
        .invalidArgument, "\(count) samples to a bin; 1 to \(Int32.max) can be asked for")
    default: break
    }
    if let range = settings.timeRange,
      !range.isValid || !range.start.isNumeric || range.duration.isIndefinite
    {
      throw MediaError(.invalidArgument, "the time range to read is not valid")
    }
  }

  private enum Outcome {
    case waveform(Waveform)
    /// The bins were made for another number of samples than there are.
    case otherLength(Int64)
  }

  /// Reads all that is wanted once.
  ///
  /// `counted`: how many samples there are; nil where only the file tells.
  private func pass(_ source: FileSource, _ registry: PluginRegistry, counted: Int64?)
    throws(MediaError) -> Outcome
  {
    let demuxer = try registry.openDemuxer(source)
    let tracks = demuxer.media.tracks
    let index = try chosenTrack(tracks)
    let track = tracks[index]
    let all = tracks.map { _ in true }
    let origin = DemuxLoop.startOffsets(tracks, wanted: all)[index]

    let reduction = ReductionStage(
      settings,
      .init(
        start: (track.start ?? 0) &- origin, duration: track.duration, timeBase: track.timeBase,
        isSure: counted == nil && PacketJoiner.joins(track), counted: counted,
        channels: track.channelLayout.channelCount))
    let decode = try DecodeStage(
      track, of: source, registry: registry, threads: 1,
      to: WaveformStage(timeBase: track.timeBase, to: reduction))
    let first: any Stage<Packet> = PacketJoiner(track, to: decode) ?? decode

    var loop = DemuxLoop(
      demuxer: demuxer, source: source,
      stages: tracks.indices.map { $0 == index ? first : nil }, startingWith: all)
    loop.isComplete = { reduction.isComplete }
    // Sound codecs need some packets to be exact, as in `TrackChain`.
    loop.beginning = settings.timeRange.map {
      (index, $0.start - MediaTime(value: 1, timescale: 4))
    }
    try loop.run()
    var damage = demuxer.media.warning.map { [MediaError(.malformed, $0)] } ?? []
    damage += loop.damage
    if let failure = decode.firstDamage { damage.append(failure) }

    guard var waveform = reduction.waveform() else { return .otherLength(reduction.sampleCount) }
    if waveform.sampleCount == 0 {
      if let range = settings.timeRange {
        // Nothing is decoded where the demuxer finds that the range lies behind the end.
        let end =
          reduction.end
          ?? track.duration.map {
            MediaTime((track.start ?? 0) &- origin &+ $0, track.timeBase)
          }
        throw MediaError(
          .invalidArgument,
          "there is no sound from \(range.start.seconds) s on"
            + (end.map { "; it ends at \($0.seconds) s" } ?? ""))
      }
      waveform.sampleRate = track.sampleRate
    }
    waveform.damage = damage.map { $0.inFile(source.path) }
    return .waveform(waveform)
  }

  private func chosenTrack(_ tracks: [TrackDescription]) throws(MediaError) -> Int {
    let sounds = tracks.indices.filter { tracks[$0].kind == .audio }
    if let wanted = settings.trackID {
      if let index = sounds.first(where: { tracks[$0].id == wanted }) { return index }
      let known = sounds.map { String(tracks[$0].id) }
      throw MediaError(
        .invalidArgument,
        "track \(wanted) is no sound of the file; "
          + (known.isEmpty
            ? "it has none"
            : known.count == 1
              ? "its sound is track \(known[0])"
              : "its sound is in the tracks \(known.joined(separator: ", "))"))
    }
    let preferred = sounds.first { tracks[$0].disposition.contains(.default) }
    guard let index = preferred ?? sounds.first else {
      throw MediaError(.unsupported, "there is no sound in the file, and a waveform shows sound")
    }
    return index
  }
}
