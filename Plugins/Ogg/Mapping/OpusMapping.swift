import RespoolPlugin

/// Opus in Ogg (RFC 7845).
struct OpusMapping: OggMapping {
  /// The shortest Opus frame.
  private static let shortestFrame: Int64 = 120

  private var configuration: OpusConfiguration

  init(_ track: TrackDescription) throws(MediaError) {
    guard track.extradata.isEmpty else {
      configuration = try OpusConfiguration(head: track.extradata)
      return
    }
    let count = track.channelLayout.channelCount
    guard (1...2).contains(count) else {
      throw MediaError(.unsupported, "Opus of \(count.counting("channel")) has no OpusHead")
    }
    configuration = OpusConfiguration(
      channelCount: UInt8(count), preSkip: UInt16(clamping: track.initialPadding))
  }

  var timeBase: Rational { Rational(1, 48000) }

  var preSkip: Int64 { Int64(configuration.preSkip) }

  mutating func begin(at firstTime: Int64) {
    // The first packet's time is the hidden duration, even if an edit list hides more than the encoder delay.
    if firstTime <= 0 { configuration.preSkip = UInt16(clamping: firstTime.magnitude) }
  }

  func headers(_ comments: VorbisComments) -> [[UInt8]] {
    [configuration.head, OpusTags.bytes(comments)]
  }

  func duration(of bytes: UnsafeRawBufferPointer) throws(MediaError) -> Int64 {
    guard let duration = OpusPacket.duration(of: bytes.prefix(2)) else {
      throw MediaError(.malformed, "a packet of \(bytes.count) bytes is not an Opus packet")
    }
    return Int64(duration)
  }

  /// Returns a packet of up to 20 ms without data (RFC 7845 4.1), which every decoder turns into silence.
  func silence(_ duration: Int64) -> (bytes: [UInt8], duration: Int64)? {
    let frames = duration / Self.shortestFrame
    guard frames > 0 else { return nil }
    // CELT, full band: 2.5, 5, 10 and 20 ms are configurations 28 to 31 (RFC 6716 table 2).
    let size = min(3, 63 - frames.leadingZeroBitCount)
    let count = configuration.streamCount
    var bytes: [UInt8] = []
    for stream in 0..<count {
      let isStereo =
        configuration.mapping.map { stream < Int($0.coupledCount) }
        ?? (configuration.channelCount == 2)
      bytes.append(UInt8(28 + size) << 3 | (isStereo ? 4 : 0))
      // All streams except the last store their length (RFC 6716 appendix B).
      if stream < count - 1 { bytes.append(0) }
    }
    return (bytes, Self.shortestFrame << Int64(size))
  }
}
