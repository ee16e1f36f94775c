package import RespoolMedia

/// A track as it was given to the muxer, as far as it is remembered: its beginning, its end, and packets in between.
package struct WrittenTrack {
  /// The packet with the latest presentation time, in the time base of the track.
  struct Last {
    private(set) var pts: Int64?
    private(set) var duration: Int64 = 0
    private(set) var trimEnd: Int64 = 0
    /// End of the packet; `nil` if there is none.
    var end: Int64? {
      pts.map { $0.addingClamped(duration).subtractingClamped(trimEnd) }
    }
    /// Latest time of a packet of which something is presented, and the latest end of one.
    private(set) var shownPTS, shownEnd: Int64?
    /// Earliest time of a packet.
    private(set) var earliestPTS: Int64?

    mutating func add(_ packet: Packet) {
      // Some sources state no presentation time for their last packet.
      guard let pts = packet.pts ?? packet.dts else { return }
      earliestPTS = min(earliestPTS ?? .max, pts)
      if packet.isShown {
        shownPTS = max(shownPTS ?? .min, pts)
        let end = pts.addingClamped(packet.duration).subtractingClamped(packet.trimEnd)
        shownEnd = max(shownEnd ?? .min, end)
      }
      guard pts >= self.pts ?? .min else { return }
      (self.pts, duration, trimEnd) = (pts, packet.duration, packet.trimEnd)
    }
  }

  /// Packets that are presented later than their source states, because its times repeat or go back.
  struct Delays {
    /// Least delay that counts, in seconds: files round their times to 1 ms or less.
    private static let least = 0.002
    private(set) var count: Int64 = 0
    /// Greatest delay, in seconds.
    private(set) var greatest = 0.0

    mutating func add(_ seconds: Double) {
      guard seconds > Self.least else { return }
      count += 1
      greatest = max(greatest, seconds)
    }

    /// The loss as part of a sentence; `nil` if there is none.
    var loss: String? {
      guard count > 0 else { return nil }
      return "has times that repeat or go back: "
        + "\(count.counting("packet", "is", "are")) presented up to \(greatest.decimalText) s later"
    }
  }

  /// Maximum number of bytes that are remembered of a track.
  static let byteLimit = 16 << 10

  /// Description of the track when the file was completed.
  package internal(set) var track: TrackDescription
  /// Time base of the muxer.
  let timeBase: Rational
  /// `true` if the file cannot state the delay of an audio encoder.
  let presentsDelay: Bool
  /// `true` if the container stores the time of each packet.
  let storesTimes: Bool
  /// Digest of the frames of which the packets are made; `nil` if they are copied.
  var digest: TrackDigest?
  private(set) var last = Last()
  var delays = Delays()
  /// Duration of the first packet; 0 if unknown.
  private(set) var firstDuration: Int64 = 0
  /// First bytes of the packets, without the limits between the packets.
  private(set) var bytes: [UInt8] = []
  /// Packets along the whole track.
  private(set) var samples = PacketSamples()
  /// All bytes of the packets, to be compared with those of the file; `nil` if they are not.
  ///
  /// Copies are compared only if ranges of the source are read too, because that takes time.
  private(set) var content: TrackContent?
  /// `true` if ranges of the source are read.
  private let readsRanges: Bool
  var packetCount: Int64 { samples.packetCount }
  /// Number of packets of which something is presented.
  package private(set) var shownPacketCount: Int64 = 0

  /// Number of frames that were encoded; `nil` if the packets are copied.
  package var encodedFrameCount: Int64? { digest?.frameCount }
  /// Duration of the audio that was encoded, in seconds; `nil` if the packets are copied.
  package var encodedAudioSeconds: Double? { digest?.audioSeconds }

  /// `true` if containers divide the packets in their own way.
  package var isRepacketized: Bool { track.codec.hasPrefix("pcm_") }

  init(
    _ track: TrackDescription, timeBase: Rational, muxer flags: FactoryDescription.Flags = [],
    isEncoded: Bool = false, readsRanges: Bool = false
  ) {
    (self.track, self.timeBase) = (track, timeBase)
    self.readsRanges = readsRanges || track.kind == .subtitle
    presentsDelay = flags.contains(.presentsDelay)
    storesTimes = flags.storesTimes
    if isEncoded || self.readsRanges {
      content = TrackContent(of: track, keepsFraming: storesTimes)
    }
  }

  /// Adds a packet, whose bytes may be a range of `source`.
  mutating func add(_ packet: Packet, of source: FileSource?) throws(MediaError) {
    try samples.add(packet, of: source)
    if packet.isShown { shownPacketCount += 1 }
    if samples.packetCount == 1 { firstDuration = packet.duration }
    last.add(packet)
    let room = Self.byteLimit - bytes.count
    if room > 0 { bytes += try packet.firstBytes(room, of: source) }
    if readsRanges || packet.buffer != nil {
      try content?.add(packet, of: source)
    } else {
      content = nil
    }
  }
}

extension Packet {
  /// `true` if something of the packet is presented: media before 0 is not.
  var isShown: Bool {
    !flags.contains(.discard) && (duration <= 0 || trimStart.addingClamped(trimEnd) < duration)
      && (duration <= 0 || (pts ?? 0).addingClamped(duration) > 0)
  }

  /// Returns the first `count` bytes, or all if it has fewer; they may be a range of `source`.
  func firstBytes(_ count: Int, of source: FileSource?) throws(MediaError) -> [UInt8] {
    switch payload {
    case .bytes(let buffer): buffer.withBytes { [UInt8]($0.prefix(count)) }
    case .range(let offset, let length):
      try source?.bytes(at: offset, count: min(length, Int64(count))) ?? []
    }
  }
}
