import Dispatch

/// Calls a block on a queue when an input can take samples, until the input ends.
// Sendable: all state is behind the lock.
final class MediaDataRequest: @unchecked Sendable {
  private let queue: DispatchQueue
  private let lock = Monitor()
  private weak var input: AssetWriterInput?
  private var block: (@Sendable () -> Void)?
  /// A call is on its way or running.
  private var isScheduled = false
  /// The input has become ready since the last call began.
  private var isWanted = false
  /// A sample has been taken since the last call began.
  private var hasProgress = false
  private var hasTimer = false

  init(_ input: AssetWriterInput, on queue: DispatchQueue, block: @escaping @Sendable () -> Void) {
    self.input = input
    self.queue = queue
    self.block = block
  }

  /// The input has become ready.
  func wake() {
    let isNew = lock.locked {
      guard block != nil else { return false }
      isWanted = true
      defer { isScheduled = true }
      return !isScheduled
    }
    if isNew { queue.async { self.call() } }
  }

  /// The input has taken a sample.
  func noteProgress() { lock.locked { hasProgress = true } }

  /// Releases the block; a call that is running is the last.
  func end() {
    let last = lock.locked {
      defer { block = nil }
      return block
    }
    withExtendedLifetime(last) {}
  }

  private func call() {
    let block = lock.locked {
      (isWanted, hasProgress) = (false, false)
      return self.block
    }
    guard let block else { return }
    block()
    let isReady = input?.isReadyForMoreMediaData ?? false
    let isAgain = lock.locked {
      // What was taken has been processed: an input that is ready asks again. One that was given nothing
      // asks when it has become ready anew, so that nobody is called in vain without end.
      isScheduled = self.block != nil && (isWanted || isReady && hasProgress)
      return isScheduled
    }
    if isAgain {
      queue.async { self.call() }
    } else if !isReady {
      input?.expectReadiness()
      awaitStall()
    }
  }

  /// An input that waits for one that nobody feeds becomes ready without anybody's doing: looks again.
  private func awaitStall() {
    let isNeeded = lock.locked {
      defer { hasTimer = true }
      return block != nil && !hasTimer
    }
    guard isNeeded else { return }
    let delay = DispatchTimeInterval.milliseconds(Int(AssetWriter.patience * 1000) + 10)
    DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in
      guard let self else { return }
      self.lock.locked { self.hasTimer = false }
      guard let input = self.input, self.lock.locked({ self.block != nil }) else { return }
      input.noteReadiness()
      if !input.isReadyForMoreMediaData { self.awaitStall() }
    }
  }
}
