import DequeModule
package import RespoolMedia

/// Runs the following stages on a separate thread, after a queue with a limit in bytes.
///
/// The thread is a plain one because codecs block, which is forbidden in Swift's cooperative pool. An error
/// of a later stage is thrown to the sender at its next call.
package final class QueueStage<Input: Sendable>: Stage {
  private enum Item {
    case input(Input)
    case skip(Int64)
  }

  private struct State {
    var items = Deque<(item: Item, cost: Int)>()
    var cost = 0
    var ended = false
    var failure: MediaError?
    var abandoned = false
  }

  private let limit: Int
  private let cost: @Sendable (Input) -> Int
  private let queue: Monitor<State>
  private let thread: PlainThread

  /// Creates a queue of at most `limit` bytes, as `cost` counts them; an empty queue accepts an item of any
  /// size.
  ///
  /// The thread of the queue calls `next` until `finish` or `abandon` returns.
  package init(
    to next: any Stage<Input>, limit: Int, name: String, cost: @escaping @Sendable (Input) -> Int
  ) throws(MediaError) {
    self.limit = limit
    self.cost = cost
    let queue = Monitor(State())
    self.queue = queue
    thread = try PlainThread(name: name) { [next = Transferred(next)] in
      QueueStage.run(queue, limit, to: next.value)
    }
  }

  package func consume(_ input: Input) throws(MediaError) { try put(.input(input), cost(input)) }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try put(.skip(nanoseconds), 64) }

  private func put(_ item: Item, _ cost: Int) throws(MediaError) {
    var isFull = false
    try queue.locked(when: { state in
      isFull = isFull || state.cost > 0 && state.cost + cost > limit
      return !isFull || state.failure != nil || state.cost <= limit / 2
    }) { (state) throws(MediaError) in
      if let failure = state.failure { throw failure }
      state.items.append((item, cost))
      state.cost += cost
      // Only needed if the queue was empty, because the thread may be waiting.
      if state.items.count == 1 { queue.wakeAll() }
    }
  }

  package func finish() throws(MediaError) {
    queue.locked { state in
      state.ended = true
      queue.wakeAll()
    }
    thread.join()
    if let failure = queue.locked({ $0.failure }) { throw failure }
  }

  /// Ends the thread without finishing the following stages; for a conversion that failed elsewhere.
  package func abandon() {
    queue.locked { state in
      state.abandoned = true
      if state.failure == nil { state.failure = MediaError(.cancelled, "stopped") }
      queue.wakeAll()
    }
    thread.join()
  }

  private static func run(_ queue: Monitor<State>, _ limit: Int, to next: any Stage<Input>) {
    var failure: MediaError?
    do throws(MediaError) {
      while let item = take(from: queue, limit: limit) {
        switch item {
        case .input(let input): try next.consume(input)
        case .skip(let time): try next.skip(to: time)
        }
      }
      if !queue.locked({ $0.abandoned }) { try next.finish() }
    } catch { failure = error }
    queue.locked { [failure] state in
      if state.failure == nil { state.failure = failure }
      state.items.removeAll()
      queue.wakeAll()
    }
  }

  private static func take(from queue: Monitor<State>, limit: Int) -> Item? {
    queue.locked(when: { !$0.items.isEmpty || $0.ended || $0.abandoned }) { state in
      guard !state.abandoned, let (item, cost) = state.items.popFirst() else { return nil }
      // A waiting sender continues when the queue is half empty. Two threads that wake each other for every
      // item cost more than they gain.
      if state.cost > limit / 2, state.cost - cost <= limit / 2 { queue.wakeAll() }
      state.cost -= cost
      return item
    }
  }
}
