import RespoolMedia

/// The result of a request, for which a thread can wait.
final class RequestOutcome: Sendable {
  enum Result: Sendable {
    case composed(PixelBuffer)
    case cancelled
    case failed(MediaError)
  }

  private let stored = Monitor<Result?>(nil)

  /// Stores a result; only the first counts.
  func finish(_ result: Result) {
    stored.locked { first in
      guard first == nil else { return }
      first = result
      stored.wakeAll()
    }
  }

  /// Blocks the calling thread until there is a result, and returns it.
  ///
  /// The thread must not belong to Swift's cooperative pool.
  func wait() -> Result {
    while true {
      if let result = stored.locked(when: { $0 != nil }, { $0 }) { return result }
    }
  }
}
