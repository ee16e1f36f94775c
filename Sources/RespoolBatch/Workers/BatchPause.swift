import Glibc
import Respool
public import RespoolMedia

/// Pauses of a batch: while the user has paused it (`respool pause`), and outside the hours in which it may work.
public final class BatchPause {
  private let mark: String
  private let hours: DayHours?
  private var lastLook = -Double.infinity
  private var last: String?

  /// Seconds between two looks.
  private static let interval = 0.5

  /// Prepares the pauses of a batch that works on `folder`.
  ///
  /// For a batch that has the lock of the folder. A pause of an earlier one, which may have been killed in it, ends; with
  /// `isJoined`, the pause is that of a running batch.
  init(of folder: String, hours: DayHours?, isJoined: Bool) {
    (mark, self.hours) = (Self.mark(in: folder), hours)
    if !isJoined { removeMark() }
  }

  /// Returns the reason why the batch must not work now, as part of a sentence; `nil` if it may.
  func reason() -> String? {
    let now = monotonicSeconds()
    guard now - lastLook >= Self.interval else { return last }
    lastLook = now
    last =
      fileExists(mark)
      ? "by respool pause; respool resume ends it"
      : hours.flatMap { $0.areNow ? nil : "until \($0.beginText)" }
    return last
  }

  /// Removes the request for a pause.
  func removeMark() { _ = PathName.withSystemPath(mark) { unlink($0) } }

  private static func mark(in folder: String) -> String {
    PathName.join(PathName.join(folder, OutputFolder.stateName), "paused")
  }

  /// Returns `true` if the batch that works on `folder` is to pause.
  static func isRequested(in folder: String) -> Bool { fileExists(mark(in: folder)) }

  /// Asks the batch that works on `folder` to pause, or to continue.
  ///
  /// Returns `false` if the batch was asked before. Throws `io` if no batch works on the folder, or the request cannot
  /// be written.
  public static func request(_ pauses: Bool, in folder: String) throws(MediaError) -> Bool {
    try LedgerStatus.checkAccess(to: OutputFolder.lockPath(in: folder), in: folder)
    guard FolderLock.isHeld(OutputFolder.lockPath(in: folder)) else {
      throw MediaError(.io, "no batch is working on this folder", file: folder)
    }
    let mark = mark(in: folder)
    guard fileExists(mark) != pauses else { return false }
    if pauses {
      let file = PathName.withSystemPath(mark) { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
      guard file >= 0 else { throw .system("cannot be created", errno, file: mark) }
      close(file)
    } else if PathName.withSystemPath(mark, { unlink($0) }) != 0, errno != ENOENT {
      throw .system("cannot be removed", errno, file: mark)
    }
    return true
  }
}
