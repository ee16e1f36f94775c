import RespoolMedia

// Older AVFoundation API for exporting: a session has a path, and its status is the outcome.
extension ExportSession {
  /// Name of the session's preset; AVFoundation's name if the session was created with that.
  public var presetName: String { named?.rawValue ?? preset.name }

  /// Path that `exportAsynchronously` and `export()` write to, at which no file may exist.
  ///
  /// `nil` by default. Set it before the export. The methods that take a path ignore it.
  public var outputPath: String? {
    get { configuration.outputPath }
    set { configure { $0.outputPath = newValue } }
  }

  /// Exports to `outputPath` on a thread of its own, which calls `completionHandler` at the end.
  ///
  /// The status is `waiting` when this returns, then `exporting`, and in the handler `completed`, `failed` or
  /// `cancelled`; `error` gives the reason. Without an output path the export fails with `invalidArgument`. A
  /// session exports once: a later call changes nothing and calls the handler at once.
  public func exportAsynchronously(completionHandler: @escaping @Sendable () -> Void) {
    do throws(MediaError) { try run.begin() } catch { return completionHandler() }
    do throws(MediaError) {
      guard let path = outputPath else {
        throw MediaError(.invalidArgument, "the session has no output path to export to")
      }
      try PlainThread(name: "export") { [self] in
        // The error is stored in the session.
        _ = try? exportBegun(to: path)
        completionHandler()
      }.detach()
    } catch {
      run.end(error.inFile(input))
      completionHandler()
    }
  }

  /// Exports to `outputPath`, as `exportAsynchronously` does.
  ///
  /// Does not block a thread of the cooperative pool. It does not throw: `status` and `error` are the outcome.
  /// Cancelling the task cancels the export.
  public func export() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exportAsynchronously { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  /// Cancels the export; AVFoundation's name for `cancel`.
  public func cancelExport() { cancel() }
}
