import Glibc
import RespoolHost
import RespoolMedia

/// Outputs that replace their sources.
extension OutputPublisher {
  /// Ends the work on a file whose output is too large to replace it; returns `false` if it is small enough.
  ///
  /// The ledger keeps the size, so that the file is not converted again until something changes.
  func keepsOriginal(
    _ file: BatchFile, _ output: OpenFile, _ rules: Replacement, seconds: Double
  ) -> Bool {
    var status = stat()
    guard fstat(output.descriptor, &status) == 0,
      let reason = rules.reasonToKeep(size: Int64(status.st_size), ofSource: file.size)
    else { return false }
    results.keepLasting(file, isFailed: false, reason, rejectedSize: Int64(status.st_size))
    // A batch that is killed must not convert the file again.
    results.store()
    report.finished(file, .skipped, reason, seconds: seconds)
    return true
  }

  /// Replaces a file by its complete output.
  func replace(
    _ file: BatchFile, by unfinished: Unfinished, _ answer: WorkerAnswer, _ replacer: Replacer,
    seconds: Double
  ) {
    let output = unfinished.file
    let notes: [String]
    do throws(MediaError) {
      do throws(MediaError) {
        if unfinished.attributes != nil {
          try replacer.keepAttributes(of: file, on: unfinished.open)
        }
      } catch {
        output.discard()
        throw error
      }
      var entry = entry(of: file, answer, nil, unfinished)
      entry.seconds = seconds
      notes = try replacer.replace(file, by: output, unfinished.open, entry)
    } catch {
      var reason = error
      if reason.file == file.path { reason.file = nil }
      return end(file, reason.description, seconds: seconds)
    }
    leave(file)
    report.finished(
      file, file.plan.action == .copy ? .copied : .converted, losses: answer.losses ?? [],
      notes: (answer.notes ?? []) + notes, seconds: seconds)
  }
}
