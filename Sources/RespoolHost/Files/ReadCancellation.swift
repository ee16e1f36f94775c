package import RespoolMedia
import Synchronization

/// Stops a read from another thread.
///
/// It can be cancelled before the read begins, and serve several; once cancelled it stays so.
public final class ReadCancellation: Sendable {
  private struct State {
    var isCancelled = false
    var sources: [FileSource] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Ends every read that it was given to, which throws `cancelled` soon; has no effect on one that is
  /// over.
  public func cancel() {
    let sources = state.withLock { state in
      state.isCancelled = true
      return state.sources
    }
    for source in sources { source.cancel() }
  }

  /// Throws `cancelled` once that has been asked for.
  package func check() throws(MediaError) {
    if isCancelled { throw MediaError(.cancelled, "stopped") }
  }

  /// Runs `body` so that a cancellation reaches `source`.
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
