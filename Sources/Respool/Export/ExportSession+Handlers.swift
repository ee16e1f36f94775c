import RespoolMedia

// The older way to export: a session has a path, and its status tells what became of it.
extension ExportSession {
  /// The preset that the session was made with: AVFoundation's name for it where it was named so.
  public var presetName: String { named?.rawValue ?? preset.name }

  /// Where `exportAsynchronously` and `export()` write to, which must not exist; nil unless set.
  ///
  /// Set before the export. What is given a path takes no notice.
  public var outputPath: String? {
    get { wishes.outputPath }
    set { wishes.outputPath = newValue }
  }

  /// Exports to `outputPath` on a thread of its own, which calls `completionHandler` at the end.
  ///
  /// The status is `waiting` when it returns, then `exporting`, and in the handler `completed`, `failed` or
  /// `cancelled`; `error` tells why. Without an output path it fails with `invalidArgument`. A session exports
  /// once: a later call leaves it as it is and calls the handler at once.
  public func exportAsynchronously(completionHandler: @escaping @Sendable () -> Void) {
    do throws(MediaError) { try run.begin() } catch { return completionHandler() }
    do throws(MediaError) {
      guard let path = outputPath else {
        throw MediaError(.invalidArgument, "the session has no output path to export to")
      }
      try PlainThread(name: "export") { [self] in
        // What it throws is the session's error.
        _ = try? exportBegun(to: path)
        completionHandler()
      }.detach()
    } catch {
      run.end(error.inFile(input))
      completionHandler()
    }
  }

  /// Exports to `outputPath`, as `exportAsynchronously` does; the task waits, no thread of Swift's does.
  ///
  /// It does not throw: `status` and `error` tell what became of it. Cancelling the task cancels the export.
  public func export() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        exportAsynchronously { continuation.resume() }
      }
    } onCancel: {
      cancel()
    }
  }

  /// The same as `cancel`, by AVFoundation's name.
  public func cancelExport() { cancel() }
}
