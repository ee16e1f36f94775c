import Synchronization

/// Lets tasks wait until something may have changed, or will not change any more.
final class TaskGate: Sendable {
  private let waiting = Mutex<(tasks: [CheckedContinuation<Void, Never>], isOver: Bool)>(
    ([], false))

  /// Opens a gate permanently when the block that holds it is released: its caller has ended.
  private final class End: Sendable {
    private let gate: TaskGate
    init(_ gate: TaskGate) { self.gate = gate }
    deinit { gate.open(isOver: true) }
  }

  /// Returns a block that opens the gate each time it is called, and permanently when it is released.
  ///
  /// A call has no effect while `condition` returns `false`.
  func opener(if condition: @escaping @Sendable () -> Bool = { true }) -> @Sendable () -> Void {
    let end = End(self)
    return { [self] in withExtendedLifetime(end) { if condition() { open() } } }
  }

  /// Waits until the gate is opened or the task is cancelled.
  ///
  /// May return early. `check` is called after the task is registered, because a change may have come before.
  func wait(check: () -> Void) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = waiting.withLock { waiting in
          if !waiting.isOver { waiting.tasks.append(continuation) }
          return waiting.isOver
        }
        if isOver { return continuation.resume() }
        check()
        // A cancellation before the task was registered has opened nothing.
        if Task.isCancelled { open() }
      }
    } onCancel: {
      open()
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
