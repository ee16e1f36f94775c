import CLinux
import Glibc
package import RespoolMedia

/// Owner, permissions, extended attributes, access control list and times that a file takes over from another.
package enum CopiedAttributes {
  /// Gives a file the owner and the group of another.
  ///
  /// Throws `io` if the user may not do that.
  package static func copyOwner(of original: Int32, to file: Int32, at path: String)
    throws(MediaError)
  {
    var (from, to) = (stat(), stat())
    guard fstat(original, &from) == 0, fstat(file, &to) == 0 else {
      throw .system("its owner cannot be read", errno, file: path)
    }
    guard (from.st_uid, from.st_gid) != (to.st_uid, to.st_gid) else { return }
    guard fchown(file, from.st_uid, from.st_gid) == 0 else {
      throw .system(
        "its owner (user \(from.st_uid), group \(from.st_gid)) cannot be given to another file",
        errno, file: path)
    }
  }

  /// Gives a file the permissions, extended attributes, access control list and times of another.
  ///
  /// Throws `io` if an attribute cannot be set. Labels of security modules stay if the user may not change them.
  package static func copyOthers(of original: Int32, to file: Int32, at path: String)
    throws(MediaError)
  {
    var status = stat()
    guard fstat(original, &status) == 0, fchmod(file, status.st_mode & 0o777) == 0 else {
      throw .system("its permissions cannot be given to another file", errno, file: path)
    }
    // After the permissions, whose group bits are the mask of an access control list.
    var name = [CChar](repeating: 0, count: 256)
    let number = linux_copy_extended_attributes(original, file, &name)
    guard number == 0 else {
      let text = String(
        decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      throw .system(
        "its extended attribute \(text.printable()) cannot be given to another file", number,
        file: path)
    }
    guard futimens(file, [status.st_atim, status.st_mtim]) == 0 else {
      throw .system("its times cannot be given to another file", errno, file: path)
    }
  }
}
