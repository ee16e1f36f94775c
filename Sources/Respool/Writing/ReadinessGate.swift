import Dispatch
import Synchronization

/// Lets tasks wait until an input can take samples, or takes none any more.
final class ReadinessGate: Sendable {
  private let waiting = Mutex<(tasks: [CheckedContinuation<Void, Never>], isOver: Bool)>(
    ([], false))
  private let request = Mutex<MediaDataRequest?>(nil)

  /// Opens the gate for good when the block that holds it is released: the input has ended.
  private final class End: Sendable {
    private let gate: ReadinessGate
    init(_ gate: ReadinessGate) { self.gate = gate }
    deinit { gate.open(isOver: true) }
  }

  /// False where somebody has asked for the input's media data already.
  func watch(_ input: AssetWriterInput) -> Bool {
    let end = End(self)
    let fresh = MediaDataRequest(input, on: DispatchQueue(label: "respool.receiver")) {
      [weak self, weak input] in
      withExtendedLifetime(end) {
        if input?.isReadyForMoreMediaData ?? true { self?.open() }
      }
    }
    guard input.take(fresh) else { return false }
    request.withLock { $0 = fresh }
    return true
  }

  /// Waits until the input may have become ready; may return for no reason.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isOver = waiting.withLock { waiting in
        if !waiting.isOver { waiting.tasks.append(continuation) }
        return waiting.isOver
      }
      if isOver { return continuation.resume() }
      request.withLock { $0 }?.wake()
      // Whoever cancelled before the task was noted has opened nothing.
      if Task.isCancelled { open() }
    }
  }

  func open(isOver: Bool = false) {
    let tasks = waiting.withLock { waiting in
      defer { waiting = ([], waiting.isOver || isOver) }
      return waiting.tasks
    }
    for task in tasks { task.resume() }
  }
}
