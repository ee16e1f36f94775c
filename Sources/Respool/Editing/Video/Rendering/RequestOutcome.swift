import Glibc
import RespoolMedia

/// What became of a request, and a way to wait for it.
// Sendable: `result` is only touched with the lock held. The lock and condition lie at addresses of
// their own, which stay the same and are valid until deinit; nobody waits then, because who waits
// holds a reference.
final class RequestOutcome: @unchecked Sendable {
  enum Result: Sendable {
    case composed(PixelBuffer)
    case cancelled
    case failed(MediaError)
  }

  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var result: Result?

  init() {
    pthread_mutex_init(lock, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(lock)
    condition.deallocate()
    lock.deallocate()
  }

  /// Notes a result; only the first counts.
  func finish(_ result: Result) {
    pthread_mutex_lock(lock)
    if self.result == nil {
      self.result = result
      pthread_cond_broadcast(condition)
    }
    pthread_mutex_unlock(lock)
  }

  /// Blocks the calling thread, which must not be one of Swift's cooperative pool, until there is
  /// one.
  func wait() -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result { return result }
      pthread_cond_wait(condition, lock)
    }
  }
}
