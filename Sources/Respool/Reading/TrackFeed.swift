import RespoolMedia

/// Reads one piece of a file's track and pushes its packets through stages.
struct TrackFeed {
  let piece: TrackPiece
  let source: FileSource
  let demuxer: DemuxerInstance
  private let registry: PluginRegistry

  /// Opens the file, `opened` once more where that is it; throws where it cannot be read.
  ///
  /// `copies`: packets are not for a decoder.
  init(_ piece: TrackPiece, of opened: FileSource? = nil, copies: Bool) throws(MediaError) {
    guard let asset = piece.track.asset, let path = asset.path, let registry = asset.fileRegistry
    else {
      throw MediaError(.invalidArgument, "a piece of a composition has lost its file")
    }
    self.piece = piece
    self.registry = registry
    source = if let opened { try FileSource(again: opened) } else { try FileSource(path: path) }
    demuxer = try registry.openDemuxer(source, for: copies ? .copying : .decoding)
    guard demuxer.media.tracks.indices.contains(piece.track.index) else {
      throw MediaError(
        .malformed, "the file has no \(TrackNumber(index: piece.track.index)) any more", file: path)
    }
  }

  var track: TrackDescription { piece.track.description }

  /// A decoder for the track in front of `next`.
  func decoded(threads: Int, to next: any Stage<Frame>) throws(MediaError) -> DecodeStage {
    let stored = demuxer.media.tracks[piece.track.index]
    let described = DescribedStage(track, stored: stored, to: next)
    let stage = try DecodeStage(
      track, of: source, registry: registry, threads: threads, to: described ?? next)
    stage.onChange = described?.change
    return stage
  }

  /// Reads until `reach` says that what follows is not wanted, or the file ends.
  ///
  /// `lead` is how much earlier decoding has to begin to be exact. Damage is handed to `note`, and what lies behind it
  /// is read on.
  func run(
    to stage: any Stage<Packet>, lead: MediaTime, until reach: Reach, note: (MediaError) -> Void
  ) throws(MediaError) {
    let index = piece.track.index
    do throws(MediaError) {
      try demuxer.select(demuxer.media.tracks.indices.map { $0 == index })
      try demuxer.seekIfPossible(track: index, to: piece.source.start - lead)
      var reader = DamageTolerantReader(demuxer)
      while !reach.isPast, let packet = try reader.next(note: note) {
        if source.isCancelled || reach.isAbandoned { throw MediaError(.cancelled, "stopped") }
        if packet.track == index { try stage.consume(packet) }
      }
      try stage.finish()
    } catch { throw error.inFile(source.path) }
  }
}

/// How far a piece has been read; shared by its stages and the loop that feeds them.
final class Reach {
  /// What lies behind the piece has been seen.
  var isPast = false
  private let queue: SampleQueue

  init(_ queue: SampleQueue) { self.queue = queue }

  var isAbandoned: Bool { queue.wasAbandoned }
}
