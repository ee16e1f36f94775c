package import RespoolMedia

/// Connection of one track to the muxer.
package final class TrackOutput: Stage, Sendable {
  private let interleaver: Interleaver
  private let index: Int
  /// Adds properties to the track that its encoder or its source does not state.
  private let adjust: @Sendable (TrackDescription) -> TrackDescription

  package init(
    _ interleaver: Interleaver, index: Int,
    adjust: @escaping @Sendable (TrackDescription) -> TrackDescription = { $0 }
  ) {
    self.interleaver = interleaver
    self.index = index
    self.adjust = adjust
  }

  /// `true` if the track is so far ahead of others that many of its packets are held.
  package var isPiledUp: Bool { interleaver.isPiledUp(index) }

  /// `true` if the packets held for all tracks exceed the limit.
  package var isOverfull: Bool { interleaver.isOverfull }

  /// Waits while the track is ahead; for use only if every track has its own thread.
  package func waitForRoom() { interleaver.waitForRoom(for: index) }

  /// Sets the description of the track before the first packet.
  ///
  /// Times of packets are in its time base.
  package func begin(_ track: TrackDescription) throws(MediaError) {
    try interleaver.begin(index, adjust(track))
  }

  /// Adds an attached file, which is stored entirely in its description: no packets follow.
  package func attach(_ file: TrackDescription) throws(MediaError) {
    try begin(file)
    try finish()
  }

  /// Sets the description that the track will have if it gets packets.
  package func announce(_ track: TrackDescription) { interleaver.announce(index, adjust(track)) }

  /// Sets a closure that returns the track's future description, called only if other tracks cannot wait.
  package func announce(by announcer: @escaping () throws(MediaError) -> TrackDescription) {
    let adjust = adjust
    interleaver.announce(index) { () throws(MediaError) in adjust(try announcer()) }
  }

  /// Makes the interleaver write this track before all others.
  package func putFirst() { interleaver.putFirst(index) }

  /// Updates properties that are known only at the end, such as the configuration record and the duration.
  package func update(_ track: TrackDescription) { interleaver.update(index, adjust(track)) }

  /// Sets the digest of the frames of which the packets are made.
  func setDigest(_ digest: TrackDigest) { interleaver.setDigest(index, digest) }

  package func consume(_ packet: Packet) throws(MediaError) { try interleaver.push(index, packet) }

  package func skip(to nanoseconds: Int64) throws(MediaError) {
    try interleaver.skip(index, to: nanoseconds)
  }

  /// Ends the track; without `begin` it is left out of the file.
  package func finish() throws(MediaError) { try interleaver.finish(index) }
}
