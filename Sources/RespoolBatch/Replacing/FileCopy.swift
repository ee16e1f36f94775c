import Glibc
import RespoolHost
import RespoolMedia

/// Copies of files on another file system, with their attributes.
struct FileCopy {
  /// Function that is called every few megabytes.
  let step: () -> Void

  /// Copies a file to a name that must be free; returns `false` if it is taken.
  ///
  /// Content and name are on the disk when this returns. Throws `io` if the copy is not complete; nothing is left then.
  func copy(_ path: String, to target: String) throws(MediaError) -> Bool {
    let source = try FileSource(path: path)
    PendingFile.removeAbandoned(in: PathName.folder(target))
    let pending = PendingFile(for: target)
    let file = try pending.naming { () throws(MediaError) in
      try OpenFile(creating: pending.path, permissions: 0o600)
    }
    do throws(MediaError) {
      try pending.naming { () throws(MediaError) in
        try fill(file.descriptor, from: source, at: target)
      }
    } catch {
      _ = ftruncate(file.descriptor, 0)
      pending.discard()
      throw error
    }
    guard moveFile(pending.path, to: target) else {
      let number = errno
      pending.discard()
      guard number != EEXIST else { return false }
      throw .system("the copy cannot be renamed", number, file: target)
    }
    do throws(MediaError) { try syncFolder(PathName.folder(target)) } catch {
      removeFile(target)
      throw error
    }
    return true
  }

  private func fill(_ file: Int32, from source: FileSource, at target: String) throws(MediaError) {
    let number = copyContent(of: source.descriptor, to: file, step: step)
    guard number == 0 else { throw .system("the original cannot be copied", number, file: target) }
    try CopiedAttributes.copyOwner(of: source.descriptor, to: file, at: target)
    try CopiedAttributes.copyOthers(of: source.descriptor, to: file, at: target)
    var status = stat()
    guard fstat(file, &status) == 0, Int64(status.st_size) == source.size else {
      throw MediaError(.io, "the copy of the original has another size", file: target)
    }
    let synced = syncContent(of: file)
    guard synced == 0 else { throw .system("cannot be written", synced, file: target) }
  }
}
