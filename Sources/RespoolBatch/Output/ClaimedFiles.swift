import Respool
import RespoolHost
import RespoolMedia

/// The files of a batch that other batches are converting, because they share its work.
///
/// A file whose batch ends without a result is done by this one.
final class ClaimedFiles {
  private let results: BatchResults
  private var folder: OutputFolder { results.folder }
  private let report: BatchReport
  /// Files that another batch has claimed.
  private var files: [BatchFile] = []
  private var lastLook = monotonicSeconds()
  /// `true` after it was reported that this batch waits for others.
  private var isWaiting = false

  /// Seconds after which claims are tried again.
  private static let interval = 0.5

  init(_ results: BatchResults, _ report: BatchReport) {
    (self.results, self.report) = (results, report)
  }

  /// Claims a file that is to be converted now.
  ///
  /// Returns `false` if another batch has claimed it, or has converted it meanwhile, which is reported.
  func claim(_ file: BatchFile) -> Bool {
    guard folder.claims.claim(file.outputName) else {
      files.append(file)
      return false
    }
    guard folder.noticesOthers() else { return true }
    switch results.finding(for: file) {
    case .finished: report.finishedByOther(file)
    case .remembered(let entry):
      report.finished(file, entry.result == .skipped ? .skipped : .failed, entry.reason)
    case nil where isConverted(file): report.finishedByOther(file)
    case .moved, .skipped, nil: return true
    }
    folder.claims.release(file.outputName)
    return false
  }

  /// Returns `true` if a file that had no output has one now that another batch has made of it.
  ///
  /// With --retry-failed, the output of an incomplete source is made again, but not by each batch.
  private func isConverted(_ file: BatchFile) -> Bool {
    guard !file.replaces, fileExists(file.output),
      let entry = folder.entry(ofOutput: file.outputName)
    else { return false }
    return entry.output?.isPublished == true && folder.isSame(file, entry)
      && PathKey(entry.source) == PathKey(PathName.absolute(file.path))
  }

  /// Returns the files whose claims are to be tried again now.
  func takeDue() -> [BatchFile] {
    let now = monotonicSeconds()
    guard !files.isEmpty, now - lastLook >= Self.interval else { return [] }
    lastLook = now
    defer { files = [] }
    return files
  }

  /// Returns `true` if files are left that other batches have claimed.
  ///
  /// With `isIdle`, this batch has nothing else to do, and reports that it waits.
  func areLeft(isIdle: Bool) -> Bool {
    if isIdle, !files.isEmpty, !isWaiting {
      isWaiting = true
      report.paused(
        "until another batch, which shares the work, has converted \(files.count.counting("file"))")
    } else if files.isEmpty {
      endWaiting()
    }
    return !files.isEmpty
  }

  /// Reports that this batch continues, if it has waited.
  func endWaiting() {
    guard isWaiting else { return }
    isWaiting = false
    report.resumed()
  }
}
