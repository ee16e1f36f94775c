import RespoolMedia

/// Planar floating-point audio between the steps of a conversion, 32 or 64 bits per audio sample.
///
/// The memory grows to the size of the largest block and is reused for every block.
final class PlanarAudio {
  let channels: Int
  let isDouble: Bool
  private(set) var capacity = 0
  private var memory: UnsafeMutableRawPointer?
  /// Number of audio samples of each channel in it.
  var count = 0

  init(channels: Int, isDouble: Bool) {
    self.channels = channels
    self.isDouble = isDouble
  }

  deinit { memory?.deallocate() }

  var format: SampleFormat { isDouble ? .dblp : .fltp }
  var bytesPerSample: Int { isDouble ? 8 : 4 }

  /// Reserves memory for `wanted` audio samples of each channel and keeps the existing ones.
  func reserve(_ wanted: Int) {
    guard wanted > capacity else { return }
    let room = max(wanted, capacity * 2, 1024)
    let stride = room * bytesPerSample
    let fresh = UnsafeMutableRawPointer.allocate(byteCount: stride * channels, alignment: 64)
    if let memory {
      for channel in 0..<channels {
        (fresh + channel * stride).copyMemory(
          from: memory + channel * capacity * bytesPerSample, byteCount: count * bytesPerSample)
      }
      memory.deallocate()
    }
    memory = fresh
    capacity = room
  }

  /// Returns the address of audio sample `index` of each channel; `reserve` must have been called.
  func pointers(at index: Int = 0) -> [UnsafeMutableRawPointer] {
    guard let memory else { return [] }
    return (0..<channels).map { memory + ($0 * capacity + index) * bytesPerSample }
  }
}

extension PlanarAudio {
  /// Replaces its audio samples by those of `frame`, which must have as many channels.
  func load(_ frame: Frame) {
    count = 0
    reserve(frame.sampleCount)
    for (channel, pointer) in pointers().enumerated() {
      convertSamples(
        frame.run(ofChannel: channel), frame.sampleFormat, SampleRun(base: pointer, step: 1),
        format, count: frame.sampleCount)
    }
    count = frame.sampleCount
  }

  /// Writes its audio samples into `frame`, which must have as many channels and audio samples.
  func store(into frame: Frame) {
    for (channel, pointer) in pointers().enumerated() {
      convertSamples(
        SampleRun(base: pointer, step: 1), format, frame.run(ofChannel: channel),
        frame.sampleFormat, count: count)
    }
  }

  /// Replaces its audio samples by a mix of `source`, with the gains of `matrix`.
  func mix(_ source: PlanarAudio, _ matrix: ChannelMatrix) {
    count = 0
    reserve(source.count)
    count = source.count
    let inputs = source.pointers()
    for (output, gains) in zip(pointers(), matrix.gains) {
      if isDouble {
        accumulate(Double.self, inputs, gains, output, count)
      } else {
        accumulate(Float.self, inputs, gains, output, count)
      }
    }
  }

  @inline(__always)
  private func accumulate<T: BinaryFloatingPoint>(
    _: T.Type, _ inputs: [UnsafeMutableRawPointer], _ gains: [Double],
    _ output: UnsafeMutableRawPointer, _ count: Int
  ) {
    let target = output.assumingMemoryBound(to: T.self)
    target.update(repeating: 0, count: count)
    for (input, gain) in zip(inputs, gains) where gain != 0 {
      let source = input.assumingMemoryBound(to: T.self)
      let gain = T(gain)
      for i in 0..<count { target[i] += source[i] * gain }
    }
  }

  /// Appends silence up to `wanted` audio samples.
  func pad(to wanted: Int) {
    guard wanted > count else { return }
    reserve(wanted)
    for pointer in pointers(at: count) {
      pointer.initializeMemory(
        as: UInt8.self, repeating: 0, count: (wanted - count) * bytesPerSample)
    }
    count = wanted
  }
}

extension Frame {
  /// Returns the audio samples of one channel of an audio frame, which must have that channel.
  package func run(ofChannel channel: Int) -> SampleRun {
    sampleFormat.isPlanar
      ? SampleRun(base: planes[channel].base, step: 1)
      : SampleRun(
        base: planes[0].base + channel * sampleFormat.bytesPerSample,
        step: channelLayout.channelCount)
  }
}
