import Glibc
import RespoolMedia

/// The result of a request, for which a thread can wait.
// Sendable: `result` is only accessed with the lock held. The lock and condition are allocated separately, at
// addresses that are valid until deinit. No thread waits then, because a waiting thread holds a reference.
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

  /// Stores a result; only the first counts.
  func finish(_ result: Result) {
    pthread_mutex_lock(lock)
    if self.result == nil {
      self.result = result
      pthread_cond_broadcast(condition)
    }
    pthread_mutex_unlock(lock)
  }

  /// Blocks the calling thread until there is a result, and returns it.
  ///
  /// The thread must not belong to Swift's cooperative pool.
  func wait() -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    while true {
      if let result { return result }
      pthread_cond_wait(condition, lock)
    }
  }
}
