import DequeModule
import Glibc
package import RespoolMedia

/// Runs the following stages on a separate thread, after a queue with a limit in bytes.
///
/// The thread is a plain one because codecs block, which is forbidden in Swift's cooperative pool. An error
/// of a later stage is thrown to the sender at its next call.
// Sendable: `next` is called only by the queue's own thread; everything else is behind the lock.
package final class QueueStage<Input: Sendable>: Stage, @unchecked Sendable {
  private enum Item {
    case input(Input)
    case skip(Int64)
  }

  private struct State {
    var items = Deque<(item: Item, cost: Int)>()
    var cost = 0
    var ended = false
    var failure: MediaError?
    var done = false
    var abandoned = false
  }

  private let next: any Stage<Input>
  private let limit: Int
  private let cost: @Sendable (Input) -> Int
  private var state = State()
  private let monitor = Monitor()
  private var thread: PlainThread?

  /// Creates a queue of at most `limit` bytes, as `cost` counts them; an empty queue accepts an item of any
  /// size.
  package init(
    to next: any Stage<Input>, limit: Int, name: String, cost: @escaping @Sendable (Input) -> Int
  ) throws(MediaError) {
    self.next = next
    self.limit = limit
    self.cost = cost
    thread = try PlainThread(name: name) { [weak self] in self?.run() }
  }

  package func consume(_ input: Input) throws(MediaError) { try put(.input(input), cost(input)) }

  package func skip(to nanoseconds: Int64) throws(MediaError) { try put(.skip(nanoseconds), 64) }

  private func put(_ item: Item, _ cost: Int) throws(MediaError) {
    let failure: MediaError? = monitor.locked {
      if state.cost > 0, state.cost + cost > limit {
        while state.failure == nil, state.cost > limit / 2 { monitor.wait() }
      }
      if state.failure == nil {
        state.items.append((item, cost))
        state.cost += cost
        // Only needed if the queue was empty, because the thread may be waiting.
        if state.items.count == 1 { monitor.wakeAll() }
      }
      return state.failure
    }
    if let failure { throw failure }
  }

  package func finish() throws(MediaError) {
    let failure: MediaError? = monitor.locked {
      state.ended = true
      monitor.wakeAll()
      while !state.done { monitor.wait() }
      return state.failure
    }
    thread?.join()
    if let failure { throw failure }
  }

  /// Ends the thread without finishing the following stages; for a conversion that failed elsewhere.
  package func abandon() {
    monitor.locked {
      state.abandoned = true
      if state.failure == nil { state.failure = MediaError(.cancelled, "stopped") }
      monitor.wakeAll()
    }
    thread?.join()
  }

  private func run() {
    var failure: MediaError?
    do throws(MediaError) {
      while let item = take() {
        switch item {
        case .input(let input): try next.consume(input)
        case .skip(let time): try next.skip(to: time)
        }
      }
      if !monitor.locked({ state.abandoned }) { try next.finish() }
    } catch { failure = error }
    monitor.locked {
      if state.failure == nil { state.failure = failure }
      state.items.removeAll()
      state.done = true
      monitor.wakeAll()
    }
  }

  private func take() -> Item? {
    monitor.locked {
      while state.items.isEmpty, !state.ended, !state.abandoned { monitor.wait() }
      guard !state.abandoned, let (item, cost) = state.items.popFirst() else { return nil }
      // A waiting sender continues when the queue is half empty. Two threads that wake each other for every
      // item cost more than they gain.
      if state.cost > limit / 2, state.cost - cost <= limit / 2 { monitor.wakeAll() }
      state.cost -= cost
      return item
    }
  }
}
