import DequeModule
import RespoolMedia

/// A queue of samples from the thread that reads ahead to the thread that takes them.
final class SampleQueue: Sendable {
  private struct State {
    var samples = Deque<(sample: SampleBuffer, cost: Int)>()
    var cost = 0
    var isEnded = false
    var isAbandoned = false
    var failure: MediaError?
    var faults: [SourceFault] = []
  }

  private let limit: Int
  private let queue = Monitor(State())

  /// Bytes at which a waiting taker is woken, except at the end.
  ///
  /// Threads that wake each other for every small packet spend more time on that than on the packets.
  private static let leastCost = 256 << 10

  /// `limit` is in bytes; one sample is always let in.
  init(limit: Int) { self.limit = limit }

  /// Adds a sample; blocks while the queue is full.
  ///
  /// Throws `cancelled` if the queue was abandoned.
  func put(_ sample: SampleBuffer) throws(MediaError) {
    let size = sample.memorySize
    var isFull = false
    try queue.locked(when: { state in
      isFull = isFull || state.cost > 0 && state.cost + size > limit
      return !isFull || state.isAbandoned || state.cost <= limit / 2
    }) { (state) throws(MediaError) in
      if state.isAbandoned { throw MediaError(.cancelled, "stopped") }
      state.samples.append((sample, size))
      let least = min(Self.leastCost, limit / 4)
      if state.cost < least, state.cost + size >= least { queue.wakeAll() }
      state.cost += size
    }
  }

  /// Ends the queue; the taker gets the error after all samples.
  func end(_ failure: MediaError? = nil) {
    queue.locked { state in
      state.isEnded = true
      state.failure = failure
      queue.wakeAll()
    }
  }

  /// Records a fault of a source whose undamaged rest is read.
  func note(_ fault: SourceFault) { queue.locked { $0.faults.append(fault) } }

  /// Faults of the sources that have been skipped so far.
  var faults: [SourceFault] { queue.locked { $0.faults } }

  /// Returns the next sample, or `nil` at the end; blocks until there is one.
  func next() throws(MediaError) -> SampleBuffer? {
    try queue.locked(when: { !$0.samples.isEmpty || $0.isEnded || $0.isAbandoned }) {
      (state) throws(MediaError) -> SampleBuffer? in
      if state.isAbandoned { throw MediaError(.cancelled, "stopped") }
      if let (sample, size) = state.samples.popFirst() {
        if state.cost > limit / 2, state.cost - size <= limit / 2 { queue.wakeAll() }
        state.cost -= size
        return sample
      }
      if let failure = state.failure { throw failure }
      return nil
    }
  }

  /// Discards the queued samples and releases both threads: no more samples will be taken.
  func abandon() {
    queue.locked { state in
      state.isAbandoned = true
      state.samples.removeAll()
      queue.wakeAll()
    }
  }

  var wasAbandoned: Bool { queue.locked { $0.isAbandoned } }
}

/// A fault of a file that was skipped.
struct SourceFault: Sendable {
  var path: String
  /// Description of the fault, as a part of a sentence.
  var message: String
  /// The error that ended reading because the file is truncated.
  ///
  /// `nil` for other damage.
  var cut: MediaError?
}

extension SampleBuffer {
  /// Approximate memory that the sample keeps, in bytes.
  var memorySize: Int {
    switch content {
    case .packet(let packet): (packet.buffer == nil ? 0 : packet.size) + 512
    case .frame(let frame): frame.byteCount + 512
    }
  }
}
