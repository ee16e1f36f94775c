package import RespoolMedia

/// One track's way into the muxer.
// Sendable: immutable but for the description, which only the track's own thread touches before the
// interleaver, behind its lock, takes it over.
package final class MuxPort: Stage, @unchecked Sendable {
  private let interleaver: Interleaver
  private let index: Int
  /// What is said of the track besides what its encoder or its source says.
  private let dress: @Sendable (TrackDescription) -> TrackDescription

  package init(
    _ interleaver: Interleaver, index: Int,
    dress: @escaping @Sendable (TrackDescription) -> TrackDescription = { $0 }
  ) {
    self.interleaver = interleaver
    self.index = index
    self.dress = dress
  }

  /// `true` if the track is so far ahead of others that much of it is held.
  package var isPiledUp: Bool { interleaver.isPiledUp(index) }

  /// `true` if more is held of all tracks than should be.
  package var isOverfull: Bool { interleaver.isOverfull }

  /// Waits while the track is ahead; only where every track has a thread of its own.
  package func waitForRoom() { interleaver.waitForRoom(for: index) }

  /// Says what the track carries; before the first packet.
  ///
  /// Times of packets are in its time base.
  package func begin(_ track: TrackDescription) throws(MediaError) {
    try interleaver.begin(index, dress(track))
  }

  /// Hands over an attached file, which is all in its description: no packet comes.
  package func attach(_ file: TrackDescription) throws(MediaError) {
    try begin(file)
    try finish()
  }

  /// Says what the track will carry if anything comes.
  package func announce(_ track: TrackDescription) { interleaver.announce(index, dress(track)) }

  /// Says how to find out what the track will carry, which is done only where others cannot wait.
  package func announce(by announcer: @escaping () throws(MediaError) -> TrackDescription) {
    let dress = dress
    interleaver.announce(index) { () throws(MediaError) in dress(try announcer()) }
  }

  /// Has the track written before the others.
  package func putFirst() { interleaver.putFirst(index) }

  /// What is known better at the end: the configuration record, the duration.
  package func update(_ track: TrackDescription) { interleaver.update(index, dress(track)) }

  package func consume(_ packet: Packet) throws(MediaError) { try interleaver.push(index, packet) }

  package func skip(to nanoseconds: Int64) throws(MediaError) {
    try interleaver.skip(index, to: nanoseconds)
  }

  /// The track has ended; without `begin` it is left out of the file.
  package func finish() throws(MediaError) { try interleaver.finish(index) }
}
