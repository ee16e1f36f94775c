import Glibc

/// A lock with a condition.
// Sendable: the pthread objects have a fixed address and may be used by many threads.
package final class Monitor: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

  package init() {
    mutex.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  package func locked<R>(_ body: () -> R) -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }

  /// Releases the lock until a call of `wakeAll()`, then takes it again.
  ///
  /// Only within `locked`.
  package func wait() { pthread_cond_wait(condition, mutex) }

  /// Wakes all threads in `wait()`.
  ///
  /// Only within `locked`.
  package func wakeAll() { pthread_cond_broadcast(condition) }
}
