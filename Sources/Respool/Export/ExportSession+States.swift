public import RespoolMedia
import Synchronization

extension ExportSession {
  /// Status of an export; raw values are AVFoundation's.
  public enum Status: Int, Sendable {
    case unknown = 0, waiting, exporting, completed, failed, cancelled
  }

  /// State of an export, as reported by ``states(updateInterval:)``.
  public enum State: Hashable, Sendable {
    /// `export` has not been called.
    case pending
    /// The source is being opened and settings are being resolved.
    case waiting
    /// The output is being written. The progress is 0 to 1.
    case exporting(progress: Double)
  }

  /// Mutable state of a run, and its observers.
  final class Run: Sendable {
    struct Facts {
      var status = Status.unknown
      var progress = 0.0
      var error: MediaError?
      var watchers: [Int: (interval: Double, last: Double, AsyncStream<State>.Continuation)] = [:]
      var nextWatcher = 0
    }

    let facts = Mutex(Facts())

    func begin() throws(MediaError) {
      let isFirst = facts.withLock { facts in
        guard facts.status == .unknown else { return false }
        facts.status = .waiting
        for watcher in facts.watchers.values { watcher.2.yield(.waiting) }
        return true
      }
      if !isFirst {
        throw MediaError(.invalidArgument, "an export session exports once; make another one")
      }
    }

    func report(_ progress: Double) {
      facts.withLock { facts in
        facts.status = .exporting
        facts.progress = max(facts.progress, progress)
        let now = monotonicSeconds()
        for (key, watcher) in facts.watchers
        where now - watcher.last >= watcher.interval || progress >= 1 {
          facts.watchers[key]?.last = now
          watcher.2.yield(.exporting(progress: facts.progress))
        }
      }
    }

    func end(_ error: MediaError?) {
      facts.withLock { facts in
        facts.error = error
        facts.status = error == nil ? .completed : error?.code == .cancelled ? .cancelled : .failed
        if error == nil { facts.progress = 1 }
      }
      close()
    }

    /// Ends the streams of all observers after the last change.
    func close() {
      let watchers = facts.withLock { facts in
        defer { facts.watchers = [:] }
        return facts.watchers.values.map(\.2)
      }
      // Outside the lock, because the termination handlers take it.
      for watcher in watchers { watcher.finish() }
    }
  }

  public var status: Status { run.facts.withLock { $0.status } }
  /// Completed fraction, 0 to 1, never falling; 1 when the export is complete.
  public var progress: Double { run.facts.withLock { $0.progress } }
  /// Reason of the failure; `nil` unless the status is `failed` or `cancelled`.
  public var error: MediaError? { run.facts.withLock { $0.error } }

  /// Returns a stream of the states from now on.
  ///
  /// The stream ends with the export, or with the session if that is released before. Progress is reported at
  /// most every `updateInterval` seconds; by default only changes of state are.
  public func states(updateInterval: Double = .infinity) -> AsyncStream<State> {
    let (stream, continuation) = AsyncStream<State>.makeStream(
      bufferingPolicy: .bufferingNewest(64))
    let run = run
    let key: Int? = run.facts.withLock { facts in
      switch facts.status {
      case .unknown: continuation.yield(.pending)
      case .waiting: continuation.yield(.waiting)
      case .exporting: continuation.yield(.exporting(progress: facts.progress))
      case .completed, .failed, .cancelled:
        continuation.finish()
        return nil
      }
      facts.nextWatcher += 1
      facts.watchers[facts.nextWatcher] = (updateInterval, -.infinity, continuation)
      return facts.nextWatcher
    }
    if let key {
      continuation.onTermination = { _ in
        run.facts.withLock { _ = $0.watchers.removeValue(forKey: key) }
      }
    }
    return stream
  }

  /// Writes the output to `path` on a thread of its own; the task is suspended until that is done.
  ///
  /// There must be no file at `path`; after an error nothing is left there. Cancelling the task cancels the
  /// export, which then throws `cancelled`. A session exports once. ``states(updateInterval:)`` reports the
  /// progress.
  @discardableResult
  public func export(to path: String) async throws(MediaError) -> ExportReport {
    // Cancellation does not throw here. The export throws after it has cleaned up.
    let result: Result<ExportReport, MediaError> = await withTaskCancellationHandler {
      do throws(MediaError) {
        return .success(
          try await PlainThread.result("export") { () throws(MediaError) in
            try self.exportAndWait(to: path)
          })
      } catch { return .failure(error) }
    } onCancel: {
      cancel()
    }
    return try result.get()
  }

  /// Exports as a file type, which replaces `outputFileType`.
  ///
  /// Throws as ``export(to:)`` does, and `invalidArgument` if the session has been prepared for another type.
  @discardableResult
  public func export(to path: String, as type: FileType) async throws(MediaError) -> ExportReport {
    try choose(type)
    return try await export(to: path)
  }
}
