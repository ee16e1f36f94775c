import CLinux
import Glibc
import RespoolMedia

/// Exchanges the names of two files of one file system in one step (renameat2(2) with RENAME_EXCHANGE).
///
/// On a file system that cannot do that, `other` gets a second name and then its first one is replaced. Returns 0, or
/// an errno; both names are then as before, or `path` is free and `other` as before.
package func exchangeFiles(_ path: String, _ other: String) -> Int32 {
  PathName.withSystemPath(path) { path in
    PathName.withSystemPath(other) { linux_exchange(path, $0) }
  }
}

/// Copies the content of an open file to the end of another, and writes it to the disk.
///
/// Calls `step` every few megabytes. Returns 0, or an errno.
package func copyContent(of file: Int32, to copy: Int32, step: () -> Void) -> Int32 {
  var offset: Int64 = 0
  while true {
    let count = linux_copy_range(file, offset, copy, offset, 32 << 20)
    if count > 0 {
      offset += count
    } else if count == 0 {
      break
    } else if errno != EINTR {
      let number = errno
      // File systems that cannot copy by themselves, or not from the other one.
      guard [EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(number) else { return number }
      break
    }
    step()
  }
  // 0 within the file: some file systems return that instead of an error.
  let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 4 << 20, alignment: 4096)
  defer { room.deallocate() }
  guard lseek(copy, off_t(offset), SEEK_SET) == off_t(offset) else { return errno }
  while true {
    let count = pread(file, room.baseAddress, room.count, off_t(offset))
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { return errno }
    if count == 0 { break }
    let number = writeAll(UnsafeRawBufferPointer(rebasing: room[..<count]), to: copy)
    guard number == 0 else { return number }
    offset += Int64(count)
    step()
  }
  return syncContent(of: copy)
}

/// Writes a file's content and attributes to the disk (fsync(2)); returns 0, or an errno.
package func syncContent(of file: Int32) -> Int32 {
  while fsync(file) != 0 {
    if errno == EINVAL || errno == EROFS { return 0 }
    guard errno == EINTR else { return errno }
  }
  return 0
}
