import CLinux
import Glibc
import RespoolMedia
import Synchronization

/// Restrictions that a process puts on itself before it reads files that may be hostile.
///
/// Afterwards it can open plugins and libraries, and no other file (landlock(7)). It can make no connections, no other
/// processes, and no changes to files that are not open for writing (seccomp(2)). Threads and plugins inherit this, and nothing can
/// remove it. It needs no privileges.
package struct Sandbox: Hashable, Sendable {
  /// `true` if files other than plugins and libraries cannot be opened.
  package var restrictsFiles = false
  /// `true` if only the system calls of conversions are possible.
  package var restrictsCalls = false
  /// Reason why one of them is missing, as part of a sentence.
  package var reason: String?

  /// `true` if both restrictions are in force.
  package var isComplete: Bool { restrictsFiles && restrictsCalls }

  package init(restrictsFiles: Bool = false, restrictsCalls: Bool = false, reason: String? = nil) {
    (self.restrictsFiles, self.restrictsCalls) = (restrictsFiles, restrictsCalls)
    self.reason = reason
  }

  /// Name of the variable that turns the sandbox off, with the value `off`.
  package static let variable = "RESPOOL_SANDBOX"

  /// `false` if the user has turned the sandbox off.
  package static var isWanted: Bool { environment(variable) != "off" }

  /// The restrictions of this process; `nil` before ``enter(opening:reading:)``.
  package static var current: Sandbox? { entered.withLock { $0 } }

  private static let entered = Mutex<Sandbox?>(nil)

  /// Folder in which this process can make files; `nil` if it is not restricted, or can make none.
  static var scratchFolder: String? { scratchOfProcess.withLock { $0 } }

  private static let scratchOfProcess = Mutex<String?>(nil)

  /// Restricts this process, and tries whether that had an effect.
  ///
  /// `registry` is one whose plugins can still be opened, and `readable` are other files and folders that can. With
  /// `usesFonts`, the fonts of the system can be found and read. In the folder `scratch`, files can be made, renamed and
  /// removed, if the kernel can restrict that to a folder. To be called while the process has one thread: Landlock applies
  /// only to the calling thread and those that it starts.
  package static func enter(
    opening registry: PluginRegistry, reading readable: [String] = [], usesFonts: Bool = false,
    scratch: String? = nil
  ) -> Sandbox {
    guard isWanted else { return keep(Sandbox(reason: "\(variable) is \"off\"")) }
    // The time zone's file is read now.
    tzset()
    var reason: String?
    let folders = Set(libraryFolders + loadedLibraries)
    let files = (registry.filesOfPlugins + readable).filter {
      !folders.contains(PathName.folder($0))
    }
    let paths = folders + files
    var scratch = scratch
    if restrictFiles(paths, listing: usesFonts ? fontFolders : [], writing: scratch) != 0 {
      reason = "Landlock cannot be used: \(systemMessage(errno))"
      // Without it, files could be made anywhere.
      scratch = nil
    }
    scratchOfProcess.withLock { $0 = scratch }
    if linux_restrict_calls(scratch != nil) != 0 {
      reason = reason ?? "seccomp cannot be used: \(systemMessage(errno))"
    }
    var sandbox = Sandbox()
    linux_is_restricted(&sandbox.restrictsFiles, &sandbox.restrictsCalls)
    if !sandbox.isComplete {
      sandbox.reason = reason ?? "the kernel accepted the restrictions, but they have no effect"
    }
    return keep(sandbox)
  }

  /// Restricts a copy of this process, and returns what that had for effect.
  ///
  /// To be called while the process has one thread.
  package static func tried(opening registry: PluginRegistry) -> Sandbox {
    var ends: [Int32] = [-1, -1]
    guard linux_pipe(&ends) == 0 else { return Sandbox(reason: systemMessage(errno)) }
    let child = linux_fork()
    if child == 0 {
      let sandbox = enter(opening: registry)
      let state: [UInt8] = [sandbox.restrictsFiles ? 1 : 0, sandbox.restrictsCalls ? 1 : 0]
      let bytes = state + Array((sandbox.reason ?? "").utf8)
      _ = bytes.withUnsafeBytes { writeAll($0, to: ends[1]) }
      _exit(0)
    }
    close(ends[1])
    defer { close(ends[0]) }
    guard child > 0 else { return Sandbox(reason: systemMessage(errno)) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    var count = 0
    while count < bytes.count {
      let read = bytes.withUnsafeMutableBytes {
        Glibc.read(ends[0], $0.baseAddress.map { $0 + count }, $0.count - count)
      }
      if read > 0 { count += read } else if read == 0 || errno != EINTR { break }
    }
    waitpid(child, nil, 0)
    guard count >= 2 else { return Sandbox(reason: "the process that tried it ended early") }
    let reason = String(decoding: bytes[2..<count], as: UTF8.self)
    return Sandbox(
      restrictsFiles: bytes[0] == 1, restrictsCalls: bytes[1] == 1,
      reason: reason.isEmpty ? nil : reason)
  }

  /// Version of Landlock's interface in this kernel; `nil` without Landlock.
  package static var landlockVersion: Int? {
    let version = linux_landlock_version()
    return version > 0 ? Int(version) : nil
  }

  /// Number of system calls that a restricted process may make.
  package static var allowedCallCount: Int { Int(linux_allowed_call_count()) }

  private static func keep(_ sandbox: Sandbox) -> Sandbox {
    entered.withLock { $0 = sandbox }
    return sandbox
  }

  private static func restrictFiles(
    _ paths: [String], listing folders: [String], writing scratch: String?
  ) -> Int32 {
    let copies = (paths + folders).map { path in PathName.withSystemPath(path) { strdup($0) } }
    let writable = scratch.map { path in PathName.withSystemPath(path) { strdup($0) } } ?? nil
    defer { for copy in copies + [writable] { free(copy) } }
    return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { all in
      linux_restrict_files(
        all.baseAddress, Int32(paths.count), all.baseAddress.map { $0 + paths.count },
        Int32(folders.count), writable)
    }
  }

  /// Folders of fonts and their settings (fonts-conf(5)).
  private static var fontFolders: [String] {
    let home = [
      PluginSearchPath.baseFolder("XDG_DATA_HOME", inHome: ".local/share").map { $0 + "/fonts" },
      PluginSearchPath.baseFolder("XDG_CONFIG_HOME", inHome: ".config").map { $0 + "/fontconfig" },
      PluginSearchPath.baseFolder("XDG_CACHE_HOME", inHome: ".cache").map { $0 + "/fontconfig" },
      environment("HOME").map { $0 + "/.fonts" },
    ]
    return home.compactMap(\.self) + [
      "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig",
      "/var/cache/fontconfig",
    ]
  }

  /// Folders of the system's libraries and of the files that libraries read.
  private static var libraryFolders: [String] {
    let folders = environment("LD_LIBRARY_PATH")?.split(separator: ":").map(String.init) ?? []
    return folders + [
      "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache",
      // Random bytes, and the number of processors.
      "/dev/urandom", "/sys/devices/system/cpu",
    ]
  }

  /// Folders of the libraries that this process has loaded, such as those of Swift's runtime.
  private static var loadedLibraries: [String] {
    Array(Set(LibraryIdentity.loadedPaths().map(PathName.folder)))
  }
}

extension PluginRegistry {
  /// Paths of the plugins in use and of the libraries that they load.
  var filesOfPlugins: [String] {
    var paths: Set<String> = []
    for plugin in plugins where plugin.status == .ok {
      paths.insert(plugin.path)
      paths.formUnion(plugin.libraries)
    }
    return Array(paths)
  }
}
