import Glibc

/// A value behind a lock with a condition.
///
/// As with `Mutex`, closures cannot keep the value. They must not wait.
// Sendable: the value is only accessed with the lock held. The pthread objects have a fixed address and may be used by
// many threads.
package final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: sending Value) {
    self.value = value
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

  /// Returns the result of `body`, which is called with the lock held once `isReady` returns `true`.
  ///
  /// Waits for a call of `wakeAll()` each time `isReady` returns `false`.
  package func locked<Result, Failure: Error>(
    when isReady: (inout Value) -> Bool = { _ in true },
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while !isReady(&value) { pthread_cond_wait(condition, mutex) }
    return try body(&value)
  }

  /// Wakes all threads that wait.
  ///
  /// Only within `locked`.
  package func wakeAll() { pthread_cond_broadcast(condition) }
}

/// A lock for values that are stored beside it.
extension Monitor<Void> {
  package convenience init() { self.init(()) }

  package func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result)
    throws(Failure) -> Result
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Releases the lock until a call of `wakeAll()`, then takes it again.
  ///
  /// Only within `locked`.
  package func wait() { pthread_cond_wait(condition, mutex) }
}
