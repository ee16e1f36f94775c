import Glibc
import RespoolMedia

/// Rule for files whose code this program runs: only root, the user and the owner of the program may change them.
///
/// The owner of the program counts because they could change the program itself. In a user namespace, files of root
/// have another owner (user_namespaces(7)).
enum FileTrust {
  /// Returns who else may change a file or the entries of a folder, as part of a sentence; `nil` if no other user may.
  ///
  /// A file that does not exist has no problem: whoever opens it reports it.
  static func problem(of path: String) -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return problem(owner: status.st_uid, group: status.st_gid, mode: status.st_mode)
  }

  static func problem(owner: uid_t, group: gid_t, mode: mode_t) -> String? {
    let user = geteuid()
    guard owner == 0 || owner == user || owner == programOwner else {
      return "it belongs to user \(owner), who is neither root nor the user \(user)"
    }
    let permissions = "mode \(String(mode & 0o7777, radix: 8))"
    if mode & S_IWOTH != 0 { return "every user may write to it (\(permissions))" }
    guard mode & S_IWGRP != 0, group != 0, !isPrivate(group, of: user) else { return nil }
    return "the group \(group) may write to it (\(permissions))"
  }

  private static let programOwner: uid_t? = {
    var status = stat()
    return stat("/proc/self/exe", &status) == 0 ? status.st_uid : nil
  }()

  /// Returns `true` if a group has the name of the user and no other member, as Debian's adduser makes it.
  private static func isPrivate(_ group: gid_t, of user: uid_t) -> Bool {
    guard group == getegid() else { return false }
    var (groupRecord, userRecord) = (Glibc.group(), passwd())
    var (groupFound, userFound): (UnsafeMutablePointer<Glibc.group>?, UnsafeMutablePointer<passwd>?)
    var groupText = [CChar](repeating: 0, count: 16 << 10)
    var userText = groupText
    guard
      getgrgid_r(group, &groupRecord, &groupText, groupText.count, &groupFound) == 0,
      getpwuid_r(user, &userRecord, &userText, userText.count, &userFound) == 0,
      groupFound != nil, userFound != nil, let userName = userRecord.pw_name,
      strcmp(groupRecord.gr_name, userName) == 0
    else { return false }
    var member = groupRecord.gr_mem
    while let name = member?.pointee {
      guard strcmp(name, userName) == 0 else { return false }
      member = member?.advanced(by: 1)
    }
    return true
  }
}
