import Glibc
package import RespoolMedia
import Synchronization

/// Brings the packets of all tracks into the order of their decoding times and writes them.
///
/// It opens the muxer once every track has said what it carries or that it stays empty. Whoever brings
/// a packet also writes what has become due, so no thread is needed. The order depends only on what
/// each track brings, never on which thread was faster: a packet waits for the other tracks, until they
/// have one too, have ended, or have said that nothing is to be expected (`skip`). Only where `limit`
/// bytes are held all the same, the earliest packets are written without waiting.
// Sendable: all state is behind the lock.
package final class Interleaver: @unchecked Sendable {
  private let lock = Monitor()
  private var tracks: [InterleavedTrack]
  private var held = 0
  private let limit: Int
  private let open: (MediaDescription, [Int]) throws(MediaError) -> MuxerInstance
  private var media: MediaDescription
  private var muxer: MuxerInstance?
  private var isStopped = false
  /// Copy of what is held, for callers that must not wait for a thread that writes.
  private let room = Mutex<(held: Int, waitingTracks: Set<Int>)>((0, []))

  private var writtenEnd = 0.0

  /// Whether what has been written is in the file at once, for files that can be played at any time.
  private let isDurable: Bool
  /// Whether tracks are in the file for which nothing came.
  private let keepsEmptyTracks: Bool
  /// Cuts what is written into segments.
  private let segments: (any SegmentCutter)?

  package static let usualLimit = 192 << 20

  /// `media` has metadata and chapters; its tracks come with `begin`, and tags of tracks go by these.
  package convenience init(
    trackCount: Int, media: MediaDescription, limit: Int = usualLimit,
    open: @escaping (MediaDescription) throws(MediaError) -> MuxerInstance
  ) {
    self.init(trackCount: trackCount, media: media, limit: limit) {
      (media: MediaDescription, _: [Int]) throws(MediaError) -> MuxerInstance in try open(media)
    }
  }

  /// `open` also gets which of the tracks are in the file, in the order of the media's.
  package init(
    trackCount: Int, media: MediaDescription, limit: Int, isDurable: Bool = false,
    keepsEmptyTracks: Bool = false, segments: (any SegmentCutter)? = nil,
    openTracks open: @escaping (MediaDescription, [Int]) throws(MediaError) -> MuxerInstance
  ) {
    tracks = Array(repeating: InterleavedTrack(), count: trackCount)
    self.media = media
    self.limit = limit
    self.isDurable = isDurable
    self.keepsEmptyTracks = keepsEmptyTracks
    self.segments = segments
    self.open = open
  }

  /// End of what has been written, in seconds.
  package var writtenSeconds: Double { lock.locked { writtenEnd } }

  /// Whether anything came that is in the file; after every track has finished.
  package var hasContent: Bool { lock.locked { muxer != nil } }

  /// Gets the end of what has been written, in seconds, from whoever brings a packet.
  ///
  /// Set before the first packet; it may call `stop`.
  package var progress: (@Sendable (Double) -> Void)?

  /// `true` if half of the limit is held and packets of this track are among it: the track is ahead of others.
  ///
  /// Never waits, not even while another thread writes.
  package func isPiledUp(_ index: Int) -> Bool {
    room.withLock { $0.held >= limit / 2 && $0.waitingTracks.contains(index) }
  }

  /// `true` if more than the limit is held.
  ///
  /// Never waits, as `isPiledUp`.
  package var isOverfull: Bool { room.withLock { $0.held > limit } }

  /// Waits while the track is ahead of one that lags and more than `readAhead` bytes are held.
  ///
  /// For tracks that are each brought by a thread of its own: the one that lags never waits.
  package func waitForRoom(for index: Int) {
    lock.locked {
      while !isStopped, held > Self.readAhead, !tracks[index].isEmpty { lock.wait() }
    }
  }

  private static let readAhead = 8 << 20

  package func announce(_ index: Int, _ track: TrackDescription) {
    lock.locked { tracks[index].announced = track }
  }

  /// Says how to find out what a track will carry, for the case that others cannot wait for it.
  package func announce(
    _ index: Int, by announcer: @escaping () throws(MediaError) -> TrackDescription
  ) {
    lock.locked { tracks[index].announcer = announcer }
  }

  /// Has all packets of a track written before those of the others, which are held until it ends.
  package func putFirst(_ index: Int) { lock.locked { tracks[index].isFirst = true } }

  package func begin(_ index: Int, _ track: TrackDescription) throws(MediaError) {
    try guarded { () throws(MediaError) in
      guard muxer == nil || tracks[index].outputIndex != nil else {
        throw MediaError(
          .limitExceeded, "a track begins so late that the others could not wait for it")
      }
      tracks[index].description = track
      tracks[index].timeBase = track.timeBase
      try openIfReady()
    }
  }

  package func update(_ index: Int, _ track: TrackDescription) {
    lock.locked { tracks[index].description = track }
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

  /// Says that a track has nothing before a time, as far as its source tells.
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

  /// Completes the file after every track has finished, then closes it by `close`.
  ///
  /// Throws `unsupported` where nothing came.
  ///
  /// `duration`: nanoseconds that the movie lasts, where that is known better than from its packets.
  package func complete(duration: Int64? = nil, close: () throws(MediaError) -> Void = {})
    throws(MediaError)
  {
    try guarded { () throws(MediaError) in
      guard let muxer else {
        throw MediaError(.unsupported, "nothing to write: no track gave a single packet")
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

  /// Nothing is written any more; `clean` runs while nobody writes.
  ///
  /// Any thread.
  package func stop(_ clean: () -> Void) {
    lock.locked {
      isStopped = true
      // What these closures hold may hold the interleaver.
      for index in tracks.indices { tracks[index].announcer = nil }
      clean()
      lock.wakeAll()
    }
  }

  private func guarded(_ body: () throws(MediaError) -> Void) throws(MediaError) {
    var failure: MediaError?
    var written: Double?
    lock.locked {
      guard !isStopped else {
        failure = MediaError(.cancelled, "stopped")
        return
      }
      let before = writtenEnd
      do throws(MediaError) { try body() } catch { failure = error }
      if writtenEnd > before { written = writtenEnd }
      publishRoom()
      lock.wakeAll()
    }
    if let failure { throw failure }
    if let written { progress?(written) }
  }

  /// Within the lock.
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

  /// Takes for a track's description what it would carry, where nothing came yet.
  private func describe(_ index: Int) throws(MediaError) {
    guard tracks[index].description == nil else { return }
    var known = tracks[index].announced
    if known == nil { known = try tracks[index].announcer?() }
    guard let announced = known else { return }
    tracks[index].description = announced
    tracks[index].timeBase = announced.timeBase
  }

  /// Opens the muxer for the tracks that are known; not for covers and attached files alone, which are beside media.
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

  /// The tags; those of tracks by the places that the tracks have in the file.
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

  /// The track whose first packet is due, or nil where it is better to wait.
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

  /// What a packet that waits costs; a range of the source costs its description.
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
    // Decoding times must grow; sources with coarse or broken times repeat them.
    if let last = tracks[index].lastDTS, dts <= last { dts = last &+ 1 }
    packet.dts = dts
    if let pts = packet.pts, pts < dts { packet.pts = dts }
    tracks[index].lastDTS = dts
    let end = (packet.pts ?? dts) &+ packet.duration &- packet.trimEnd
    writtenEnd = max(writtenEnd, Double(end) * to.doubleValue)
    if let segments { try segments.write(packet, to, to: muxer) } else { try muxer.write(packet) }
    if isDurable { try muxer.sink.handOver() }
  }
}
