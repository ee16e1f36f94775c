import RespoolPlugin

extension Frame {
  /// Returns the frame with invalid samples of planar floating-point audio clamped to a valid range.
  ///
  /// The quantizer search of FFmpeg's AAC encoder does not end for them. Copies only if there is such a sample.
  ///
  /// Throws `invalidArgument` if such a frame has other planes than its channel layout.
  func clampedForEncoder() throws(MediaError) -> Frame {
    guard kind == .audio, sampleFormat == .fltp, sampleCount > 0 else { return self }
    // The frame guarantees this many samples in each plane, and keeps them for the call.
    let exceedsMaximum = withExtendedLifetime(buffer) {
      planes.contains { plane in
        let samples = UnsafeBufferPointer(
          start: plane.base.assumingMemoryBound(to: Float.self), count: sampleCount)
        return !samples.allSatisfy(\.isAudioSample)
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
        for index in 0..<sampleCount { to[index] = from[index].asAudioSample }
      }
    }
    return copy
  }
}
