import Dispatch

/// Calls a block on a queue when an input can take samples, until the input ends.
// Sendable: all state is behind the lock.
final class MediaDataRequest: @unchecked Sendable {
  private let queue: DispatchQueue
  private let lock = Monitor()
  private weak var input: AssetWriterInput?
  private var block: (@Sendable () -> Void)?
  /// `true` while a call of the block is scheduled or running.
  private var isScheduled = false
  /// `true` if the input has become ready since the last call began.
  private var isWanted = false
  /// `true` if the input has accepted a sample since the last call began.
  private var hasProgress = false
  private var hasTimer = false

  init(_ input: AssetWriterInput, on queue: DispatchQueue, block: @escaping @Sendable () -> Void) {
    self.input = input
    self.queue = queue
    self.block = block
  }

  /// Notes that the input has become ready, and schedules a call of the block.
  func wake() {
    let isNew = lock.locked {
      guard block != nil else { return false }
      isWanted = true
      defer { isScheduled = true }
      return !isScheduled
    }
    if isNew { queue.async { self.call() } }
  }

  /// Notes that the input has accepted a sample.
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
      // If the block appended samples and the input is still ready, the block is called again. If it appended
      // nothing, it is called only after the input becomes ready again. Otherwise an idle client would be called
      // in a loop.
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

  /// Checks the input's readiness again after a delay.
  ///
  /// An input can wait for another input that gets no samples. It then becomes ready through the passing of time
  /// alone.
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
