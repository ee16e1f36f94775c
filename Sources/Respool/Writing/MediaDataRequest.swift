public import Dispatch
import RespoolMedia
import Synchronization

/// Calls a block on a queue when an input can take samples, until the input ends.
final class MediaDataRequest: Sendable {
  private struct State {
    var block: (@Sendable () -> Void)?
    /// `true` while a call of the block is scheduled or running.
    var isScheduled = false
    /// `true` if the input has become ready since the last call began.
    var isWanted = false
    /// `true` if the input has accepted a sample since the last call began.
    var hasProgress = false
    /// `true` if the input was ready when that was checked last.
    var wasReady = false
    var hasTimer = false
  }

  private let queue: DispatchQueue
  private weak let input: AssetWriterInput?
  private let state: Mutex<State>

  init(_ input: AssetWriterInput, on queue: DispatchQueue, block: @escaping @Sendable () -> Void) {
    (self.input, self.queue) = (input, queue)
    state = Mutex(State(block: block))
  }

  private var isReady: Bool { input?.isReadyForMoreMediaData ?? false }

  /// Checks whether the input has become ready, and schedules a call of the block if so.
  func noteReadiness() {
    let isReady = isReady
    let hasBecomeReady = state.withLock { state in
      defer { state.wasReady = isReady }
      return isReady && !state.wasReady
    }
    if hasBecomeReady { wake() }
  }

  /// Schedules a call of the block.
  func wake() {
    let isNew = state.withLock { state in
      guard state.block != nil else { return false }
      state.isWanted = true
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isNew { queue.async { self.call() } }
  }

  /// Notes that the input has accepted a sample.
  func noteProgress() { state.withLock { $0.hasProgress = true } }

  /// Releases the block; a call that is running is the last.
  func end() {
    // Released after the lock: the block may retain what ends the request.
    let last = state.withLock { $0.block.take() }
    withExtendedLifetime(last) {}
  }

  private func call() {
    let block = state.withLock { state in
      (state.isWanted, state.hasProgress) = (false, false)
      return state.block
    }
    guard let block else { return }
    block()
    let isReady = isReady
    let isAgain = state.withLock { state in
      // If the block appended samples and the input is still ready, the block is called again. If it appended
      // nothing, it is called only after the input becomes ready again. Otherwise an idle client would be called
      // in a loop.
      state.isScheduled = state.block != nil && (state.isWanted || isReady && state.hasProgress)
      if !state.isScheduled, !isReady { state.wasReady = false }
      return state.isScheduled
    }
    if isAgain {
      queue.async { self.call() }
    } else if !isReady {
      noteReadiness()
      awaitStall()
    }
  }

  /// Checks the input's readiness again after a delay.
  ///
  /// An input can wait for another input that gets no samples. It then becomes ready through the passing of time
  /// alone.
  private func awaitStall() {
    let isNeeded = state.withLock { state in
      defer { state.hasTimer = true }
      return state.block != nil && !state.hasTimer
    }
    guard isNeeded else { return }
    let delay = DispatchTimeInterval.milliseconds(Int(FeedLead.maximumIdleSeconds * 1000) + 10)
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self else { return }
      let isEnded = self.state.withLock { state in
        state.hasTimer = false
        return state.block == nil
      }
      guard !isEnded, self.input != nil else { return }
      self.noteReadiness()
      if !self.isReady { self.awaitStall() }
    }
  }
}

extension AssetWriterInput {
  /// Calls `block` to append samples whenever the input is ready.
  ///
  /// The block runs on `queue`, which must be serial. It appends samples while `isReadyForMoreMediaData` is
  /// `true`, then returns. It is called again each time the input becomes ready again. It is released after it
  /// has marked the input as finished or the writer has ended. It is not called before the session starts. Call
  /// this once for an input, or once for each of its passes: a second call fails the writer.
  public func requestMediaDataWhenReady(
    on queue: DispatchQueue, using block: @escaping @Sendable () -> Void
  ) {
    let request = MediaDataRequest(self, on: queue, block: block)
    guard take(request) else {
      writer?.fail(
        MediaError(.invalidArgument, "media data of an input can be requested only once"))
      return
    }
    if isFinished || writer?.status.isFinal ?? false { return request.end() }
    request.noteReadiness()
  }
}
