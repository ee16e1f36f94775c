package import RespoolMedia

extension Frame {
  /// Returns a copy with its own memory, or `nil` if the format is unknown.
  package func copied() -> Frame? {
    switch kind {
    case .video:
      guard var copy = Frame(pixelFormat: pixelFormat, width: width, height: height, pts: pts),
        let layout = pixelFormat.layout, planes.count >= layout.planeCount
      else { return nil }
      withExtendedLifetime(buffer) {
        for plane in 0..<layout.planeCount {
          let bytes = layout.rowBytes(ofPlane: plane, for: width)
          for row in 0..<layout.height(ofPlane: plane, for: height) {
            (copy.planes[plane].base + row * copy.planes[plane].stride).copyMemory(
              from: planes[plane].base + row * planes[plane].stride, byteCount: bytes)
          }
        }
      }
      (copy.duration, copy.flags) = (duration, flags)
      (copy.color, copy.sampleAspect) = (color, sampleAspect)
      return copy
    case .audio:
      guard
        var copy = Frame(
          sampleFormat: sampleFormat, channelLayout: channelLayout, sampleRate: sampleRate,
          sampleCount: sampleCount, pts: pts)
      else { return nil }
      let channels = sampleFormat.isPlanar ? 1 : channelLayout.channelCount
      let bytes = sampleCount * sampleFormat.bytesPerSample * channels
      guard planes.count >= copy.planes.count else { return nil }
      withExtendedLifetime(buffer) {
        for (target, source) in zip(copy.planes, planes) {
          target.base.copyMemory(from: source.base, byteCount: bytes)
        }
      }
      (copy.duration, copy.flags) = (duration, flags)
      return copy
    }
  }
}
