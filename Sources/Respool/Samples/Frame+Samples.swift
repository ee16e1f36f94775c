import RespoolMedia

extension Frame {
  /// The same sound without its first and last samples, sharing the memory; nil where none are left.
  ///
  /// The time moves on by what was dropped in front, in `timeBase`.
  func droppingSamples(front: Int, back: Int, timeBase: Rational) -> Frame? {
    let left = sampleCount - front - back
    guard left > 0, sampleRate > 0 else { return nil }
    var frame = self
    let width =
      sampleFormat.bytesPerSample * (sampleFormat.isPlanar ? 1 : channelLayout.channelCount)
    frame.planes = planes.map { Plane(base: $0.base + front * width, stride: $0.stride) }
    frame.sampleCount = left
    let unit = Rational(1, Int32(clamping: sampleRate))
    if let pts {
      frame.pts = pts &+ unit.convert(Int64(front), to: timeBase)
    }
    frame.duration = unit.convert(Int64(left), to: timeBase)
    return frame
  }
}

extension Frame {
  /// A block of silence; nil under the conditions of the initialiser.
  static func silence(
    sampleFormat: SampleFormat, channelLayout: ChannelLayout, sampleRate: Int, sampleCount: Int
  ) -> Frame? {
    guard
      let frame = Frame(
        sampleFormat: sampleFormat, channelLayout: channelLayout, sampleRate: sampleRate,
        sampleCount: sampleCount)
    else { return nil }
    // Unsigned samples have their middle at 128, all others at 0.
    let byte: UInt8 = sampleFormat.interleaved == .u8 ? 128 : 0
    frame.buffer.bytes.initializeMemory(as: UInt8.self, repeating: byte)
    return frame
  }
}

extension Frame {
  /// The same with memory of its own; nil for a format that is not known.
  func copied() -> Frame? {
    var copy: Frame
    switch kind {
    case .video:
      guard let layout = pixelFormat.layout, planes.count >= layout.planeCount,
        let fresh = Frame(pixelFormat: pixelFormat, width: width, height: height)
      else { return nil }
      for plane in 0..<layout.planeCount {
        let bytes = layout.rowBytes(ofPlane: plane, for: width)
        let (from, to) = (planes[plane], fresh.planes[plane])
        for row in 0..<layout.height(ofPlane: plane, for: height) {
          (to.base + row * to.stride).copyMemory(
            from: from.base + row * from.stride, byteCount: bytes)
        }
      }
      copy = fresh
      (copy.sampleAspect, copy.color) = (sampleAspect, color)
    case .audio:
      let channels = channelLayout.channelCount
      guard sampleFormat.bytesPerSample > 0,
        planes.count >= (sampleFormat.isPlanar ? channels : 1),
        let fresh = Frame(
          sampleFormat: sampleFormat, channelLayout: channelLayout, sampleRate: sampleRate,
          sampleCount: sampleCount)
      else { return nil }
      let bytes =
        sampleCount * sampleFormat.bytesPerSample * (sampleFormat.isPlanar ? 1 : channels)
      for plane in 0..<(sampleFormat.isPlanar ? channels : 1) {
        fresh.planes[plane].base.copyMemory(from: planes[plane].base, byteCount: bytes)
      }
      copy = fresh
    }
    (copy.pts, copy.duration, copy.flags) = (pts, duration, flags)
    return copy
  }
}
