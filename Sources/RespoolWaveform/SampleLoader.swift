import RespoolMedia

/// Reads the audio samples of frames of one format in a form that can be reduced.
final class SampleLoader {
  /// Audio samples converted at a time; few enough to stay in the cache.
  private static let block = 1024

  private let format: SampleFormat
  private let inputs: Int
  private let mixes: Bool
  /// Number of output channels.
  let outputs: Int
  /// One block for each output channel, then one block to convert into.
  private let scratch: UnsafeMutablePointer<Double>

  /// Creates a loader for frames in the format of `frame`.
  ///
  /// Throws `unsupported` if its audio samples cannot be read.
  init(_ frame: Frame, mixes: Bool) throws(MediaError) {
    format = frame.sampleFormat
    inputs = frame.channelLayout.channelCount
    guard format.bytesPerSample > 0, inputs > 0,
      frame.planes.count >= (format.isPlanar ? inputs : 1)
    else {
      throw MediaError(.unsupported, "audio of \(format), \(frame.channelLayout) cannot be drawn")
    }
    self.mixes = mixes && inputs > 1
    outputs = mixes ? 1 : inputs
    scratch = .allocate(capacity: (outputs + 1) * Self.block)
    scratch.initialize(repeating: 0, count: (outputs + 1) * Self.block)
  }

  deinit { scratch.deallocate() }

  /// Passes `count` audio samples of `frame`, starting at `first`, in parts to `converted`, or at once to `inPlace`.
  func load(
    _ frame: Frame, _ first: Int, _ count: Int, converted: (DoubleSamples, Int) -> Void,
    inPlace: (Int16Samples, Int) -> Void
  ) {
    // The frame guarantees memory for its audio samples, and retains it for the call.
    withExtendedLifetime(frame.buffer) {
      if let arrangement {
        let base = UnsafeRawPointer(frame.planes[0].base) + first * 2 * inputs
        inPlace(Int16Samples(base: base, arrangement: arrangement), count)
        return
      }
      let samples = DoubleSamples(base: scratch, channels: outputs, stride: Self.block)
      for start in stride(from: 0, to: count, by: Self.block) {
        let part = min(Self.block, count - start)
        convert(frame, first + start, part)
        converted(samples, part)
      }
    }
  }

  /// Memory layout of 16-bit audio samples that need no conversion.
  ///
  /// `nil` for all others.
  private var arrangement: Int16Samples.Arrangement? {
    guard format.interleaved == .s16, inputs == 1 || format == .s16 && inputs == 2 else {
      return nil
    }
    return inputs == 1 ? .mono : mixes ? .mixedStereo : .stereo
  }

  private func convert(_ frame: Frame, _ first: Int, _ count: Int) {
    let size = format.bytesPerSample
    for channel in 0..<inputs {
      let source =
        format.isPlanar
        ? SampleRun(base: frame.planes[channel].base + first * size, step: 1)
        : SampleRun(base: frame.planes[0].base + (first * inputs + channel) * size, step: inputs)
      let target = scratch + (mixes ? (channel == 0 ? 0 : 1) : channel) * Self.block
      convertSamples(source, format, SampleRun(base: target, step: 1), .dbl, count: count)
      if format.interleaved == .flt || format.interleaved == .dbl { Self.repair(target, count) }
      if mixes, channel > 0 { for i in 0..<count { scratch[i] += target[i] } }
    }
    if mixes {
      let share = 1 / Double(inputs)
      for i in 0..<count { scratch[i] *= share }
    }
  }

  /// Replaces values that are not finite: NaN by 0, infinity by the greatest finite number.
  private static func repair(_ values: UnsafeMutablePointer<Double>, _ count: Int) {
    let most = Double(Float.greatestFiniteMagnitude)
    for i in 0..<count {
      let value = values[i]
      let clipped = value > most ? most : value < -most ? -most : value
      values[i] = clipped == clipped ? clipped : 0
    }
  }
}
