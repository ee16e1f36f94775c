import RespoolMedia
import Synchronization

/// Assignment of times to segments.
///
/// The encoders ask where a sync sample is needed, and the muxer asks where a segment starts. Both get the same
/// answer for a time that has been appended: a segment only ends after such times.
final class SegmentSchedule: Sendable {
  private enum Rule {
    /// A segment ends after each interval. `sourceStart` is a time of the source.
    case every(MediaTime, sourceStart: MediaTime)
    /// A segment ends after each of these times of the movie.
    case after(movieTimes: [MediaTime])
  }

  private struct State {
    var rule: Rule
    /// Time of the source that is 0 in the movie.
    var origin = MediaTime.zero
    /// Time of the latest sample that was appended to the leading input, in the movie's times.
    var latest: MediaTime?
  }

  private let state: Mutex<State>

  /// Creates a schedule.
  ///
  /// `interval` is indefinite if segments end on request. `start` is a time of the source.
  init(interval: MediaTime, start: MediaTime) {
    state = Mutex(
      State(
        rule: interval.isNumeric ? .every(interval, sourceStart: start) : .after(movieTimes: [])))
  }

  /// Starts the session: `origin` of the source is 0 in the movie.
  func begin(at origin: MediaTime) { state.withLock { $0.origin = origin } }

  /// Returns the number of the segment that contains a time of the movie, counted from 0.
  func segmentNumber(at time: MediaTime) -> Int64 {
    state.withLock { state in
      switch state.rule {
      case .every(let interval, let start):
        let passed = time + state.origin - start
        guard passed.isNumeric, passed.value > 0 else { return 0 }
        let quotient =
          Int128(passed.value) * Int128(interval.timescale)
          / (Int128(interval.value) * Int128(passed.timescale))
        return Int64(clamping: quotient)
      case .after(let ends): return Int64(ends.count { $0 < time })
      }
    }
  }

  /// Records that a sample with this time of the movie was appended to the leading input.
  func noteAppended(_ time: MediaTime) {
    state.withLock { state in
      if state.latest.map({ $0 < time }) ?? true { state.latest = time }
    }
  }

  /// Ends the segment after the samples that have been appended.
  func endSegment() {
    state.withLock { state in
      guard case .after(let ends) = state.rule, let latest = state.latest, ends.last != latest
      else { return }
      state.rule = .after(movieTimes: ends + [latest])
    }
  }
}
