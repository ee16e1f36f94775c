public import RespoolMedia

/// Sees the decoded samples of a track before its volume counts, and may change them.
///
/// Called by the thread that reads the output, block after block in growing time, for every read anew;
/// where a composition has nothing in the track, it is not called. What it throws fails the reader.
public typealias AudioTapProcessor =
  @Sendable (_ block: inout AudioTapBlock) throws(MediaError) -> Void

/// Samples of a track that an audio tap gets.
public struct AudioTapBlock: Sendable {
  /// When they are heard, on the asset's time line.
  ///
  /// A block that does not begin where the one before ended follows a hole or begins another read: what
  /// remembers samples, such as a filter, forgets them.
  public let timeRange: TimeRange
  /// In Hz; that of the mix.
  public let sampleRate: Int
  /// That of the mix.
  public let channelLayout: ChannelLayout
  /// The samples of each channel, 1 full scale; as many as there were have to be left.
  public var channels: [[Float]]
}

extension Frame {
  /// What a tap makes of a planar block of 32-bit floating point, whose time is in samples.
  ///
  /// Throws `invalidArgument` where there are other channels or fewer or more samples after it.
  func tapped(by tap: AudioTapProcessor) throws(MediaError) -> Frame {
    guard sampleCount > 0 else { return self }
    let rate = Int32(clamping: sampleRate)
    let channels = planes.map { plane in
      Array(
        UnsafeBufferPointer(
          start: plane.base.assumingMemoryBound(to: Float.self), count: sampleCount))
    }
    var block = AudioTapBlock(
      timeRange: TimeRange(
        start: MediaTime(value: pts ?? 0, timescale: rate),
        duration: MediaTime(value: Int64(sampleCount), timescale: rate)),
      sampleRate: sampleRate, channelLayout: channelLayout, channels: channels)
    try tap(&block)
    guard block.channels.count == planes.count,
      block.channels.allSatisfy({ $0.count == sampleCount })
    else {
      throw MediaError(
        .invalidArgument,
        "an audio tap left \(block.channels.map(\.count)) samples, not \(sampleCount) in each of "
          + "\(planes.count) channels")
    }
    return try Frame.planar(block.channels, channelLayout, rate: sampleRate, pts: pts)
  }
}
