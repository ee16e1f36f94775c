package import RespoolMedia
import Synchronization

/// An object that stops reads from another thread.
///
/// It can be cancelled before a read begins, and can serve several reads. Once cancelled, it stays
/// cancelled.
public final class ReadCancellation: Sendable {
  private struct State {
    var isCancelled = false
    var sources: [FileSource] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Cancels every read that uses this object; they throw `cancelled` soon.
  ///
  /// Has no effect on reads that have ended.
  public func cancel() {
    let sources = state.withLock { state in
      state.isCancelled = true
      return state.sources
    }
    for source in sources { source.cancel() }
  }

  /// Runs blocking work on a thread of its own, while the task waits.
  ///
  /// Cancels the object that the work gets when the task is cancelled.
  package static func result<Value: Sendable>(
    _ name: String,
    of work: @escaping @Sendable (ReadCancellation) throws(MediaError) -> Value
  ) async throws(MediaError) -> Value {
    let cancellation = ReadCancellation()
    let result: Result<Value, MediaError> = await withTaskCancellationHandler {
      do throws(MediaError) {
        return .success(
          try await PlainThread.result(name) { () throws(MediaError) in try work(cancellation) })
      } catch { return .failure(error) }
    } onCancel: {
      cancellation.cancel()
    }
    return try result.get()
  }

  /// Throws `cancelled` after `cancel()`.
  package func check() throws(MediaError) {
    if isCancelled { throw MediaError(.cancelled, "stopped") }
  }

  /// Runs `body`.
  ///
  /// Cancellation during that time also cancels `source`.
  package func covering<Value>(_ source: FileSource, _ body: () throws(MediaError) -> Value)
    throws(MediaError) -> Value
  {
    let isLate = state.withLock { state in
      state.sources.append(source)
      return state.isCancelled
    }
    defer { state.withLock { state in state.sources.removeAll { $0 === source } } }
    if isLate { source.cancel() }
    return try body()
  }
}
