import RespoolPlugin

extension Frame {
  /// Maximum magnitude of an audio sample passed to an encoder: 24 dB above full scale.
  private static let maximumMagnitude: Float = 16

  /// Returns the frame with invalid samples of planar floating-point audio limited to a valid range.
  ///
  /// A damaged file has samples such as 10^8 or NaN, for which the quantizer search of FFmpeg's AAC encoder
  /// does not end. Copies only if there is such a sample.
  func limited() -> Frame {
    guard kind == .audio, sampleFormat == .fltp, sampleCount > 0 else { return self }
    // The frame guarantees this many samples in each plane, and keeps them for the call.
    let exceedsMaximum = withExtendedLifetime(buffer) {
      planes.contains { plane in
        let samples = UnsafeBufferPointer(
          start: plane.base.assumingMemoryBound(to: Float.self), count: sampleCount)
        return !samples.allSatisfy { $0.magnitude <= Self.maximumMagnitude }
      }
    }
    guard exceedsMaximum,
      var copy = Frame(
        sampleFormat: .fltp, channelLayout: channelLayout, sampleRate: sampleRate,
        sampleCount: sampleCount), copy.planes.count == planes.count
    else { return self }
    (copy.pts, copy.duration, copy.flags) = (pts, duration, flags)
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
