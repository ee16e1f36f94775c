public import RespoolMedia

/// Reads the audio of a file and reduces it to a waveform, in one pass over the file.
///
/// A file that states a wrong duration is read twice if that matters. Memory does not grow with the duration,
/// except for bins of a fixed number of audio samples. These take 16 bytes each for every channel.
public struct WaveformReader: Sendable {
  /// Number of bins, or number of audio samples in each bin.
  public enum Resolution: Sendable, Hashable, CustomStringConvertible {
    /// This number of bins for the whole audio: 1 to 1,048,576 divided by the number of channels.
    case bins(Int)
    /// At most this number of bins, each with the same whole number of audio samples.
    ///
    /// 1 to 1,048,576 divided by the number of channels. The bins are as many as possible, and their times
    /// are exact in the data of `Waveform.json(_:)` and `dat(_:)`.
    case wholeBins(Int)
    /// This number of audio samples of each channel per bin, at least 1.
    case samplesPerBin(Int)

    public var description: String {
      switch self {
      case .bins(let count), .wholeBins(let count): count.counting("bin")
      case .samplesPerBin(1): "bins of one sample"
      case .samplesPerBin(let count): "bins of \(count.counting("sample"))"
      }
    }
  }

  /// Settings of a reader: resolution, time range, channels and track.
  public struct Settings: Sendable, Hashable {
    public var resolution: Resolution
    /// Range of the file to read, to the nearest audio sample.
    ///
    /// 0 is the start of the file, where its first track begins. `nil`: the whole file.
    public var timeRange: TimeRange?
    /// `true` if all channels are mixed to one by their mean.
    public var mixesChannels: Bool
    /// Track number stored in the file.
    ///
    /// `nil`: the default audio track, or else the first audio track.
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

  /// Reads the file on the calling thread.
  ///
  /// The waveform lists the damage after which reading continued. Throws these errors:
  ///
  /// - `invalidArgument` for settings out of range and for a time range without audio
  /// - `unsupported` if the file has no audio or there is no decoder for it
  /// - `limitExceeded` for more than 16,777,216 bins
  /// - `cancelled` after `cancellation`, which another thread may use, was cancelled
  public func read(cancelledBy cancellation: ReadCancellation? = nil) throws(MediaError)
    -> Waveform
  {
    guard let path = asset.path, let registry = asset.fileRegistry else {
      throw MediaError(
        .unsupported, "a waveform needs a file; export the composition first")
    }
    do throws(MediaError) {
      try check()
      let source = try FileSource(path: path)
      let reading = { () throws(MediaError) in
        switch try pass(source, registry, counted: nil) {
        case .waveform(let waveform): return waveform
        case .otherLength(let samples):
          guard case .waveform(let waveform) = try pass(source, registry, counted: samples) else {
            throw MediaError(.io, "the file changed while it was read")
          }
          return waveform
        }
      }
      guard let cancellation else { return try reading() }
      return try cancellation.covering(source, reading)
    } catch { throw error.inFile(path) }
  }

  /// Asynchronous version of ``read(cancelledBy:)``.
  ///
  /// Reads the file on a separate thread. Throws `cancelled` soon after the task is cancelled.
  public func waveform() async throws(MediaError) -> Waveform {
    try await ReadCancellation.result("waveform") { (cancellation) throws(MediaError) in
      try read(cancelledBy: cancellation)
    }
  }

  private func check() throws(MediaError) {
    switch settings.resolution {
    case .bins(let count) where !(1...1 << 20).contains(count),
      .wholeBins(let count) where !(1...1 << 20).contains(count):
      throw MediaError(
        .invalidArgument,
        "\(count.counting("bin", "was", "were")) requested; the limits are 1 to \(1 << 20)")
    case .samplesPerBin(let count) where !(1...Int(Int32.max)).contains(count):
      throw MediaError(
        .invalidArgument,
        "\(count.counting("sample")) per bin were requested; the limits are 1 to \(Int32.max)")
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
    /// Actual number of audio samples, which differs from the number that the bins were made for.
    case otherLength(Int64)
  }

  /// Reads the selected audio once.
  ///
  /// `counted` is the number of audio samples. `nil`: only the file states it.
  private func pass(_ source: FileSource, _ registry: PluginRegistry, counted: Int64?)
    throws(MediaError) -> Outcome
  {
    let demuxer = try registry.openDemuxer(source)
    let tracks = demuxer.media.tracks
    let index = try chosenTrack(tracks)
    let track = tracks[index]
    let all = tracks.map { _ in true }
    let origin = DemuxLoop.startOffsets(tracks, isSelected: all)[index]

    let reduction = ReductionStage(
      settings,
      .init(
        start: (track.start ?? 0) &- origin, duration: track.duration, timeBase: track.timeBase,
        isSure: counted == nil && PacketJoiner.joins(track), counted: counted,
        channels: track.channelLayout.channelCount))
    let decode = try ChainBuilder(registry: registry).decode(
      track, of: source, to: WaveformStage(timeBase: track.timeBase, to: reduction))
    let first: any Stage<Packet> = PacketJoiner(track, to: decode) ?? decode

    var loop = DemuxLoop(
      demuxer: demuxer, source: source,
      stages: tracks.indices.map { $0 == index ? first : nil }, startingWith: all)
    loop.isComplete = { reduction.isComplete }
    loop.beginning = settings.timeRange.map { (index, $0.start - ChainBuilder.audioLead) }
    try loop.run()
    var damage = demuxer.media.warning.map { [MediaError(.malformed, $0)] } ?? []
    damage += loop.damage
    if let failure = decode.firstDamage { damage.append(failure) }

    guard var waveform = reduction.waveform() else { return .otherLength(reduction.sampleCount) }
    if waveform.sampleCount == 0 {
      if let range = settings.timeRange {
        // Nothing is decoded if the demuxer finds that the range begins after the end.
        let end =
          reduction.end
          ?? track.duration.map {
            MediaTime((track.start ?? 0) &- origin &+ $0, track.timeBase)
          }
        throw MediaError(
          .invalidArgument,
          "there is no audio from \(range.start.seconds) s on"
            + (end.map { "; the audio ends at \($0.seconds) s" } ?? ""))
      }
      waveform.sampleRate = track.sampleRate
    }
    waveform.damage = damage.map { $0.inFile(source.path) }
    return .waveform(waveform)
  }

  private func chosenTrack(_ tracks: [TrackDescription]) throws(MediaError) -> Int {
    let audioTracks = tracks.indices.filter { tracks[$0].kind == .audio }
    if let trackID = settings.trackID {
      if let index = audioTracks.first(where: { tracks[$0].id == trackID }) { return index }
      let known = audioTracks.map { String(tracks[$0].id) }
      throw MediaError(
        .invalidArgument,
        "track \(trackID) is not an audio track of the file; "
          + (known.isEmpty
            ? "the file has none"
            : known.count == 1
              ? "the audio track is \(known[0])"
              : "the audio tracks are \(known.joined(separator: ", "))"))
    }
    let preferred = audioTracks.first { tracks[$0].disposition.contains(.default) }
    guard let index = preferred ?? audioTracks.first else {
      throw MediaError(.unsupported, "the file has no audio, which a waveform needs")
    }
    return index
  }
}
