import Glibc
import Respool
import RespoolMedia

/// The lock of an output folder against other batches: flock(2) on a file.
///
/// It is exclusive, or shared by batches that do the same work; the file then states that work. It ends with the process
/// in every case, and works between containers and on file servers that support locks.
final class FolderLock {
  private let path: String
  private var descriptor: Int32 = -1
  /// `true` if no other batch had the lock when it was taken.
  private(set) var isFirst = true

  /// Microseconds between two attempts.
  private static let interval: UInt32 = 20_000
  /// Attempts to get a lock that `respool status` may hold for an instant.
  private static let attempts = 5
  /// Attempts to join a batch that has just begun, and has the lock alone until it has stated its work.
  private static let attemptsToJoin = 100

  /// Locks the file at `path`, which is created if it does not exist.
  ///
  /// The lock is exclusive until `share` is called, or with `joining`, shared with batches that have it already. A
  /// folder that cannot be written to, or a file that cannot be opened, is not locked: each output reports the failure.
  /// `isShareable` is `true` if the work can join a batch, or be done with another folder.
  /// Throws `io` if another batch has the lock on the folder `folder`.
  init(_ path: String, of folder: String, joining: Bool = false, isShareable: Bool = true)
    throws(MediaError)
  {
    self.path = path
    while true {
      descriptor = PathName.withSystemPath(path) {
        open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
      }
      if descriptor < 0 {
        // Another user's file can be locked.
        descriptor = PathName.withSystemPath(path) {
          open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        }
        guard descriptor >= 0 else { return }
      }
      guard let isFirst = Self.lock(descriptor, joining: joining) else {
        Glibc.close(descriptor)
        descriptor = -1
        throw MediaError(
          .io,
          joining
            ? "the batch that is using this output folder cannot be joined, because it replaces files; wait until it "
              + "ends"
            : "another batch or watch is using this output folder; wait until it ends"
              + (isShareable
                ? ", share the work of a batch with --join, or name another folder with --to" : ""),
          file: folder)
      }
      self.isFirst = isFirst
      // A batch that ended meanwhile may have removed the file.
      var status = stat()
      if fstat(descriptor, &status) == 0, FileIdentity(status) == FileIdentity(path) { return }
      Glibc.close(descriptor)
    }
  }

  /// Locks a file exclusively, or with `joining` also together with others.
  ///
  /// Returns `true` if no other process has the lock, and `nil` if others keep it. A file system without locks counts
  /// as locked.
  private static func lock(_ file: Int32, joining: Bool) -> Bool? {
    for attempt in 0..<(joining ? attemptsToJoin : attempts) {
      if attempt > 0 { usleep(interval) }
      if flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK { return true }
      if joining, flock(file, LOCK_SH | LOCK_NB) == 0 { return false }
    }
    return nil
  }

  /// Shares the lock with batches that do the same work, which the file states from now on.
  func share(_ work: SharedWork) {
    guard descriptor >= 0 else { return }
    let bytes = work.bytes
    _ = ftruncate(descriptor, 0)
    _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    _ = flock(descriptor, LOCK_SH | LOCK_NB)
  }

  /// The work of the batch that has shared the lock first; `nil` if the file does not state it.
  var sharedWork: SharedWork? {
    var status = stat()
    guard descriptor >= 0, fstat(descriptor, &status) == 0, status.st_size <= 1 << 20 else {
      return nil
    }
    let size = Int(status.st_size)
    let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, size, 0))
    }
    return SharedWork(bytes)
  }

  /// Makes a shared lock exclusive; returns `false` if others have it, and gives it up then.
  func becomeExclusive() -> Bool {
    descriptor < 0 || flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
  }

  /// Returns `true` if a batch has the lock.
  static func isHeld(_ path: String) -> Bool {
    let file = PathName.withSystemPath(path) {
      open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }
    guard file >= 0 else { return false }
    defer { Glibc.close(file) }
    // A batch that begins tries again after the instant of this call.
    return flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Removes the file.
  func removeFile() {
    guard descriptor >= 0 else { return }
    _ = PathName.withSystemPath(path) { unlink($0) }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }
}

extension OutputFolder {
  /// Returns the path of the lock of an output folder.
  static func lockPath(in folder: String) -> String {
    PathName.join(PathName.join(folder, stateName), "lock")
  }
}
