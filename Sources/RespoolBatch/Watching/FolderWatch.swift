import CLinux
import Glibc
import RespoolHost
import RespoolMedia

/// A watch on folders that fill by themselves: it tells when to search them again, and which files are complete.
///
/// A file is complete when no process has it open for writing, and it has not changed for some time. The kernel reports
/// open files of this user, or of all users to root. For files of others, the last notice decides: the file was changed,
/// or it was closed after that. Each state of a file is taken once.
final class FolderWatch {
  private let events: FolderEvents
  /// Files that were taken, by their paths.
  private var taken: [PathKey: FileStamp] = [:]
  /// Problems that were reported.
  private var problems: Set<String> = []
  /// Folders that were removed and made again, of which the user does not know.
  private var returned: [String] = []
  /// Time of the last look for such folders.
  private var lastLook = -Double.infinity
  /// Size and times of files that may be incomplete, and when that was first seen.
  private var observed: [PathKey: (stamp: FileStamp, changed: Int64, since: Double)] = [:]
  /// Seconds between two searches without notice of a change.
  private let sweep: Double
  private var lastSearch = monotonicSeconds()
  /// Time at which the folders are to be searched; `nil` if nothing has changed.
  private var due: Double?
  /// Returns `true` if the file with an inode is being converted.
  var isConverting: (Int64) -> Bool = { _ in false }
  /// Files that were moved or changed while they were being converted, by their inodes.
  ///
  /// After the conversion, the output of a moved one only needs another name.
  private var putOff: Set<Int64> = []

  /// Seconds from a notice to the search, in which others may come.
  private static let delay = 0.3
  /// Seconds for which a file has to stay as it is, if it is known that no process writes it.
  private static let rest = 0.7
  /// Seconds for which it has to stay as it is, if that is not known.
  private static let longRest = 10.0

  /// Watches folders.
  ///
  /// `sweep` is the number of seconds between two searches without notice of a change.
  init(_ folders: [String], sweep: Double) {
    self.sweep = sweep
    // A lease that another process breaks in the instant in which it is held sends this signal.
    signal(SIGIO, SIG_IGN)
    events = FolderEvents(folders)
  }

  /// Returns a sentence about the folders that the user does not know: one is there again, or changes in some are not
  /// noticed at once.
  func takeProblem() -> String? {
    if let folder = returned.popLast() { return "\(folder) is there again, and is watched" }
    guard let problem = events.problem, problems.insert(problem).inserted else { return nil }
    return problem
  }

  /// Returns `true` if the folders are to be searched now.
  func isDue() -> Bool {
    let now = monotonicSeconds()
    if now - lastLook >= Self.rest {
      lastLook = now
      for folder in events.watchReturned() {
        returned.append(folder)
        problems = problems.filter { !$0.hasPrefix(folder + "\n") }
      }
    }
    if !putOff.allSatisfy(isConverting) {
      putOff = []
      lookAgain(in: 0)
    }
    if events.takeChange(), due.map({ $0 > now + Self.delay }) ?? true { due = now + Self.delay }
    guard now >= min(due ?? .infinity, lastSearch + sweep) else { return false }
    due = nil
    return true
  }

  /// Notes the end of a search; searches that take long are made less often.
  func searched(seconds: Double) {
    lastSearch = monotonicSeconds() + min(20 * seconds, 3600) - seconds
    observed = observed.filter { taken[$0.key] != $0.value.stamp }
  }

  /// Returns `true` if a problem is new.
  func isNew(_ problem: Walker.Problem) -> Bool {
    problems.insert(problem.path + "\n" + problem.reason).inserted
  }

  /// Returns `true` if a file is to be converted now, or was finished before: it is complete, and this state of it has not
  /// been taken.
  func takes(_ found: Walker.Found) -> Bool {
    let key = PathKey(found.path)
    let stamp = FileStamp(size: found.size, modified: found.modified)
    guard taken[key] != stamp else { return false }
    if isConverting(found.inode) {
      putOff.insert(found.inode)
      return false
    }
    guard found.finished != nil || !Self.isTemporary(found.path) && isComplete(found, key, stamp)
    else { return false }
    taken[key] = stamp
    observed[key] = nil
    events.forget(found.path)
    return true
  }

  private func isComplete(_ found: Walker.Found, _ key: PathKey, _ stamp: FileStamp) -> Bool {
    let now = monotonicSeconds()
    // The clock of a file server may differ, so that only times of this machine are compared.
    if let before = observed[key], before.stamp == stamp, before.changed == found.changed {
      let isWritten = isWritten(found.path)
      let rest = isWritten == nil ? Self.longRest : Self.rest
      if isWritten == true {
        observed[key] = (stamp, found.changed, now)
        lookAgain(in: Self.longRest / 10)
        return false
      }
      let left = rest - (now - before.since)
      if left <= 0 { return true }
      lookAgain(in: left)
      return false
    }
    // A file that has not changed for long needs no rest.
    if Self.age(of: found) > 60, isWritten(found.path) != true { return true }
    observed[key] = (stamp, found.changed, now)
    lookAgain(in: Self.rest)
    return false
  }

  private func lookAgain(in seconds: Double) {
    due = min(due ?? .infinity, monotonicSeconds() + seconds)
  }

  /// Returns the seconds since the last change of a file, by the clock of this machine.
  private static func age(of found: Walker.Found) -> Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Double(now.tv_sec) - Double(max(found.changed, found.modified)) / 1e9
  }

  /// Returns `true` if a process has a file open for writing; `nil` if that is unknown.
  ///
  /// The process may be any of this machine.
  private func isWritten(_ path: String) -> Bool? {
    let file = PathName.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else { return nil }
    defer { close(file) }
    let answer = linux_is_open_for_writing(file)
    // Files of other users have no leases.
    return answer < 0 ? events.state(of: path).map { $0 == .written } : answer == 1
  }

  /// Ends of names of files that programs have not finished, in lower case.
  private static let temporaryEnds = [
    ".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".filepart", ".!qb", ".!ut",
    ".aria2", ".opdownload", "~",
  ]

  /// Returns `true` if a name is one that programs give to files that they have not finished.
  static func isTemporary(_ path: String) -> Bool {
    let name = PathName.last(path).lowercased()
    return temporaryEnds.contains { name.hasSuffix($0) }
      || path.split(separator: "/").contains { $0.hasPrefix("_UNPACK_") }
  }
}
