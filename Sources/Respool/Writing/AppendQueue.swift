import DequeModule
import RespoolMedia

/// Queue of one input's appended samples, which a thread of the queue encodes and writes in order.
///
/// The queue is bounded in bytes and in samples. It is full when a bound is reached, and stays full until half of
/// that is left. This way a client is woken for many samples at a time.
// Sendable: the lock protects all mutable state; the encoder is a local variable of the thread.
final class AppendQueue: @unchecked Sendable {
  typealias Work = @Sendable (InputEncoder) throws(MediaError) -> Void

  /// Bytes that may wait before the queue is full.
  static let byteLimit = 32 << 20
  /// Samples that may wait before the queue is full.
  static let countLimit = 32

  private let lock = Monitor()
  /// Creates the encoder that does the work, on the queue's thread.
  private let makeEncoder: @Sendable () -> InputEncoder
  /// Called on the queue's thread whenever work has been done and no longer counts.
  private let whenDone: @Sendable () -> Void
  private var waiting = Deque<(work: Work, cost: Int)>()
  // Totals of waiting work and of work in progress.
  private var count = 0
  private var cost = 0
  private var isFull = false
  private var hasThread = false
  private var isClosed = false
  private var isAbandoned = false

  init(
    encoder makeEncoder: @escaping @Sendable () -> InputEncoder,
    whenDone: @escaping @Sendable () -> Void
  ) {
    (self.makeEncoder, self.whenDone) = (makeEncoder, whenDone)
  }

  /// `true` if the queue is not full.
  var hasRoom: Bool { lock.locked { !isFull } }

  /// `true` if no bound is reached, so that `put` does not wait; the queue may still count as full.
  var isBelowBounds: Bool { lock.locked { !isAtBound } }

  private var isAtBound: Bool { count >= Self.countLimit || cost >= Self.byteLimit }

  /// `true` if no work waits and none is being done.
  var isIdle: Bool { lock.locked { count == 0 } }

  /// Adds work on a sample of `cost` bytes; waits while a bound is reached.
  ///
  /// Does not wait with the last work, after which the thread ends. Throws `cancelled` if the queue has been closed
  /// or abandoned, and `limitExceeded` if the system cannot create a thread.
  func put(_ cost: Int = 0, isLast: Bool = false, _ work: @escaping Work) throws(MediaError) {
    let (isTaken, needsThread) = lock.locked {
      while isAtBound, !isLast, !isClosed, !isAbandoned { lock.wait() }
      guard !isClosed, !isAbandoned else { return (false, false) }
      waiting.append((work, cost))
      count += 1
      self.cost += cost
      isFull = isFull || isAtBound
      isClosed = isLast
      lock.wakeAll()
      defer { hasThread = true }
      return (true, !hasThread)
    }
    guard isTaken else { throw MediaError(.cancelled, "stopped") }
    guard needsThread else { return }
    do throws(MediaError) {
      try PlainThread(name: "input") { [self] in run() }.detach()
    } catch {
      abandon()
      throw error
    }
  }

  /// Drops waiting work and ends the thread; work in progress is finished.
  func abandon() {
    let dropped = lock.locked {
      defer { waiting.removeAll() }
      isAbandoned = true
      lock.wakeAll()
      return waiting
    }
    withExtendedLifetime(dropped) {}
  }

  /// Waits until no work is left.
  func waitUntilIdle() { lock.locked { while count > 0, !isAbandoned { lock.wait() } } }

  private func run() {
    let encoder = makeEncoder()
    while let work = next() {
      encoder.perform(work.work)
      lock.locked {
        count -= 1
        cost -= work.cost
        if count <= Self.countLimit / 2, cost <= Self.byteLimit / 2 { isFull = false }
        lock.wakeAll()
      }
      whenDone()
    }
  }

  private func next() -> (work: Work, cost: Int)? {
    lock.locked {
      while !isAbandoned {
        if let work = waiting.popFirst() { return work }
        if isClosed { return nil }
        lock.wait()
      }
      return nil
    }
  }
}
