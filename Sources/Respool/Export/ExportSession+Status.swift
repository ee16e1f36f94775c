public import RespoolMedia

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

  public var status: Status { run.status }
  /// Completed fraction, 0 to 1, never falling; 1 when the export is complete.
  public var progress: Double { run.progress }
  /// Reason of the failure; `nil` unless the status is `failed` or `cancelled`.
  public var error: MediaError? { run.error }

  /// Returns a stream of the states from now on.
  ///
  /// The stream ends with the export, or with the session if that is released before. Progress is reported at
  /// most every `updateInterval` seconds; by default only changes of state are.
  public func states(updateInterval: Double = .infinity) -> AsyncStream<State> {
    run.states(every: updateInterval)
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
