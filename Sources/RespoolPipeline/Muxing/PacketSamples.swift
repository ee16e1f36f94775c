import RespoolMedia

/// Facts of packets at equal distances in a track.
///
/// Their number is limited: the distance doubles whenever there are too many.
struct PacketSamples {
  /// Properties of a packet that a file states.
  struct Sample {
    /// Number of the packet in the track, from 0.
    var number: Int64
    var pts: Int64?
    var isKey: Bool
    var size: Int
    /// First bytes of the packet.
    var start: [UInt8]
  }

  /// Maximum number of samples.
  private let limit: Int
  /// Number of bytes that are remembered of each packet.
  private let startLength: Int

  /// Distance of the samples, a power of two.
  private(set) var distance: Int64
  private(set) var samples: [Sample] = []
  /// Number of packets.
  private(set) var packetCount: Int64 = 0
  /// Number of packets with which decoding can start.
  private(set) var keyCount: Int64 = 0
  /// `false` if the distance is that of another track.
  private let doubles: Bool

  init(limit: Int = 512, startLength: Int = 16) {
    (self.limit, self.startLength, distance, doubles) = (limit, startLength, 1, true)
  }

  /// Creates the samples of a track that are at the same distance as others.
  init(like other: PacketSamples) {
    (limit, startLength, distance, doubles) = (
      other.limit, other.startLength, other.distance, false
    )
  }

  /// Adds the next packet, whose bytes may be a range of `source`.
  mutating func add(_ packet: Packet, of source: FileSource?) throws(MediaError) {
    defer { packetCount += 1 }
    if packet.flags.contains(.key) { keyCount += 1 }
    guard packetCount % distance == 0 else { return }
    if samples.count >= limit {
      guard doubles else { return }
      distance *= 2
      samples.removeAll { $0.number % distance != 0 }
      guard packetCount % distance == 0 else { return }
    }
    samples.append(
      Sample(
        number: packetCount, pts: packet.pts, isKey: packet.flags.contains(.key),
        size: packet.size, start: try packet.firstBytes(startLength, of: source)))
  }
}
