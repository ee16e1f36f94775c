package import RespoolHost
package import RespoolMedia

/// Builder of the chains of stages of one run.
///
///     demuxer -> decoder -> filters -> conversion -> encoder -> interleaver -> muxer
///
/// It opens the plugins, and decides which stages run on threads of their own. One thread uses it.
package final class ChainBuilder {
  package let registry: PluginRegistry
  /// Number of threads that may be used; with 1, everything runs on the caller's thread.
  package let threads: Int
  /// Cancellation and warnings of the run.
  package let monitor: JobMonitor
  private var queues: [() -> Void] = []

  /// Time by which decoding of audio begins earlier, so that it is exact.
  ///
  /// Codecs need some packets: Opus 80 ms (RFC 7845 4.6), Layer III the reach of its bit reservoir. A
  /// resampler needs the length of its filter.
  package static let audioLead = MediaTime(value: 1, timescale: 4)

  /// Bytes that wait between threads.
  private enum Limit {
    /// A few frames in flight keep decoder and encoder busy; more would only cost memory.
    static let video = 6 << 20
    /// Some seconds of audio; with more, finished frames would pile up before the muxer.
    static let audio = 1 << 20
  }

  /// Creates a builder; `scratch` has the files of encoders that pass statistics from one run to the next.
  package init(registry: PluginRegistry, threads: Int = 1, scratch: ScratchFiles? = nil) {
    (self.registry, self.threads, monitor) = (registry, threads, JobMonitor(scratch: scratch))
  }

  // MARK: Decoding

  /// Returns a stage that decodes a track; throws if there is no decoder for it.
  ///
  /// If `isStrict` is `true`, the decoder reports damage that it would otherwise conceal.
  package func decode(
    _ track: TrackDescription, of source: FileSource, isStrict: Bool = false,
    to next: any Stage<Frame>
  ) throws(MediaError) -> DecodeStage {
    // Audio codecs have no threads.
    try DecodeStage(
      track, of: source, registry: registry, threads: track.kind == .video ? threads : 1,
      isStrict: isStrict, to: next)
  }

  /// Returns the first stage of an audio track, which decodes its packets on a thread of its own.
  package func queued(_ decode: DecodeStage) throws(MediaError) -> any Stage<Packet> {
    guard threads > 1 else { return decode }
    let queue = try QueueStage(to: decode, limit: Limit.audio, name: "audio") { (packet: Packet) in
      packet.size + 4096
    }
    queues.append { queue.abandon() }
    return queue
  }

  // MARK: Filters

  /// Opens filters for the frames of a track.
  package func filters(_ steps: [FilterChain.Step], of track: TrackDescription) throws(MediaError)
    -> FilterChain
  {
    // Audio filters have no threads, as audio codecs.
    try FilterChain(
      steps, of: track, registry: registry, threads: track.kind == .video ? threads : 1,
      monitor: monitor)
  }

  // MARK: Encoding

  /// Returns a closure that opens an encoder with the first frame, which `settings` describes.
  package func opener(
    _ factory: PluginFactory,
    _ settings: @escaping (Frame) throws(MediaError) -> EncoderSettings
  ) -> (Frame) throws(MediaError) -> EncoderInstance {
    { [registry, monitor] (frame: Frame) throws(MediaError) in
      var settings = try settings(frame)
      settings.job = monitor.job(for: factory.description.name)
      return try registry.openEncoder(factory, settings)
    }
  }

  /// Returns a stage that runs the stages from `next` on on a thread of their own, fed with frames.
  package func queued(_ next: any Stage<Frame>, of kind: TrackDescription.Kind) throws(MediaError)
    -> any Stage<Frame>
  {
    guard threads > 1 else { return next }
    let queue = try QueueStage(
      to: next, limit: kind == .video ? Limit.video : Limit.audio, name: "encode"
    ) { (frame: Frame) in frame.byteCount }
    queues.append { queue.abandon() }
    return queue
  }

  // MARK: Muxing

  /// Returns an interleaver that opens `muxer` when all tracks are known.
  ///
  /// `settings` describe all tracks; tracks without packets are left out of the file. `readsRanges` is `true` if the bytes
  /// of packets that are ranges of the source are compared with those of the file.
  package func interleaver(
    _ muxer: PluginFactory, media: MediaDescription, trackCount: Int, sink: FileSink,
    settings: MuxerSettings, limit: Int = Interleaver.usualLimit, isDurable: Bool = false,
    keepsEmptyTracks: Bool = false, readsRanges: Bool = false,
    segments: (any SegmentCutter)? = nil
  ) -> Interleaver {
    Interleaver(
      trackCount: trackCount, media: media, limit: limit, isDurable: isDurable,
      keepsEmptyTracks: keepsEmptyTracks, readsRanges: readsRanges, segments: segments
    ) { [registry] (media: MediaDescription, included: [Int]) throws(MediaError) -> MuxerInstance in
      segments?.begin(media)
      return try registry.openMuxer(
        muxer, media: media, sink: sink, settings: settings.limited(to: included))
    }
  }

  /// Ends the threads of the chains; for a run that failed.
  package func abandon() { for stop in queues { stop() } }
}

extension MuxerSettings {
  /// Returns the settings for a file that has only these of the tracks, in that order.
  package func limited(to included: [Int]) -> MuxerSettings {
    var settings = self
    settings.tracks = included.map { index in
      // Covers that are not tracks of the source come last.
      var track = tracks.indices.contains(index) ? tracks[index] : Track()
      track.references = track.references.compactMap { reference in
        included.firstIndex(of: reference.track).map { Reference(type: reference.type, track: $0) }
      }
      return track
    }
    return settings
  }
}
