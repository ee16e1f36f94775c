import Glibc
package import RespoolMedia

extension PendingFile {
  /// Reason why a file does not get its target's name.
  package static let changedTarget = "the output has been changed since the file was planned"

  /// Gives the file its target's name in place of the file that has it, if that is still the expected one.
  ///
  /// The names are exchanged, and what had the target's name is looked at again before it is removed: a file that got
  /// the name after `isExpected` returned `true` gets it back. If nothing has the name, the file gets it. The caller
  /// syncs the folder.
  ///
  /// Throws `io`; the temporary file is then removed.
  package func complete(inPlaceOf isExpected: () -> Bool) throws(MediaError) {
    guard let held else { preconditionFailure("exchanging names needs an open folder") }
    let (name, temporary) = (PathName.last(target), PathName.last(path))
    guard let before = held.status(name) else {
      return try complete(replacing: false, syncingFolder: false)
    }
    guard isExpected() else { throw changed() }
    let number = held.exchange(temporary, with: name, in: held)
    switch number {
    case 0: break
    case ENOENT: return try complete(replacing: false, syncingFolder: false)
    // The file system cannot exchange names.
    case EINVAL, ENOSYS: return try complete(replacing: true, syncingFolder: false)
    default:
      discard()
      throw .notRenamed(to: target, number)
    }
    // Another process may have removed it as a temporary file that nothing has locked.
    guard let replaced = held.status(temporary), !replaced.isSameVersion(as: before) else {
      return held.remove(temporary)
    }
    // A name that is free meanwhile cannot be exchanged, and one that is not cannot be given.
    for _ in 0..<100 {
      switch held.exchange(temporary, with: name, in: held) {
      case 0: throw changed()
      case ENOENT where held.rename(temporary, to: name, in: held, replacing: false) == 0:
        throw MediaError(.io, Self.changedTarget, file: target)
      default: continue
      }
    }
    throw MediaError(
      .io, "\(Self.changedTarget), and the file that had its name is now named \(temporary)",
      file: target)
  }

  private func changed() -> MediaError {
    discard()
    return MediaError(.io, Self.changedTarget, file: target)
  }
}

extension HeldFolder {
  /// Returns the status of what has a name, which may be a link; `nil` if nothing has it.
  fileprivate func status(_ name: String) -> stat? {
    var status = stat()
    return PathName.withSystemPath(name) {
      fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) == 0
    } ? status : nil
  }
}

extension stat {
  /// Returns `true` if both are the same file with the same content; renaming it changes only the time of change.
  fileprivate func isSameVersion(as other: stat) -> Bool {
    FileIdentity(self) == FileIdentity(other) && st_size == other.st_size
      && st_mtim.tv_sec == other.st_mtim.tv_sec && st_mtim.tv_nsec == other.st_mtim.tv_nsec
  }
}
