import RespoolMedia

/// Mixes several audio tracks at the volumes of the audio mix.
final class AudioMixer: SampleSource {
  final class Input {
    fileprivate let stream: any SampleStream
    fileprivate let volumes: VolumeCurve
    fileprivate let tap: AudioTapProcessor?
    /// The frame that is being read; `position` is its start in audio samples.
    fileprivate var frame: Frame?
    fileprivate var position: Int64 = 0
    fileprivate var hasEnded = false

    init(_ stream: any SampleStream, _ volumes: VolumeCurve?, tap: AudioTapProcessor?) {
      self.stream = stream
      self.volumes = volumes ?? VolumeCurve()
      self.tap = tap
    }
  }

  /// Audio samples in a block: 85 ms at 48 kHz.
  private static let blockSize = 4096

  private let inputs: [Input]

  var streams: [any SampleStream] { inputs.map(\.stream) }

  private let audioFormat: AudioFormat
  private let rate: Int
  private let channels: Int
  private let format: FormatDescription
  private let toOutput: AudioConverter
  private let pool = FramePool(limit: 8 << 20)
  /// The ranges that are still to be read; `position` is the next sample in the first of them.
  ///
  /// In audio samples.
  private var ranges: [Range<Int64>]
  private var position: Int64

  /// Creates a mixer; `inputs` give planar 32-bit floating point at the rate and in the layout of `audioFormat`.
  init(
    _ inputs: [Input], audioFormat: AudioFormat, ranges: [TimeRange]
  ) throws(MediaError) {
    self.inputs = inputs
    self.audioFormat = audioFormat
    rate = audioFormat.sampleRate
    channels = audioFormat.channelLayout.channelCount
    var planar = audioFormat
    planar.sampleFormat = .fltp
    toOutput = try AudioConverter(from: planar, to: audioFormat)
    var track = TrackDescription(
      kind: .audio, codec: "pcm", timeBase: Rational(1, Int32(clamping: audioFormat.sampleRate)))
    (track.sampleFormat, track.sampleRate) = (audioFormat.sampleFormat, audioFormat.sampleRate)
    track.channelLayout = audioFormat.channelLayout
    format = FormatDescription(track)
    let scale = Int32(clamping: audioFormat.sampleRate)
    self.ranges = ranges.map { range in
      let start = range.start.convertScale(scale, method: .default).value
      let end = range.end.isNumeric ? range.end.convertScale(scale, method: .default).value : .max
      return start..<max(start, end)
    }
    position = self.ranges.first?.lowerBound ?? 0
  }

  func next() throws(MediaError) -> SampleBuffer? {
    while let range = ranges.first {
      var isSilentFromHere = true
      for input in inputs {
        try fill(input)
        if !input.hasEnded { isSilentFromHere = false }
      }
      if isSilentFromHere || position >= range.upperBound {
        ranges.removeFirst()
        if let next = ranges.first { position = next.lowerBound }
        if isSilentFromHere { ranges = [] }
        continue
      }
      // A block ends with the last input, so that no silence is added.
      let count = Int(min(Int64(Self.blockSize), range.upperBound - position))
      let mixed = try mix(count)
      guard mixed.sampleCount > 0 else { continue }
      position += Int64(mixed.sampleCount)
      guard var frame = try toOutput.convert(mixed) else { continue }
      frame.pts = position - Int64(mixed.sampleCount)
      frame.duration = Int64(frame.sampleCount)
      return SampleBuffer(.frame(frame), format: format, timeBase: format.track.timeBase)
    }
    return nil
  }

  /// Reads until the input has a frame that ends after `position`, or has ended.
  private func fill(_ input: Input) throws(MediaError) {
    while !input.hasEnded {
      if let frame = input.frame, input.position + Int64(frame.sampleCount) > position { return }
      guard let sample = try input.stream.next() else {
        input.frame = nil
        input.hasEnded = true
        return
      }
      guard case .frame(let frame) = sample.content, let pts = frame.pts else { continue }
      input.frame =
        try input.tap.map { (tap) throws(MediaError) in try frame.tapped(by: tap) } ?? frame
      input.position = pts
    }
  }

  /// Returns the sum of up to `count` samples from `position` on; fewer if all inputs end.
  private func mix(_ count: Int) throws(MediaError) -> Frame {
    guard
      let frame = pool.audio(
        sampleFormat: .fltp, channelLayout: audioFormat.channelLayout, sampleRate: rate,
        sampleCount: count)
    else { throw MediaError(.internal, "no memory for \(count) audio samples") }
    for plane in frame.planes.prefix(channels) {
      plane.base.initializeMemory(as: UInt8.self, repeating: 0, count: count * 4)
    }
    var reached = 0
    let start = position
    for input in inputs {
      var done = 0
      while done < count {
        position = start + Int64(done)
        try fill(input)
        guard !input.hasEnded, let part = input.frame else { break }
        let from = max(0, Int(clamping: position - input.position))
        let skip = max(0, Int(clamping: input.position - position))
        let length = min(part.sampleCount - from, count - done - skip)
        guard length > 0 else {
          // The frame begins after this block.
          done = count
          break
        }
        add(
          part, from, to: frame, at: done + skip, length,
          (input.volumes, firstSample: start + Int64(done + skip)))
        done += skip + length
        reached = max(reached, done)
      }
      if !input.hasEnded { reached = count }
    }
    position = start
    var result = frame
    result.sampleCount = reached
    return result
  }

  /// Adds `length` samples of `part` from `from` on, scaled by the volumes.
  private func add(
    _ part: Frame, _ from: Int, to frame: Frame, at place: Int, _ length: Int,
    _ loudness: (volumes: VolumeCurve, firstSample: Int64)
  ) {
    // The frames own what their planes point to.
    withExtendedLifetime((part, frame)) {
      withUnsafeTemporaryAllocation(of: Float.self, capacity: length) { gains in
        let isUnity = loudness.volumes.isUnity
        if !isUnity { loudness.volumes.fill(gains, from: loudness.firstSample, rate: rate) }
        for channel in 0..<min(channels, part.planes.count) {
          let input = part.planes[channel].base.assumingMemoryBound(to: Float.self) + from
          let output = frame.planes[channel].base.assumingMemoryBound(to: Float.self) + place
          if isUnity {
            for index in 0..<length { output[index] += input[index] }
          } else {
            for index in 0..<length { output[index] += input[index] * gains[index] }
          }
        }
      }
    }
  }
}
