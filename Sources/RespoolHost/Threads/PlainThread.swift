import CLinux
import Glibc
package import RespoolMedia

/// A thread of the operating system, for work that blocks.
// Sendable: the handle is set once; `join` is called by one thread.
package final class PlainThread: @unchecked Sendable {
  private final class Start {
    let body: @Sendable () -> Void
    let name: String
    init(_ body: @escaping @Sendable () -> Void, name: String) {
      self.body = body
      self.name = name
    }
  }

  private var handle = pthread_t()
  private var joined = false

  /// Starts the thread.
  ///
  /// Debuggers show `name`, cut to 15 bytes. Throws `limitExceeded` if the system cannot create a thread.
  package init(name: String, body: @escaping @Sendable () -> Void) throws(MediaError) {
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
