import RespoolMedia

/// Silence between packets of PCM whose times leave gaps, for containers in which one packet begins where another ends.
///
/// The limits are those of ``AudioConversionStage``, which does this for audio that is encoded.
package struct PCMGaps {
  private let track: TrackDescription
  private let rate: Int64
  /// Bytes of an audio sample of all channels.
  private let blockAlign: Int
  /// Value of every byte of silence.
  private let silence: UInt8
  /// Time of the next packet if there is no gap, in audio samples; `nil` before the first packet of a clip.
  private var expected: Int64?

  /// Silence inserted, in seconds.
  package private(set) var insertedSeconds = 0.0
  /// Time at which silence was first inserted, in seconds.
  package private(set) var firstGap: Double?
  /// Number of packets after a gap too long to be filled.
  package private(set) var ignoredGaps = 0
  private var heardSeconds = 0.0

  /// Milliseconds of the longest difference that is jitter.
  private static let jitter: Int64 = 40
  /// Seconds of the longest gap, and of all gaps besides a hundred times the audio.
  private static let longest = 3600.0

  /// Returns `nil` for audio that is not PCM.
  init?(_ track: TrackDescription) {
    var track = track
    track.takeFactsOfPCM()
    guard track.codec.hasPrefix("pcm_"), track.sampleRate > 0, track.blockAlign > 0 else {
      return nil
    }
    self.track = track
    rate = Int64(track.sampleRate)
    blockAlign = track.blockAlign
    silence =
      switch track.codec {
      case "pcm_u8": 0x80
      case "pcm_mulaw": 0xFF
      case "pcm_alaw": 0xD5
      default: 0
      }
  }

  /// Passes silence to `output` if there is a gap before the packet.
  mutating func fill(
    before packet: Packet, _ output: (Packet) throws(MediaError) -> Void
  ) throws(MediaError) {
    if packet.flags.contains(.startsPiece) { expected = nil }
    guard let pts = packet.pts, packet.size > 0 else { return }
    let unit = Rational(1, Int32(clamping: rate))
    let time = track.timeBase.convert(pts, to: unit)
    let count = Int64(packet.size / blockAlign)
    defer {
      expected = (expected ?? time).addingClamped(count)
      heardSeconds += Double(count) / Double(rate)
    }
    guard let start = expected else { return }
    let late = time.subtractingClamped(start)
    guard late > 0, late > rate * Self.jitter / 1000 else { return }
    let seconds = Double(late) / Double(rate)
    guard seconds <= Self.longest, insertedSeconds + seconds <= Self.longest + 100 * heardSeconds
    else {
      ignoredGaps += 1
      expected = time
      return
    }
    firstGap = firstGap ?? Double(start) / Double(rate)
    insertedSeconds += seconds
    var left = late
    while left > 0 {
      let part = min(left, rate)
      var block = packet
      block.pts = unit.convert(time - left, to: track.timeBase)
      block.dts = block.pts
      block.duration = unit.convert(part, to: track.timeBase)
      (block.trimStart, block.trimEnd) = (0, 0)
      block.payload = .bytes(
        MediaBuffer([UInt8](repeating: silence, count: Int(part) * blockAlign)))
      try output(block)
      left -= part
    }
    expected = time
  }
}
