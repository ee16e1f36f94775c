public import RespoolMedia
import Synchronization

extension ExportSession {
  /// Where an export stands; raw values are AVFoundation's.
  public enum Status: Int, Sendable {
    case unknown = 0, waiting, exporting, completed, failed, cancelled
  }

  /// A step of an export that is watched.
  public enum State: Hashable, Sendable {
    /// `export` has not been called.
    case pending
    /// The source is being opened and settings are made.
    case waiting
    /// 0 to 1.
    case exporting(progress: Double)
  }

  /// What changes while it runs, and who watches.
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

    /// Nothing changes any more: who watches goes on.
    func close() {
      let watchers = facts.withLock { facts in
        defer { facts.watchers = [:] }
        return facts.watchers.values.map(\.2)
      }
      // Outside the lock: what is called at the end takes it.
      for watcher in watchers { watcher.finish() }
    }
  }

  public var status: Status { run.facts.withLock { $0.status } }
  /// 0 to 1, never falling; 1 once it is complete.
  public var progress: Double { run.facts.withLock { $0.progress } }
  /// Why it failed; nil unless the status is `failed` or `cancelled`.
  public var error: MediaError? { run.facts.withLock { $0.error } }

  /// The states from now on, ending with the export, or with the session where it goes away without one.
  ///
  /// Progress comes at most every `updateInterval` seconds; by default only the changes of state do.
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

  /// Writes the output to `path`, on a thread of its own; the task is suspended until that is done.
  ///
  /// There must be no file at `path`; on an error nothing is left there. Cancelling the task cancels the export,
  /// which then throws `cancelled`. A session exports once. ``states(updateInterval:)`` tells the progress.
  @discardableResult
  public func export(to path: String) async throws(MediaError) -> ExportReport {
    // Cancelling does not throw by itself: the export does, when it has cleared up.
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

  /// Exports as a file type, which takes the place of `outputFileType`.
  ///
  /// Throws as ``export(to:)``, and `invalidArgument` if the session has been prepared for another type.
  @discardableResult
  public func export(to path: String, as type: FileType) async throws(MediaError) -> ExportReport {
    try choose(type)
    return try await export(to: path)
  }
}
