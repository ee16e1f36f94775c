import Glibc
import Respool
import RespoolMedia

/// Free space for the outputs of a batch, for which it waits if the disk is full.
///
/// A file begins if half its predicted size is free, because predictions may be twice too large, and an inode for its
/// name. A file that has found the disk full begins again if an eighth more is free than it found, and at least its
/// predicted size. One that found it full although there is room, as with a quota, is tried again from time to time.
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
  /// Needs of the files that have found the disk full.
  private var needs: [Int: Need] = [:]
  /// Time at which the batch began to wait, in seconds of the monotonic clock; `nil` if it does not wait.
  private var waitsSince: Double?
  private var lastLook = 0.0
  /// `true` after the batch has waited in vain.
  private var isExhausted = false

  /// Room that a file needs that has found the disk full.
  private enum Need {
    case bytes(Int64)
    /// There were bytes and inodes, and yet no room: `reason`. The file is tried again at `time`, in seconds of the
    /// monotonic clock, and then after twice the `interval`.
    case attempt(time: Double, interval: Double, reason: String)
  }

  /// Room of a file system.
  private struct Room {
    /// Bytes for files of this user.
    var bytes: Int64
    /// Inodes for this user; `nil` if the file system does not count them.
    var inodes: UInt64?
  }

  /// Inodes without which no file begins: one for an output, and one for a folder.
  private static let leastInodes: UInt64 = 2
  /// Seconds between two attempts of a file at most.
  private static let mostInterval = 60.0
  /// Bytes for folders, names and the ledger, without which no file begins.
  private static let least: Int64 = 64 << 10
  /// Seconds between two looks at the file system while the batch waits.
  private static let interval = 2.0

  init(_ output: String, patience: Double, _ report: BatchReport) {
    (self.output, self.patience, self.report) = (output, patience, report)
  }

  /// Notes that a file has found the disk full, after what it wrote has been removed; `reason` is its error.
  func ranOut(_ file: BatchFile, _ reason: String) {
    let room = room(in: PathName.folder(file.output))
    let free = room?.bytes ?? 0
    // The next look finds that there are no inodes.
    if let inodes = room?.inodes, inodes < Self.leastInodes { return }
    guard free / 2 >= max(file.plan.size, Self.least) else {
      needs[file.number] = .bytes(max(file.plan.size, free + max(free / 8, 1)))
      return
    }
    var interval = Self.interval
    if case .attempt(_, let last, _) = needs[file.number] {
      interval = min(last * 2, Self.mostInterval)
    }
    needs[file.number] = .attempt(
      time: monotonicSeconds() + interval, interval: interval, reason: reason)
  }

  /// Returns `.enough` if the work on a file may begin.
  ///
  /// `taken` is the predicted size of the files that are being made; `isAlone` is `true` if there are none.
  func answer(for file: BatchFile, taken: Int64, isAlone: Bool) -> Answer {
    let now = monotonicSeconds()
    if waitsSince != nil, now - lastLook < Self.interval { return .later }
    lastLook = now
    guard let shortage = shortage(for: file, taken: taken, at: now) else {
      resume()
      return .enough
    }
    // Other outputs that are being made may become smaller than predicted.
    guard isAlone else { return .later }
    if let waitsSince, now - waitsSince >= patience { isExhausted = true }
    guard !isExhausted, patience > 0 else {
      resume()
      return .none("not converted: \(shortage)")
    }
    if waitsSince == nil {
      waitsSince = now
      report.paused(
        "\(shortage); the batch continues when there is room"
          + (patience.isFinite ? ", and waits for \(ReportLine.duration(patience))" : ""))
    }
    // A further attempt, during which the batch is still waiting.
    if case .attempt(let time, _, _) = needs[file.number], now >= time { return .enough }
    return .later
  }

  /// Returns what a file lacks, as a sentence; `nil` if there is room for it.
  private func shortage(for file: BatchFile, taken: Int64, at now: Double) -> String? {
    let size = file.plan.size
    var least = max(size / 2, Self.least)
    switch needs[file.number] {
    case .bytes(let bytes): least = bytes
    case .attempt(_, _, let reason): return reason
    case nil: break
    }
    guard let room = room(in: PathName.folder(file.output)) else { return nil }
    if let inodes = room.inodes, inodes < Self.leastInodes {
      return "no space left on the device: \(output) has room for \(inodes.counting("more file"))"
    }
    guard room.bytes < least.addingReportingOverflow(taken).partialValue else { return nil }
    if waitsSince == nil { needs[file.number] = .bytes(max(least, size)) }
    return "no space left on the device: \(ByteCount.text(room.bytes)) are free in \(output), and "
      + "\(file.path) needs about \(ByteCount.text(max(least, size)))"
  }

  /// Ends the wait for room.
  func resume() {
    guard waitsSince != nil else { return }
    waitsSince = nil
    if !isExhausted { report.resumed() }
  }

  /// Returns the bytes that are free for a folder that may not exist yet; `nil` if that is unknown.
  static func bytes(in folder: String) -> Int64? {
    var folder = PathName.absolute(folder)
    while true {
      if let room = room(in: folder) { return room.bytes }
      guard folder != "/" else { return nil }
      folder = PathName.folder(folder)
    }
  }

  /// Returns the room in a folder; `nil` if that is unknown.
  private func room(in folder: String) -> Room? { Self.room(in: folder) ?? Self.room(in: output) }

  private static func room(in folder: String) -> Room? {
    var status = statvfs()
    guard PathName.withSystemPath(folder, { statvfs($0, &status) }) == 0 else { return nil }
    let (bytes, isTooLarge) = Int64(clamping: status.f_bavail)
      .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
    guard !isTooLarge else { return nil }
    // File systems that make inodes as needed have none in all.
    return Room(bytes: bytes, inodes: status.f_files == 0 ? nil : UInt64(status.f_favail))
  }
}
