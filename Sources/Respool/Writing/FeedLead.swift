import Synchronization

/// Progress of feeding one input.
final class FeedPace: Sendable {
  struct Progress {
    /// End of the latest sample, in seconds of the movie.
    var end = 0.0
    /// Time at which a sample was last appended or processed, in seconds of the system's monotonic clock.
    var lastActivity = monotonicSeconds()
    /// `true` if no more samples will come.
    var isFinished = false
  }

  private let state = Mutex(Progress())

  var progress: Progress { state.withLock { $0 } }

  /// Notes that a sample has been appended or processed.
  ///
  /// `end` is the end of an appended sample, in seconds of the movie.
  func note(until end: Double = 0) {
    state.withLock { ($0.end, $0.lastActivity) = (max($0.end, end), monotonicSeconds()) }
  }

  /// Marks the input as finished; returns `false` if it was finished before.
  func finish() -> Bool {
    state.withLock { state in
      defer { state.isFinished = true }
      return !state.isFinished
    }
  }
}

/// Lead that the inputs of a writer may have over each other.
final class FeedLead: Sendable {
  /// Time without samples after which other inputs do not wait for an input, in seconds.
  static let maximumIdleSeconds = 1.0
  /// Lead that an input may have before it has to wait, in seconds.
  private let allowed = Mutex(2.0)

  /// `true` if the input should wait until another one of `pipelines` has caught up.
  ///
  /// An input that gets no samples for `maximumIdleSeconds` seconds is not waited for, because one thread may feed all
  /// inputs in turn. The allowed lead then grows, so that a client that feeds in large portions is held up only
  /// once. `isPiledUp`: many packets of the input wait for those of others.
  ///
  /// An input that is piled up also waits for inputs that are ahead of it: their samples are appended, but may still be
  /// in an encoder. The packets that they produce are the ones that are missing.
  func shouldWait(_ pipeline: InputPipeline, among pipelines: [InputPipeline], isPiledUp: Bool)
    -> Bool
  {
    let allowed = allowed.withLock { $0 }
    let end = pipeline.pace.progress.end
    let now = monotonicSeconds()
    var longest = 0.0
    for other in pipelines where other !== pipeline {
      let progress = other.pace.progress
      let lead = end - progress.end
      guard !progress.isFinished, isPiledUp || lead > allowed else { continue }
      if now - progress.lastActivity <= Self.maximumIdleSeconds || !other.queue.isIdle {
        return true
      }
      longest = max(longest, lead)
    }
    if longest > allowed { self.allowed.withLock { $0 = max($0, longest * 2) } }
    return false
  }
}
