import RespoolPlugin

extension Frame {
  /// Maximum magnitude of an audio sample passed to an encoder: 24 dB above full scale.
  ///
  /// A margin of our own for peaks of floating-point audio; no standard sets one.
  private static let maximumMagnitude: Float = 16

  /// Returns the frame with invalid samples of planar floating-point audio clamped to a valid range.
  ///
  /// A damaged file has samples such as 10^8 or NaN, for which the quantizer search of FFmpeg's AAC encoder
  /// does not end. Copies only if there is such a sample.
  ///
  /// Throws `invalidArgument` if such a frame has other planes than its channel layout.
  func clampedForEncoder() throws(MediaError) -> Frame {
    guard kind == .audio, sampleFormat == .fltp, sampleCount > 0 else { return self }
    // The frame guarantees this many samples in each plane, and keeps them for the call.
    let exceedsMaximum = withExtendedLifetime(buffer) {
      planes.contains { plane in
        let samples = UnsafeBufferPointer(
          start: plane.base.assumingMemoryBound(to: Float.self), count: sampleCount)
        return !samples.allSatisfy { $0.magnitude <= Self.maximumMagnitude }
      }
    }
    guard exceedsMaximum else { return self }
    guard
      var copy = Frame(
        sampleFormat: .fltp, channelLayout: channelLayout, sampleRate: sampleRate,
        sampleCount: sampleCount), copy.planes.count == planes.count
    else {
      throw MediaError(
        .invalidArgument, "planar audio of \(channelLayout) has \(planes.count) planes")
    }
    (copy.pts, copy.duration, copy.flags, copy.sideData) = (pts, duration, flags, sideData)
    withExtendedLifetime(buffer) {
      for (plane, target) in zip(planes, copy.planes) {
        let from = plane.base.assumingMemoryBound(to: Float.self)
        let to = target.base.assumingMemoryBound(to: Float.self)
        for index in 0..<sampleCount {
          let sample = from[index]
          to[index] =
            sample.isNaN ? 0 : min(max(sample, -Self.maximumMagnitude), Self.maximumMagnitude)
        }
      }
    }
    return copy
  }
}
