import DequeModule
import RespoolMedia

/// A queue of samples from the thread that reads ahead to the thread that takes them.
// Sendable: everything is behind the lock.
final class SampleQueue: @unchecked Sendable {
  private let limit: Int
  private let monitor = Monitor()
  private var samples = Deque<(sample: SampleBuffer, cost: Int)>()
  private var cost = 0
  private var isEnded = false
  private var isAbandoned = false
  private var failure: MediaError?
  private var sourceFaults: [SourceFault] = []

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
    let isWanted = monitor.locked {
      if cost > 0, cost + size > limit {
        while !isAbandoned, cost > limit / 2 { monitor.wait() }
      }
      guard !isAbandoned else { return false }
      samples.append((sample, size))
      let least = min(Self.leastCost, limit / 4)
      if cost < least, cost + size >= least { monitor.wakeAll() }
      cost += size
      return true
    }
    if !isWanted { throw MediaError(.cancelled, "stopped") }
  }

  /// Ends the queue; the taker gets the error after all samples.
  func end(_ failure: MediaError? = nil) {
    monitor.locked {
      isEnded = true
      self.failure = failure
      monitor.wakeAll()
    }
  }

  /// Records a fault of a source whose undamaged rest is read.
  func note(_ fault: SourceFault) { monitor.locked { sourceFaults.append(fault) } }

  /// Faults of the sources that have been skipped so far.
  var faults: [SourceFault] { monitor.locked { sourceFaults } }

  /// Returns the next sample, or `nil` at the end; blocks until there is one.
  func next() throws(MediaError) -> SampleBuffer? {
    let result: Result<SampleBuffer?, MediaError> = monitor.locked {
      while samples.isEmpty, !isEnded, !isAbandoned { monitor.wait() }
      if isAbandoned { return .failure(MediaError(.cancelled, "stopped")) }
      if let (sample, size) = samples.popFirst() {
        if cost > limit / 2, cost - size <= limit / 2 { monitor.wakeAll() }
        cost -= size
        return .success(sample)
      }
      return failure.map { .failure($0) } ?? .success(nil)
    }
    return try result.get()
  }

  /// Discards the queued samples and releases both threads: no more samples will be taken.
  func abandon() {
    monitor.locked {
      isAbandoned = true
      samples.removeAll()
      monitor.wakeAll()
    }
  }

  var wasAbandoned: Bool { monitor.locked { isAbandoned } }
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
