import RespoolMedia

/// Brings the packets of all tracks into the order of their decoding times and writes them.
///
/// It opens the muxer once every track has said what it carries or that it stays empty. Whoever brings
/// a packet also writes what has become due, so no thread is needed. It never makes a track wait for
/// another: where one track lags so far behind that `limit` bytes are held, the earliest packets are
/// written without it, which costs neatness of the file and no memory.
// Sendable: all state is behind the lock.
final class Interleaver: @unchecked Sendable {
  private struct Track {
    var description: TrackDescription?
    var finished = false
    var packets: [Packet] = []
    var head = 0
    var timeBase = Rational.unknown
    var outputIndex = 0
    var lastDTS: Int64?
    var end: Int64 = 0
    var isEmpty: Bool { head == packets.count }
  }

  private let lock = Monitor()
  private var tracks: [Track]
  private var held = 0
  private let limit: Int
  private let open: (MediaDescription) throws(MediaError) -> MuxerInstance
  private var media: MediaDescription
  private var muxer: MuxerInstance?

  private var writtenEnd = 0.0

  /// `media` has metadata and chapters; its tracks come with `begin`.
  init(
    trackCount: Int, media: MediaDescription, limit: Int = 32 << 20,
    open: @escaping (MediaDescription) throws(MediaError) -> MuxerInstance
  ) {
    tracks = Array(repeating: Track(), count: trackCount)
    self.media = media
    self.limit = limit
    self.open = open
  }

  /// End of what has been written, in seconds, for progress.
  var writtenSeconds: Double { lock.locked { writtenEnd } }

  /// Whether a packet of this track would soon be written: not while the track is ahead of one that
  /// lags and half of what may be held is held.
  func hasRoom(for index: Int) -> Bool {
    lock.locked { held < limit / 2 || tracks[index].isEmpty }
  }

  func begin(_ index: Int, _ track: TrackDescription) throws(MediaError) {
    try guarded { () throws(MediaError) in
      tracks[index].description = track
      tracks[index].timeBase = track.timeBase
      try openIfReady()
    }
  }

  func update(_ index: Int, _ track: TrackDescription) {
    lock.locked { tracks[index].description = track }
  }

  func push(_ index: Int, _ packet: Packet) throws(MediaError) {
    try guarded { () throws(MediaError) in
      tracks[index].packets.append(packet)
      held += packet.size + 64
      try writeDue()
    }
  }

  func finish(_ index: Int) throws(MediaError) {
    try guarded { () throws(MediaError) in
      tracks[index].finished = true
      try openIfReady()
      try writeDue()
    }
  }

  /// Completes the file after every track has finished.
  ///
  /// Throws `unsupported` where nothing came.
  func complete() throws(MediaError) {
    try guarded { () throws(MediaError) in
      guard let muxer else {
        throw MediaError(.unsupported, "nothing to write: no track gave a single packet")
      }
      var final = media
      final.tracks = tracks.compactMap(\.description)
      try muxer.finish(final)
    }
  }

  private func guarded(_ body: () throws(MediaError) -> Void) throws(MediaError) {
    var failure: MediaError?
    lock.locked {
      do throws(MediaError) { try body() } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func openIfReady() throws(MediaError) {
    guard muxer == nil, tracks.allSatisfy({ $0.description != nil || $0.finished }) else { return }
    var described = media
    for index in tracks.indices {
      guard let description = tracks[index].description else { continue }
      tracks[index].outputIndex = described.tracks.count
      described.tracks.append(description)
    }
    guard !described.tracks.isEmpty else { return }
    let opened = try open(described)
    for index in tracks.indices where tracks[index].description != nil {
      tracks[index].outputIndex = min(tracks[index].outputIndex, described.tracks.count - 1)
    }
    muxer = opened
    try writeDue()
  }

  private func writeDue() throws(MediaError) {
    guard let muxer else {
      // Before every track is known nothing can be written; a track that never begins must not fill
      // the memory.
      if held > 8 * limit {
        throw MediaError(
          .limitExceeded, "a track gives nothing while others wait with \(held) bytes")
      }
      return
    }
    while let index = nextDue() {
      let packet = tracks[index].packets[tracks[index].head]
      tracks[index].head += 1
      if tracks[index].head == tracks[index].packets.count || tracks[index].head >= 256 {
        tracks[index].packets.removeFirst(tracks[index].head)
        tracks[index].head = 0
      }
      held -= packet.size + 64
      try write(packet, of: index, to: muxer)
    }
  }

  /// The track whose first packet is due, or nil where it is better to wait.
  private func nextDue() -> Int? {
    var best: Int?
    var bestTime = Double.infinity
    for index in tracks.indices {
      guard !tracks[index].isEmpty else {
        if tracks[index].finished || tracks[index].description == nil && held > limit { continue }
        if held > limit { continue }
        return nil
      }
      let packet = tracks[index].packets[tracks[index].head]
      let ticks = packet.dts ?? packet.pts ?? 0
      let seconds = Double(ticks) * tracks[index].timeBase.doubleValue
      if seconds < bestTime {
        bestTime = seconds
        best = index
      }
    }
    return best
  }

  private func write(_ packet: Packet, of index: Int, to muxer: MuxerInstance) throws(MediaError) {
    let from = tracks[index].timeBase
    let output = tracks[index].outputIndex
    let to = muxer.timeBase(ofTrack: output)
    var packet = packet
    packet.track = output
    if from != to {
      let end = packet.pts.map { from.convert($0 &+ packet.duration, to: to) }
      packet.pts = packet.pts.map { from.convert($0, to: to) }
      packet.dts = packet.dts.map { from.convert($0, to: to) }
      // Rounded as an end, so that durations add up to the time line.
      packet.duration =
        packet.pts.flatMap { pts in end.map { $0 - pts } } ?? from.convert(packet.duration, to: to)
      packet.trimStart = from.convert(packet.trimStart, to: to)
      packet.trimEnd = from.convert(packet.trimEnd, to: to)
    }
    var dts = packet.dts ?? packet.pts ?? tracks[index].lastDTS.map { $0 + 1 } ?? 0
    // Decoding times must grow; sources with coarse or broken times repeat them.
    if let last = tracks[index].lastDTS, dts <= last { dts = last + 1 }
    packet.dts = dts
    if let pts = packet.pts, pts < dts { packet.pts = dts }
    tracks[index].lastDTS = dts
    writtenEnd = max(writtenEnd, Double(dts) * to.doubleValue)
    try muxer.write(packet)
  }
}
