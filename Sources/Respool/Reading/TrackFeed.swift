import RespoolMedia

/// Reads one segment of a file's track and pushes its packets through stages.
struct TrackFeed {
  let clip: TrackRange
  let source: FileSource
  let demuxer: DemuxerInstance
  private let registry: PluginRegistry

  /// Opens the file, or reopens `opened` if it is not `nil`.
  ///
  /// `copies`: packets are not for a decoder. Throws if the file cannot be read.
  init(_ clip: TrackRange, of opened: FileSource? = nil, copies: Bool) throws(MediaError) {
    guard let asset = clip.track.asset, let path = asset.path, let registry = asset.fileRegistry
    else {
      throw MediaError(.invalidArgument, "a segment of a composition has lost its file")
    }
    self.clip = clip
    self.registry = registry
    source = if let opened { try FileSource(again: opened) } else { try FileSource(path: path) }
    demuxer = try registry.openDemuxer(source, for: copies ? .copying : .decoding)
    guard demuxer.media.tracks.indices.contains(clip.track.index) else {
      throw MediaError(
        .malformed, "the file no longer has \(TrackNumber(index: clip.track.index))", file: path)
    }
  }

  var track: TrackDescription { clip.track.description }

  /// Returns a stage that decodes the track for `next`.
  func decoded(threads: Int, to next: any Stage<Frame>) throws(MediaError) -> DecodeStage {
    let stored = demuxer.media.tracks[clip.track.index]
    let described = DescribedStage(track, stored: stored, to: next)
    let stage = try ChainBuilder(registry: registry, threads: threads).decode(
      track, of: source, to: described ?? next)
    stage.onChange = described?.change
    return stage
  }

  /// Reads until `readLimit` reports that the rest is not wanted, or the file ends.
  ///
  /// Decoding begins earlier by `lead`, so that it is exact. Damage is reported to `note`, and reading
  /// continues after it.
  func run(
    to stage: any Stage<Packet>, lead: MediaTime, until readLimit: ReadLimit,
    note: (MediaError) -> Void
  ) throws(MediaError) {
    let index = clip.track.index
    do throws(MediaError) {
      try demuxer.select(demuxer.media.tracks.indices.map { $0 == index })
      try demuxer.seekIfPossible(track: index, to: clip.source.start - lead)
      var reader = DamageTolerantReader(demuxer)
      while !readLimit.isPast, let packet = try reader.next(note: note) {
        if source.isCancelled || readLimit.isAbandoned { throw MediaError(.cancelled, "stopped") }
        if packet.track == index { try stage.consume(packet) }
      }
      try stage.finish()
    } catch { throw error.inFile(source.path) }
  }
}

/// Progress of reading a segment; shared by its stages and the loop that feeds them.
final class ReadLimit {
  /// `true` if media after the segment has been seen.
  var isPast = false
  private let queue: SampleQueue

  init(_ queue: SampleQueue) { self.queue = queue }

  var isAbandoned: Bool { queue.wasAbandoned }
}
