import RespoolMedia
import Synchronization

/// The one export of a session: its state, the observers of the state, and its cancellation.
final class ExportRun: Sendable {
  private struct Observer {
    let interval: Double
    let continuation: AsyncStream<ExportSession.State>.Continuation
    var lastReport = -Double.infinity
  }

  private struct Facts {
    var status = ExportSession.Status.unknown
    var progress = 0.0
    var error: MediaError?
    var observers: [Int: Observer] = [:]
    var nextObserver = 0
    var isCancelled = false
    var stop: (@Sendable () -> Void)?
  }

  private let facts = Mutex(Facts())

  var status: ExportSession.Status { facts.withLock { $0.status } }
  var progress: Double { facts.withLock { $0.progress } }
  var error: MediaError? { facts.withLock { $0.error } }

  /// Begins the export; throws `invalidArgument` if it has begun before.
  func begin() throws(MediaError) {
    let isFirst = facts.withLock { facts in
      guard facts.status == .unknown else { return false }
      facts.status = .waiting
      for observer in facts.observers.values { observer.continuation.yield(.waiting) }
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
      for (key, observer) in facts.observers
      where now - observer.lastReport >= observer.interval || progress >= 1 {
        facts.observers[key]?.lastReport = now
        observer.continuation.yield(.exporting(progress: facts.progress))
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
    let observers = facts.withLock { facts in
      defer { facts.observers = [:] }
      return facts.observers.values.map(\.continuation)
    }
    // Outside the lock, because the termination handlers take it.
    for observer in observers { observer.finish() }
  }

  /// Returns a stream of the states from now on, with progress at most every `interval` seconds.
  func states(every interval: Double) -> AsyncStream<ExportSession.State> {
    let (stream, continuation) = AsyncStream<ExportSession.State>.makeStream(
      bufferingPolicy: .bufferingNewest(64))
    let key: Int? = facts.withLock { facts in
      switch facts.status {
      case .unknown: continuation.yield(.pending)
      case .waiting: continuation.yield(.waiting)
      case .exporting: continuation.yield(.exporting(progress: facts.progress))
      case .completed, .failed, .cancelled:
        continuation.finish()
        return nil
      }
      facts.nextObserver += 1
      facts.observers[facts.nextObserver] = Observer(interval: interval, continuation: continuation)
      return facts.nextObserver
    }
    if let key {
      continuation.onTermination = { _ in
        self.facts.withLock { _ = $0.observers.removeValue(forKey: key) }
      }
    }
    return stream
  }

  /// Runs a pass of the export, during which `cancel` calls `stop`.
  ///
  /// Throws `cancelled` without running it if the export is already cancelled.
  func perform<Value>(
    stoppedBy stop: @escaping @Sendable () -> Void, _ pass: () throws(MediaError) -> Value
  ) throws(MediaError) -> Value {
    let isCancelled = facts.withLock {
      $0.stop = stop
      return $0.isCancelled
    }
    // The closure may retain an observer of the session.
    defer { facts.withLock { $0.stop = nil } }
    if isCancelled { throw MediaError(.cancelled, "stopped") }
    return try pass()
  }

  func cancel() {
    let stop = facts.withLock {
      $0.isCancelled = true
      return $0.stop
    }
    stop?()
  }
}
