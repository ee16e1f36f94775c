import RespoolMedia

/// Properties of the beginning of a track that lossy coding keeps: averages of the blocks of its first frames, or levels
/// of its first audio samples.
///
/// The digest of what an encoder got is compared with that of what a decoder makes of the file.
struct TrackDigest {
  /// Number of frames, and seconds of audio, in a complete digest.
  private static let limit = (frames: 3, seconds: 0.2)
  /// Root mean square below which audio is too quiet to be compared: -50 dB.
  private static let leastLevel = 0.003

  private(set) var frames: [FrameDigest] = []
  /// Number of all frames, not only of the first ones.
  private(set) var frameCount: Int64 = 0
  /// Duration of all audio, in seconds.
  private(set) var audioSeconds = 0.0
  /// Sum of the squares of the samples of each channel.
  private var squares: [Double] = []
  private var sampleCount = 0
  private var sampleRate = 0
  /// Number of audio samples at the start that do not count.
  var skippedCount = 0

  var isComplete: Bool {
    frames.count >= Self.limit.frames || sampleRate > 0 && sampleCount >= sampleLimit
  }

  private var sampleLimit: Int { Int(Double(sampleRate) * Self.limit.seconds) }

  mutating func add(_ frame: Frame) {
    frameCount += 1
    if frame.kind == .audio, frame.sampleRate > 0 {
      audioSeconds += Double(frame.sampleCount) / Double(frame.sampleRate)
    }
    guard !isComplete else { return }
    switch frame.kind {
    case .video: frames.append(FrameDigest(frame))
    case .audio:
      // Each digest covers the same time at its own rate: Opus is decoded at another one than it was encoded.
      if sampleRate == 0 { sampleRate = frame.sampleRate }
      guard frame.sampleRate == sampleRate else { return }
      let skipped = min(skippedCount, frame.sampleCount)
      skippedCount -= skipped
      let count = min(frame.sampleCount - skipped, sampleLimit - sampleCount)
      let sums = frame.squares(of: count, after: skipped)
      if squares.isEmpty { squares = Array(repeating: 0, count: sums.count) }
      guard sums.count == squares.count else { return }
      for channel in sums.indices { squares[channel] += sums[channel] }
      sampleCount += count
    }
  }

  /// Returns the difference of `decoded`, the digest of the frames that a decoder returns for the output.
  func difference(from decoded: TrackDigest) -> OutputComparison.Difference? {
    if frames.isEmpty { return audioDifference(from: decoded) }
    guard decoded.frames.count >= frames.count else {
      return .wrong("is decoded to \(decoded.frames.count) of its first \(frames.count) frames")
    }
    for (number, (sent, found)) in zip(frames, decoded.frames).enumerated() {
      guard (sent.width, sent.height) == (found.width, found.height) else {
        return .wrong(
          "is decoded to frames of \(found.width)x\(found.height) pixels; frames of "
            + "\(sent.width)x\(sent.height) were encoded")
      }
      guard let difference = sent.difference(from: found), difference.isOfOtherFrame else {
        continue
      }
      return .wrong(
        "is decoded to other frames than were encoded: parts of plane \(difference.plane) of frame "
          + "\(number) differ by \(Int(difference.greatest)) of 255")
    }
    return nil
  }

  private func audioDifference(from decoded: TrackDigest)
    -> OutputComparison.Difference?
  {
    guard sampleCount > 0 else { return nil }
    guard decoded.squares.count == squares.count else {
      return .wrong(
        "is decoded to \(decoded.squares.count) channels; \(squares.count) were encoded")
    }
    for channel in squares.indices {
      let level = (squares[channel] / Double(sampleCount)).squareRoot()
      let other = (decoded.squares[channel] / Double(max(1, decoded.sampleCount))).squareRoot()
      // Noise before an attack that follows makes silence louder.
      guard level > Self.leastLevel else { continue }
      // The noise that codecs add is far below the audio; low bit rates take high frequencies away.
      if other > level * 1.6 {
        return .wrong("is decoded to louder audio than was encoded, in channel \(channel + 1)")
      }
      if other < level / 8 {
        return .loss("is decoded to nearly silent audio in channel \(channel + 1)")
      }
    }
    return nil
  }
}

extension Frame {
  /// Returns the sum of the squares of `count` samples of each channel after the first `skipped`, with a full scale
  /// of 1.
  fileprivate func squares(of count: Int, after skipped: Int) -> [Double] {
    let format = sampleFormat.interleaved
    let width = format.bytesPerSample
    let channels = channelLayout.channelCount
    return (0..<channels).map { channel in
      let isPlanar = sampleFormat.isPlanar
      var place = UnsafeRawPointer(planes[isPlanar ? channel : 0].base)
      if !isPlanar { place += channel * width }
      let step = isPlanar ? width : width * channels
      place += skipped * step
      var sum = 0.0
      for _ in 0..<count {
        let value: Double =
          switch format {
          case .u8: (Double(place.load(as: UInt8.self)) - 128) / 128
          case .s16: Double(place.loadUnaligned(as: Int16.self)) / 0x1p15
          case .s32: Double(place.loadUnaligned(as: Int32.self)) / 0x1p31
          case .flt: Double(place.loadUnaligned(as: Float.self))
          case .dbl: place.loadUnaligned(as: Double.self)
          default: 0
          }
        sum += value * value
        place += step
      }
      return sum
    }
  }
}
