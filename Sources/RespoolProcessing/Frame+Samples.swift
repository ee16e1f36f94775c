package import RespoolMedia

extension Frame {
  /// Returns the audio without its first and last samples, sharing the memory, or `nil` if nothing is left.
  ///
  /// The time advances by the duration dropped at the front, in `timeBase`.
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

extension AudioFormat {
  /// Calls `body` with `count` audio samples of silence, in blocks that take little memory.
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
  /// Returns a block of silence, or `nil` under the conditions of the initializer.
  package static func silence(
    sampleFormat: SampleFormat, channelLayout: ChannelLayout, sampleRate: Int, sampleCount: Int
  ) -> Frame? {
    guard
      let frame = Frame(
        sampleFormat: sampleFormat, channelLayout: channelLayout, sampleRate: sampleRate,
        sampleCount: sampleCount)
    else { return nil }
    // Silence is 128 in unsigned audio samples and 0 in all others.
    let byte: UInt8 = sampleFormat.interleaved == .u8 ? 128 : 0
    frame.buffer.bytes.initializeMemory(as: UInt8.self, repeating: byte)
    return frame
  }
}
