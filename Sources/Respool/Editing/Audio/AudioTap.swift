public import RespoolMedia

/// A function that gets the decoded audio samples of a track before its volume is applied, and may change them.
///
/// The thread that reads the output calls it for each block in order of time, and again for every read. It is
/// not called for empty segments of a composition's track. If it throws, the reader fails with its error.
public typealias AudioTapProcessor =
  @Sendable (_ block: inout AudioTapBlock) throws(MediaError) -> Void

/// A block of audio samples of a track that an audio tap gets.
public struct AudioTapBlock: Sendable {
  /// The time range of the audio samples on the asset's time line.
  ///
  /// A block that does not begin at the end of the previous one follows a gap or begins another read. A tap with
  /// state, such as a filter, should reset it then.
  public let timeRange: TimeRange
  /// The sample rate of the mix, in Hz.
  public let sampleRate: Int
  /// The channel layout of the mix.
  public let channelLayout: ChannelLayout
  /// The audio samples of each channel; 1 is full scale.
  ///
  /// The tap has to keep the number of channels and of audio samples.
  public var channels: [[Float]]
}

extension Frame {
  /// Returns a planar block of 32-bit floating point after a tap has processed it.
  ///
  /// The time of the block counts audio samples. Throws `invalidArgument` if the tap changes the number of
  /// channels or audio samples, and any error of the tap.
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
          + planes.count.counting("channel"))
    }
    return try Frame.planar(block.channels, channelLayout, rate: sampleRate, pts: pts)
  }
}
