import CAVCodec
import RespoolPlugin

/// Completion of decoded audio: times of frames that share a packet, and removal of samples that only the
/// decoder knows to be padding.
struct AudioClock {
  private let timeBase: Rational
  /// End of the last frame, in the time base of the track.
  private var end: Int64?
  /// First time of a packet.
  ///
  /// A decoder may consume several packets before its first frame, which then has no time (Shorten).
  private var first: Int64?
  /// Number of samples still to be dropped.
  private var pending: Int64 = 0
  private var lastPacket: (pts: Int64, trimStart: Int64, isDiscarded: Bool)?

  init(timeBase: Rational) { self.timeBase = timeBase }

  mutating func sent(_ packet: Packet) {
    first = first ?? packet.pts
    lastPacket = packet.pts.map { ($0, packet.trimStart, packet.flags.contains(.discard)) }
  }

  mutating func reset() { self = AudioClock(timeBase: timeBase) }

  /// Completes `frame`.
  ///
  /// Returns `nil` if nothing of it is left.
  ///
  /// `skip` is the number of samples that the decoder wants to drop: the pre-skip of an Opus header, or the
  /// first frame of libfaac. The host drops the samples that the container specifies, so only additional ones
  /// are dropped here.
  mutating func complete(_ frame: Frame, skip: Int64) -> Frame? {
    var frame = frame
    let sample = Rational(1, Int32(clamping: frame.sampleRate))
    if frame.pts == nil { frame.pts = end ?? first }
    let count = Int64(frame.sampleCount)
    if let pts = frame.pts {
      end = pts.addingReportingOverflow(sample.convert(count, to: timeBase)).partialValue
    }
    if skip > 0 { pending = max(0, skip - droppedByHost(frame, sample)) }
    guard pending > 0 else { return frame }
    let dropped = min(pending, count)
    pending -= dropped
    guard dropped < count else { return nil }
    let channels = frame.sampleFormat.isPlanar ? 1 : frame.channelLayout.channelCount
    let bytes = Int(dropped) * frame.sampleFormat.bytesPerSample * channels
    for index in frame.planes.indices {
      frame.planes[index].base += bytes
      frame.planes[index].stride -= frame.planes.count > 8 ? 0 : bytes
    }
    frame.sampleCount -= Int(dropped)
    frame.pts = frame.pts.map {
      $0.addingReportingOverflow(sample.convert(dropped, to: timeBase)).partialValue
    }
    return frame
  }

  private func droppedByHost(_ frame: Frame, _ sample: Rational) -> Int64 {
    var dropped: Int64 = 0
    if let pts = frame.pts, (Int64.min + 1..<0).contains(pts) {
      dropped = timeBase.convert(-pts, to: sample)
    }
    if let lastPacket, lastPacket.pts == frame.pts {
      dropped = max(dropped, timeBase.convert(lastPacket.trimStart, to: sample))
      if lastPacket.isDiscarded { dropped = max(dropped, Int64(frame.sampleCount)) }
    }
    return dropped
  }
}
