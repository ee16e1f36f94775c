import RespoolMedia
import Synchronization

/// Which segment a time belongs to.
///
/// The encoders' side asks where a key picture has to be, the muxer's side where a segment starts; both
/// get the same answer, since it depends on the time alone.
final class SegmentSchedule: Sendable {
  private enum Rule {
    case every(MediaTime, from: MediaTime)
    /// A segment ends behind each of these, in the movie's times.
    case after([MediaTime])
  }

  private struct State {
    var rule: Rule
    /// The time of the source that is 0 in the movie.
    var origin = MediaTime.zero
    /// The latest sample that was appended to the input that leads, in the movie's times.
    var latest: MediaTime?
  }

  private let state: Mutex<State>

  /// `interval`: indefinite where a segment ends on request.
  ///
  /// `start` is a time of the source.
  init(interval: MediaTime, start: MediaTime) {
    state = Mutex(
      State(rule: interval.isNumeric ? .every(interval, from: start) : .after([])))
  }

  /// The session starts: `origin` of the source is 0 in the movie.
  func begin(at origin: MediaTime) { state.withLock { $0.origin = origin } }

  /// The segment of a time of the movie, counted from 0.
  func segment(at time: MediaTime) -> Int64 {
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

  /// A sample of that time of the movie was appended to the input that leads.
  func note(_ time: MediaTime) {
    state.withLock { state in
      if state.latest.map({ $0 < time }) ?? true { state.latest = time }
    }
  }

  /// Ends the segment behind what has been appended.
  func flush() {
    state.withLock { state in
      guard case .after(let ends) = state.rule, let latest = state.latest, ends.last != latest
      else { return }
      state.rule = .after(ends + [latest])
    }
  }
}
