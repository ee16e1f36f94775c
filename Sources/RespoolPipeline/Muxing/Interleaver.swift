import Glibc
package import RespoolMedia
import Synchronization

/// Sorts the packets of all tracks by decoding time and writes them.
///
/// It opens the muxer when every track has a description or has ended without packets. The thread that adds a
/// packet also writes the packets that are due, so no thread is needed. The order depends only on the packets
/// of each track, never on which thread was faster. A packet waits until every other track has a packet, has
/// ended, or has reported a gap (`skip`). If more than `limit` bytes are held, the earliest packets are
/// written without waiting.
// Sendable: all mutable state is behind the lock, with which the closures and the muxer are called too.
package final class Interleaver: @unchecked Sendable {
  private let lock = Monitor()
  private var tracks: [InterleavedTrack]
  private var held = 0
  private let limit: Int
  private let open: (MediaDescription, [Int]) throws(MediaError) -> MuxerInstance
  private var media: MediaDescription
  private var muxer: MuxerInstance?
  private var isStopped = false
  /// Copy of the amounts held, for callers that must not wait for a thread that writes.
  private let room = Mutex<(held: Int, waitingTracks: Set<Int>)>((0, []))

  private var writtenEnd = 0.0
  private var report: (@Sendable (Double) -> Void)?

  /// `true` if written packets reach the file at once, for files that can be played at any time.
  private let isDurable: Bool
  /// `true` if the file includes tracks that got no packets.
  private let keepsEmptyTracks: Bool
  /// `true` if the bytes of packets that are ranges of the source are read, to be compared with those of the file.
  private let readsRanges: Bool
  /// Divides the output into segments.
  ///
  /// `nil`: there are no segments.
  private let segments: (any SegmentCutter)?

  package static let usualLimit = 192 << 20

  /// Creates an interleaver for `trackCount` tracks, which `begin` describes.
  ///
  /// `media` has metadata and chapters. Its track tags refer to the interleaver's track indexes. `open` also
  /// receives the indexes of the tracks that are in the file, in output order.
  package init(
    trackCount: Int, media: MediaDescription, limit: Int = usualLimit, isDurable: Bool = false,
    keepsEmptyTracks: Bool = false, readsRanges: Bool = false,
    segments: (any SegmentCutter)? = nil,
    openTracks open: @escaping (MediaDescription, [Int]) throws(MediaError) -> MuxerInstance
  ) {
    tracks = Array(repeating: InterleavedTrack(), count: trackCount)
    self.media = media
    self.limit = limit
    self.isDurable = isDurable
    self.keepsEmptyTracks = keepsEmptyTracks
    self.readsRanges = readsRanges
    self.segments = segments
    self.open = open
  }

  /// End of the written media, in seconds.
  package var writtenSeconds: Double { lock.locked { writtenEnd } }

  /// `true` if the muxer was opened for media; valid after every track has finished.
  package var hasContent: Bool { lock.locked { muxer != nil } }

  /// Indexes of the tracks of which no packet was written; valid after the file is complete.
  package var emptyTracks: [Int] {
    lock.locked { tracks.indices.filter { tracks[$0].lastDTS == nil } }
  }

  /// Tracks of the file with packets, in the order of the file; valid after the file is complete.
  package var writtenTracks: [WrittenTrack] {
    lock.locked {
      tracks.compactMap { track in
        guard var written = track.written else { return nil }
        written.track = track.description ?? written.track
        written.digest = track.digest
        return written
      }
    }
  }

  /// Called with the end of the written media, in seconds, by the thread that adds a packet.
  ///
  /// It may call `stop`.
  package var progress: (@Sendable (Double) -> Void)? {
    get { lock.locked { report } }
    set { lock.locked { report = newValue } }
  }

  /// `true` if half of the limit is held and packets of this track are among it: the track is ahead of others.
  ///
  /// Never waits, not even while another thread writes.
  package func isPiledUp(_ index: Int) -> Bool {
    room.withLock { $0.held >= limit / 2 && $0.waitingTracks.contains(index) }
  }

  /// `true` if more bytes than the limit are held.
  ///
  /// Never waits, like `isPiledUp`.
  package var isOverfull: Bool { room.withLock { $0.held > limit } }

  /// Waits while packets of this track and more than `readAhead` bytes are held.
  ///
  /// For tracks that each have their own thread: the track that lags never waits.
  package func waitForRoom(for index: Int) {
    lock.locked {
      while !isStopped, held > Self.readAhead, !tracks[index].isEmpty { lock.wait() }
    }
  }

  private static let readAhead = 8 << 20

  package func announce(_ index: Int, _ track: TrackDescription) {
    lock.locked { tracks[index].announced = track }
  }

  /// Sets a closure that returns a track's future description, for the case that others cannot wait for it.
  package func announce(
    _ index: Int, by announcer: @escaping () throws(MediaError) -> TrackDescription
  ) {
    lock.locked { tracks[index].announcer = announcer }
  }

  /// Makes all packets of a track be written before those of the others, which are held until it ends.
  package func putFirst(_ index: Int) { lock.locked { tracks[index].isFirst = true } }

  package func begin(_ index: Int, _ track: TrackDescription) throws(MediaError) {
    try guarded { () throws(MediaError) in
      guard muxer == nil || tracks[index].outputIndex != nil else {
        throw MediaError(
          .limitExceeded, "a track begins too late for the other tracks to wait")
      }
      tracks[index].description = track
      tracks[index].timeBase = track.timeBase
      try openIfReady()
    }
  }

  package func update(_ index: Int, _ track: TrackDescription) {
    lock.locked { tracks[index].description = track }
  }

  /// Sets the digest of the frames of which a track's packets are made.
  func setDigest(_ index: Int, _ digest: TrackDigest) {
    lock.locked { tracks[index].digest = digest }
  }

  package func push(_ index: Int, _ packet: Packet) throws(MediaError) {
    try guarded { () throws(MediaError) in
      let ticks = packet.dts ?? packet.pts ?? 0
      let seconds = Double(ticks) * tracks[index].timeBase.doubleValue
      tracks[index].items.append(
        .init(packet: packet, seconds: tracks[index].isFirst ? -.infinity : seconds))
      held += Self.cost(packet)
      try writeDue()
    }
  }

  /// Reports that a track has no packets before a time, as far as its source knows.
  package func skip(_ index: Int, to nanoseconds: Int64) throws(MediaError) {
    try guarded { () throws(MediaError) in
      tracks[index].items.append(.init(packet: nil, seconds: Double(nanoseconds) / 1e9))
      try writeDue()
    }
  }

  package func finish(_ index: Int) throws(MediaError) {
    try guarded { () throws(MediaError) in
      tracks[index].finished = true
      try openIfReady()
      try writeDue()
    }
  }

  /// Completes the file after every track has finished, then calls `close`.
  ///
  /// `duration` is the duration of the movie in nanoseconds. `nil`: that of `media`. Throws `unsupported` if no
  /// packet came.
  package func complete(duration: Int64? = nil, close: () throws(MediaError) -> Void = {})
    throws(MediaError)
  {
    try guarded { () throws(MediaError) in
      guard let muxer else {
        throw MediaError(.unsupported, "nothing to write: no track has a packet")
      }
      var final = media
      if let duration { final.duration = duration }
      final.tracks = tracks.compactMap { $0.outputIndex == nil ? nil : $0.description }
      final.nativeTags = placedTags
      try muxer.finish(final)
      try segments?.handOut()
      try close()
    }
  }

  /// Stops all writing and calls `clean` while no thread writes.
  ///
  /// Can be called on any thread.
  package func stop(_ clean: () -> Void) {
    lock.locked {
      isStopped = true
      // These closures may retain the interleaver.
      for index in tracks.indices { tracks[index].announcer = nil }
      clean()
      lock.wakeAll()
    }
  }

  private func guarded(_ body: () throws(MediaError) -> Void) throws(MediaError) {
    let news = try lock.locked {
      () throws(MediaError) -> (report: @Sendable (Double) -> Void, end: Double)? in
      guard !isStopped else { throw MediaError(.cancelled, "stopped") }
      defer {
        publishRoom()
        lock.wakeAll()
      }
      let before = writtenEnd
      try body()
      return writtenEnd > before ? report.map { ($0, writtenEnd) } : nil
    }
    if let news { news.report(news.end) }
  }

  /// Updates ``room``; called with the lock held.
  private func publishRoom() {
    room.withLock { room in
      room.held = held
      for index in tracks.indices {
        if tracks[index].isEmpty {
          room.waitingTracks.remove(index)
        } else {
          room.waitingTracks.insert(index)
        }
      }
    }
  }

  private func openIfReady() throws(MediaError) {
    guard muxer == nil, tracks.allSatisfy({ $0.description != nil || $0.finished }) else { return }
    try openMuxer()
    try writeDue()
  }

  /// Sets the announced description for a track that has none yet.
  private func describe(_ index: Int) throws(MediaError) {
    guard tracks[index].description == nil else { return }
    var known = tracks[index].announced
    if known == nil { known = try tracks[index].announcer?() }
    guard let announced = known else { return }
    tracks[index].description = announced
    tracks[index].timeBase = announced.timeBase
  }

  /// Opens the muxer for the tracks that are known, if any is neither a cover nor an attached file.
  private func openMuxer() throws(MediaError) {
    let isMedia = tracks.contains { track in
      track.description.map {
        !$0.disposition.contains(.attachedPicture) && $0.kind != .attachment
      } ?? false
    }
    guard isMedia else { return }
    if keepsEmptyTracks { for index in tracks.indices { try describe(index) } }
    var described = media
    var included: [Int] = []
    for index in tracks.indices {
      guard let description = tracks[index].description else { continue }
      tracks[index].outputIndex = described.tracks.count
      described.tracks.append(description)
      included.append(index)
    }
    described.nativeTags = placedTags
    muxer = try open(described, included)
  }

  /// Tags, with track tags referring to the track indexes in the file.
  private var placedTags: [NativeTag] {
    media.nativeTags.compactMap { tag in
      guard let track = tag.track else { return tag }
      guard tracks.indices.contains(track), let place = tracks[track].outputIndex else {
        return nil
      }
      var tag = tag
      tag.track = place
      return tag
    }
  }

  private func writeDue() throws(MediaError) {
    if muxer == nil {
      // A track that never begins must not fill the memory.
      guard held > limit else { return }
      for index in tracks.indices where tracks[index].description == nil && !tracks[index].finished
      {
        try describe(index)
      }
      try openMuxer()
    }
    guard let muxer else { return }
    while let index = nextDue() {
      guard let packet = tracks[index].items.popFirst()?.packet else { continue }
      held -= Self.cost(packet)
      try write(packet, of: index, to: muxer)
    }
  }

  /// Returns the track whose first packet is due, or `nil` if writing must wait.
  private func nextDue() -> Int? {
    var best: Int?
    var bestTime = Double.infinity
    for index in tracks.indices {
      guard let seconds = tracks[index].items.first?.seconds else {
        if tracks[index].finished || held > limit { continue }
        return nil
      }
      if seconds < bestTime {
        bestTime = seconds
        best = index
      }
    }
    return best
  }

  /// Returns the memory cost of a waiting packet; a range of the source costs only its description.
  private static func cost(_ packet: Packet) -> Int {
    packet.buffer == nil ? 256 : packet.size + 256
  }

  private func write(_ packet: Packet, of index: Int, to muxer: MuxerInstance) throws(MediaError) {
    guard let output = tracks[index].outputIndex else { return }
    let from = tracks[index].timeBase
    let to = muxer.timeBase(ofTrack: output)
    var packet = packet.converted(from: from, to: to)
    packet.track = output
    if packet.flags.contains(.startsPiece) { tracks[index].lastDTS = nil }
    var dts = packet.dts ?? packet.pts ?? tracks[index].lastDTS.map { $0 &+ 1 } ?? 0
    // Decoding times must increase; sources with coarse or broken times repeat them.
    if let last = tracks[index].lastDTS, dts <= last { dts = last &+ 1 }
    packet.dts = dts
    var delay: Int64 = 0
    if let pts = packet.pts, pts < dts {
      delay = dts &- pts
      packet.pts = dts
    }
    tracks[index].lastDTS = dts
    if !packet.flags.contains(.discard) {
      let end = (packet.pts ?? dts) &+ packet.duration &- packet.trimEnd
      writtenEnd = max(writtenEnd, Double(end) * to.doubleValue)
    }
    if tracks[index].written == nil, let description = tracks[index].description {
      tracks[index].written = WrittenTrack(
        description, timeBase: to, muxer: muxer.factory.description.flags,
        isEncoded: tracks[index].digest != nil, readsRanges: readsRanges)
    }
    try tracks[index].written?.add(packet, of: muxer.sink.source)
    if packet.isShown { tracks[index].written?.delays.add(Double(delay) * to.doubleValue) }
    if let segments { try segments.write(packet, to, to: muxer) } else { try muxer.write(packet) }
    if isDurable { try muxer.sink.handOver() }
  }
}
