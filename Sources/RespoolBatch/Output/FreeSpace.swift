import Glibc
import Respool
import RespoolMedia

/// Free space for the outputs of a batch, for which it waits if the disk is full.
///
/// A file begins if half its predicted size is free, because predictions may be twice too large. A file that has found
/// the disk full begins again if an eighth more is free than it found, and at least its predicted size.
final class FreeSpace {
  /// Answer to the question if the work on a file may begin.
  enum Answer: Equatable {
    case enough
    /// Other files have to be finished first, or the batch waits.
    case later
    /// There is no room, and the batch does not wait any longer; the reason.
    case none(String)
  }

  /// The output folder, for files whose own folder does not exist yet.
  private let output: String
  /// Seconds that the batch waits at most; may be infinite.
  private let patience: Double
  private let report: BatchReport
  /// Bytes that files need that have found the disk full.
  private var needs: [Int: Int64] = [:]
  /// Time at which the batch began to wait, in seconds of the monotonic clock; `nil` if it does not wait.
  private var waitsSince: Double?
  private var lastLook = 0.0
  /// `true` after the batch has waited in vain.
  private var isExhausted = false

  /// Bytes for folders, names and the ledger, without which no file begins.
  private static let least: Int64 = 64 << 10
  /// Seconds between two looks at the file system while the batch waits.
  private static let interval = 2.0

  init(_ output: String, patience: Double, _ report: BatchReport) {
    (self.output, self.patience, self.report) = (output, patience, report)
  }

  /// Notes that a file has found the disk full, after what it wrote has been removed.
  func ranOut(_ file: BatchFile) {
    let free = free(in: PathName.folder(file.output)) ?? 0
    needs[file.number] = max(file.plan.size, free + max(free / 8, 1))
  }

  /// Returns `.enough` if the work on a file may begin.
  ///
  /// `taken` is the predicted size of the files that are being made; `isAlone` is `true` if there are none.
  func answer(for file: BatchFile, taken: Int64, isAlone: Bool) -> Answer {
    let (size, folder) = (file.plan.size, PathName.folder(file.output))
    let now = monotonicSeconds()
    if waitsSince != nil, now - lastLook < Self.interval { return .later }
    lastLook = now
    let need = needs[file.number] ?? max(size / 2, Self.least)
    guard let free = free(in: folder), free < need.addingReportingOverflow(taken).partialValue
    else {
      resume()
      return .enough
    }
    // Other outputs that are being made may become smaller than predicted.
    guard isAlone else { return .later }
    let words =
      "\(ByteCount.text(free)) are free in \(output), and \(file.path) needs about "
      + ByteCount.text(max(need, size))
    if let waitsSince, now - waitsSince >= patience { isExhausted = true }
    guard !isExhausted, patience > 0 else {
      resume()
      return .none("not converted: no space left on the device: \(words)")
    }
    if waitsSince == nil {
      waitsSince = now
      needs[file.number] = max(need, size)
      report.paused(
        "no space left on the device: \(words); the batch continues when there is room"
          + (patience.isFinite ? ", and waits for \(ReportLine.duration(patience))" : ""))
    }
    return .later
  }

  /// Ends the wait for room.
  func resume() {
    guard waitsSince != nil else { return }
    waitsSince = nil
    if !isExhausted { report.resumed() }
  }

  /// Returns the bytes that are free in a folder; `nil` if that is unknown.
  private func free(in folder: String) -> Int64? {
    var status = statvfs()
    guard
      PathName.withSystemPath(folder, { statvfs($0, &status) }) == 0
        || PathName.withSystemPath(output, { statvfs($0, &status) }) == 0
    else { return nil }
    let (bytes, isTooLarge) = Int64(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
    return isTooLarge ? nil : bytes
  }
}
