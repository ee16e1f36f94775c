import RespoolMedia

extension AssetWriter {
  /// Lead that an input may always have over another, in seconds.
  static let shortestLead = 2.0
  /// Time without samples after which other inputs do not wait for an input, in seconds.
  static let patience = 1.0

  /// Notifies every input that has become ready.
  func noteReadiness() {
    for input in inputs { input.noteReadiness() }
  }

  /// `true` if the input can take a sample now; never waits for an encoder or a file.
  func isReady(_ input: AssetWriterInput) -> Bool {
    let isInSession = lock.locked {
      state.status == .writing && state.sessionStart != nil && state.sessionEnd == nil
    }
    guard isInSession, !input.isFinished, let port = input.port, let queue = input.queue else {
      return false
    }
    // A live source cannot wait for other inputs. It drops single samples when the queue is full.
    if input.expectsMediaDataInRealTime { return queue.isBelowBounds && !port.isOverfull }
    guard queue.hasRoom else { return false }
    return !isAhead(input, isPiledUp: port.isPiledUp)
  }

  /// `true` if the input should wait until another one has caught up.
  ///
  /// An input that gets no samples for `patience` seconds is not waited for, because one thread may feed all
  /// inputs in turn. The allowed lead then grows, so that a client that feeds in large portions is held up only
  /// once.
  private func isAhead(_ input: AssetWriterInput, isPiledUp: Bool) -> Bool {
    let (inputs, allowed) = lock.locked { (state.inputs, state.lead) }
    let end = input.pace.end
    let now = monotonicSeconds()
    var longest = 0.0
    for other in inputs where other !== input && !other.isFinished {
      let pace = other.pace
      guard isPiledUp || end - pace.end > allowed else { continue }
      if now - pace.lastNews <= Self.patience || !(other.queue?.isIdle ?? true) { return true }
      longest = max(longest, end - pace.end)
    }
    if longest > allowed { lock.locked { state.lead = max(state.lead, longest * 2) } }
    return false
  }
}

extension AssetWriterInput {
  /// Progress of feeding an input.
  struct Pace {
    /// End of the latest sample, in seconds of the movie.
    var end = 0.0
    /// Time at which a sample was last appended or processed, in seconds of the system's monotonic clock.
    var lastNews = 0.0
  }
}
