import CLinux
import Glibc
package import RespoolMedia
import Synchronization

/// A thread of the operating system, for work that blocks.
package final class PlainThread {
  private final class Start {
    let body: () -> Void
    let name: String
    init(_ body: @escaping () -> Void, name: String) {
      self.body = body
      self.name = name
    }
  }

  private var handle = pthread_t()
  private var joined = false

  /// Starts the thread.
  ///
  /// The thread owns the values that `body` captures. Debuggers show `name`, cut to 15 bytes. Throws `limitExceeded` if the system cannot create a thread.
  package init(name: String, body: sending @escaping () -> Void) throws(MediaError) {
    let start = Unmanaged.passRetained(Start(body, name: String(name.prefix(15)))).toOpaque()
    let status = pthread_create(
      &handle, nil,
      { argument in
        guard let argument else { return nil }
        let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        linux_name_thread(start.name)
        start.body()
        return nil
      }, start)
    if status != 0 {
      joined = true
      Unmanaged<Start>.fromOpaque(start).release()
      throw MediaError(
        .limitExceeded, "the system cannot start another thread", cause: systemMessage(status))
    }
  }

  /// Detaches the thread; `join` then has no effect.
  package func detach() {
    guard !joined else { return }
    joined = true
    pthread_detach(handle)
  }

  package func join() {
    guard !joined else { return }
    joined = true
    pthread_join(handle, nil)
  }
}

/// A value for another thread that stays reachable from the thread that created it.
///
/// For values that `sending` cannot hand over, such as a stage of a chain whose report is read at the end.
// Sendable: the creator of a thread uses the value again only after it has joined that thread.
package struct Transferred<Value>: @unchecked Sendable {
  package let value: Value
  package init(_ value: Value) { self.value = value }
}

/// A value that one thread stores and another one takes, at most once.
package final class Handover<Value>: Sendable {
  // Only the thread that takes the value has it: `init` gives it away, and `take` empties the box.
  private let content: Mutex<Transferred<Value>?>

  package init(_ value: sending Value) { content = Mutex(Transferred(value)) }

  /// Returns the value at the first call, then `nil`.
  package func take() -> Value? { content.withLock { $0.take() }?.value }
}

extension PlainThread {
  /// Runs blocking work on a thread of its own, while the task waits.
  ///
  /// Does not block a thread of the cooperative pool.
  package static func result<Value: Sendable>(
    _ name: String, of work: @escaping @Sendable () throws(MediaError) -> Value
  ) async throws(MediaError) -> Value {
    let result: Result<Value, MediaError> = await withCheckedContinuation { continuation in
      do throws(MediaError) {
        try PlainThread(name: name) {
          do throws(MediaError) {
            continuation.resume(returning: .success(try work()))
          } catch { continuation.resume(returning: .failure(error)) }
        }.detach()
      } catch { continuation.resume(returning: .failure(error)) }
    }
    return try result.get()
  }
}
