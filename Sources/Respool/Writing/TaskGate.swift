import Synchronization

/// Lets tasks wait until something may have changed, or does not change any more.
final class TaskGate: Sendable {
  private let waiting = Mutex<(tasks: [CheckedContinuation<Void, Never>], isOver: Bool)>(
    ([], false))

  /// Opens a gate for good when the block that holds it is released: who calls the block has ended.
  final class End: Sendable {
    private let gate: TaskGate
    init(_ gate: TaskGate) { self.gate = gate }
    deinit { gate.open(isOver: true) }
  }

  /// A block that opens the gate, and opens it for good when it is released.
  func opener() -> @Sendable () -> Void {
    let end = End(self)
    return { [self] in withExtendedLifetime(end) { open() } }
  }

  /// Waits until the gate is opened; may return for no reason.
  ///
  /// `look` is called once an opening cannot be missed any more: for what has changed before.
  func wait(look: () -> Void) async {
    await withCheckedContinuation { continuation in
      let isOver = waiting.withLock { waiting in
        if !waiting.isOver { waiting.tasks.append(continuation) }
        return waiting.isOver
      }
      if isOver { return continuation.resume() }
      look()
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
