package import RespoolMedia

extension Frame {
  /// The same sound without its first and last samples, sharing the memory; nil where none are left.
  ///
  /// The time moves on by what was dropped in front, in `timeBase`.
  package func droppingSamples(front: Int, back: Int, timeBase: Rational) -> Frame? {
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

extension SoundShape {
  /// Hands `count` samples of silence to `body`, in blocks that take little memory.
  package func silence(_ count: Int64, _ body: (Frame) throws(MediaError) -> Void)
    throws(MediaError)
  {
    var left = count
    while left > 0 {
      let part = Int(min(left, 4096))
      guard
        let block = Frame.silence(
          sampleFormat: sampleFormat, channelLayout: channelLayout, sampleRate: sampleRate,
          sampleCount: part)
      else { return }
      left -= Int64(part)
      try body(block)
    }
  }
}

extension Frame {
  /// A block of silence; nil under the conditions of the initialiser.
  package static func silence(
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
