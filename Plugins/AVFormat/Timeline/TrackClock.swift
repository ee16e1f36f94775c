import CAVFormat
import FFmpeg
import RespoolPlugin

/// The time base of a track, and the conversion from the stream's own time base.
///
/// Milliseconds (Matroska, FLV) cannot express audio that is trimmed to the sample, so such audio uses
/// samples as units. Its times are rounded: a packet begins at the end of the last one if the difference is
/// within the rounding error.
struct TrackClock {
  let timeBase: Rational
  private let streamBase: Rational
  private let offset: Int64
  private let countsSamples: Bool
  /// Maximum rounding error of a stream time, in samples.
  private let tolerance: Int64
  private let allowsOverlaps: Bool
  private var expected: Int64?

  /// `allowsOverlaps` is `false` for a container that stores no times, only the rate of the bytes of audio: if that is wrong,
  /// packets would begin before the end of the one before.
  init(stream: AVStream, offset: Int64, allowsDiscontinuities: Bool, allowsOverlaps: Bool = true) {
    (self.offset, self.allowsOverlaps) = (offset, allowsOverlaps)
    let base = Rational(stream.time_base)
    streamBase = base.isPositive ? base : Rational(1, 90000)
    let rate = stream.codecpar.pointee.sample_rate
    let isAudio = stream.codecpar.pointee.codec_type == AVMEDIA_TYPE_AUDIO && rate > 0
    let isExact =
      isAudio
      && Int64(streamBase.denominator) % (Int64(streamBase.numerator) * Int64(rate)) == 0
    countsSamples = isAudio && !isExact && !allowsDiscontinuities
    timeBase = countsSamples ? Rational(1, rate) : streamBase
    tolerance = countsSamples ? streamBase.convert(1, to: timeBase, rounding: .up) : 0
  }

  /// Returns a track's start on the presentation time line.
  func start(_ time: Int64) -> Int64 {
    streamBase.convert(time.addingClamped(offset), to: timeBase)
  }

  /// Returns a number of samples in the track's time base.
  func samples(_ count: Int64, rate: Int32) -> Int64 {
    rate > 0 ? Rational(1, rate).convert(count, to: timeBase) : 0
  }

  /// Returns the stream's time for a time of the track, rounded down.
  func streamTime(_ time: Int64) -> Int64 {
    timeBase.convert(time, to: streamBase, rounding: .down).subtractingClamped(offset)
  }

  mutating func reset() { expected = nil }

  /// Converts the times of the next packet.
  ///
  /// `length` is the decoded length in samples, 0 if unknown. `trimStart` is in the track's time base.
  mutating func convert(_ times: TimeLine.Times, length: Int64, trimStart: Int64)
    -> TimeLine.Times
  {
    guard countsSamples else { return times }
    let pts = times.pts.map { time -> Int64 in
      let converted = streamBase.convert(time, to: timeBase)
      if let expected,
        (expected - converted).magnitude <= tolerance || !allowsOverlaps && converted < expected
      {
        return expected
      }
      // If the audio after the trimmed part begins at 0 apart from the rounding error, it begins at 0.
      if trimStart > 0, (converted.addingClamped(trimStart)).magnitude <= tolerance {
        return -trimStart
      }
      return converted
    }
    let duration = length > 0 ? length : streamBase.convert(times.duration, to: timeBase)
    expected = length > 0 ? pts?.addingClamped(length) : nil
    return TimeLine.Times(
      pts: pts,
      dts: times.dts == times.pts ? pts : times.dts.map { streamBase.convert($0, to: timeBase) },
      duration: duration)
  }
}
