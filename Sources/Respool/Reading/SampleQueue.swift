import RespoolMedia

/// Samples on their way from the thread that reads ahead to the one that takes them.
// Sendable: everything is behind the lock.
final class SampleQueue: @unchecked Sendable {
  private let limit: Int
  private let monitor = Monitor()
  private var samples = Backlog<(sample: SampleBuffer, cost: Int)>()
  private var cost = 0
  private var isEnded = false
  private var isAbandoned = false
  private var failure: MediaError?
  private var sourceFaults: [SourceFault] = []

  /// A taker that waits is woken for no less, in bytes, unless it is the end: threads that wake one
  /// another for every small packet spend more time on that than on the packets.
  private static let leastCost = 256 << 10

  /// `limit` is in bytes; one sample is always let in.
  init(limit: Int) { self.limit = limit }

  /// Adds a sample; blocks while there is enough.
  ///
  /// Throws `cancelled` once nobody wants any.
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

  /// No more will come; an error is given to the taker after all samples.
  func end(_ failure: MediaError? = nil) {
    monitor.locked {
      isEnded = true
      self.failure = failure
      monitor.wakeAll()
    }
  }

  /// Records a fault of a source whose rest is read.
  func note(_ fault: SourceFault) { monitor.locked { sourceFaults.append(fault) } }

  /// Faults of the sources that have been passed over so far.
  var faults: [SourceFault] { monitor.locked { sourceFaults } }

  /// The next sample; blocks until there is one, nil at the end.
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

  /// Nobody will take any more: gives up what waits, and lets both sides go.
  func abandon() {
    monitor.locked {
      isAbandoned = true
      samples.removeAll()
      monitor.wakeAll()
    }
  }

  var wasAbandoned: Bool { monitor.locked { isAbandoned } }
}

/// A fault of a file that was passed over.
struct SourceFault: Sendable {
  var path: String
  /// A part of a sentence.
  var words: String
  /// The error that reading ended with because the file is cut off; nil: damage.
  var cut: MediaError?
}

extension SampleBuffer {
  /// About how much memory it keeps.
  var memorySize: Int {
    switch content {
    case .packet(let packet): (packet.buffer == nil ? 0 : packet.size) + 512
    case .frame(let frame): frame.byteCount + 512
    }
  }
}
