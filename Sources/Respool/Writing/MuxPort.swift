import RespoolMedia

/// One track's way into the muxer.
// Sendable: immutable but for the description, which only the track's own thread touches before the
// interleaver, behind its lock, takes it over.
final class MuxPort: Stage, @unchecked Sendable {
  private let interleaver: Interleaver
  private let index: Int

  init(_ interleaver: Interleaver, index: Int) {
    self.interleaver = interleaver
    self.index = index
  }

  /// Whether it makes sense to bring more now.
  var hasRoom: Bool { interleaver.hasRoom(for: index) }

  /// Says what the track carries; before the first packet.
  ///
  /// Times of packets are in its time base.
  func begin(_ track: TrackDescription) throws(MediaError) {
    try interleaver.begin(index, track)
  }

  /// Says what the track will carry if anything comes.
  func announce(_ track: TrackDescription) { interleaver.announce(index, track) }

  /// What is known better at the end: the configuration record, the duration.
  func update(_ track: TrackDescription) { interleaver.update(index, track) }

  func consume(_ packet: Packet) throws(MediaError) { try interleaver.push(index, packet) }

  func skip(to nanoseconds: Int64) throws(MediaError) {
    try interleaver.skip(index, to: nanoseconds)
  }

  /// The track has ended; without `begin` it is left out of the file.
  func finish() throws(MediaError) { try interleaver.finish(index) }
}
