import Glibc

/// Checks of the first bytes of a file, before it is loaded.
enum SharedObjectHeader {
  /// Returns the reason why the file cannot be a plugin for this machine; `nil` if it may be one.
  static func problem(withFileAt path: String) -> PluginFailure? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return .unreadable(systemMessage(errno)) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .unreadable(systemMessage(errno)) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      return .notSharedObject(status.st_mode & S_IFMT == S_IFDIR ? "a folder" : "a special file")
    }
    var head = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &head, 64)
    guard count >= 0 else { return .unreadable(systemMessage(errno)) }
    return problem(with: Array(head.prefix(count)), fileSize: Int(status.st_size))
  }

  /// Checks the ELF identification and header (System V ABI, chapter 4).
  static func problem(with head: [UInt8], fileSize: Int) -> PluginFailure? {
    guard !head.isEmpty else { return .notSharedObject("an empty file") }
    guard head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) else {
      return .notSharedObject(kind(of: head))
    }
    guard head.count == 64 else { return .notSharedObject("a truncated one") }
    let isLittleEndian = head[5] == 1
    func half(_ at: Int) -> Int {
      isLittleEndian
        ? Int(head[at]) | Int(head[at + 1]) << 8 : Int(head[at]) << 8 | Int(head[at + 1])
    }
    let machine = half(18)
    guard head[4] == 2, isLittleEndian, machine == hostMachine else {
      return .wrongArchitecture(
        found: machineName(machine, is64Bit: head[4] == 2), expected: machineName(hostMachine))
    }
    switch half(16) {
    case 3:
      // The section table is at the end of the file. Loading a truncated file causes a bus error.
      let sections = head[40..<48].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let (end, overflow) = sections.addingReportingOverflow(UInt64(half(58) * half(60)))
      return overflow || end > UInt64(fileSize)
        ? .notSharedObject("a truncated one, cut off at \(fileSize) of \(end) bytes")
        : nil
    case 1: return .notSharedObject("an object file that was not linked")
    case 4: return .notSharedObject("a core dump")
    default: return .notSharedObject("a program")
    }
  }

  static var hostMachine: Int {
    #if arch(x86_64)
      62
    #elseif arch(arm64)
      183
    #else
      0
    #endif
  }

  private static func machineName(_ machine: Int, is64Bit: Bool = true) -> String {
    let names = [
      3: "32-bit x86", 8: "MIPS", 20: "32-bit PowerPC", 21: "PowerPC 64", 22: "s390x",
      40: "32-bit ARM", 62: is64Bit ? "x86-64" : "x32", 183: "ARM64",
      243: is64Bit ? "RISC-V 64" : "RISC-V 32", 258: "LoongArch",
    ]
    return names[machine] ?? "a machine with the ELF number \(machine)"
  }

  private static func kind(of head: [UInt8]) -> String {
    if head.starts(with: "!<arch>".utf8) { return "an archive of object files (.a)" }
    if head.starts(with: "#!".utf8) { return "a script" }
    if head.starts(with: "MZ".utf8) { return "a Windows program or DLL" }
    if [0xFEED_FACF, 0xCFFA_EDFE, 0xCAFE_BABE].contains(
      head.prefix(4).reduce(0) { $0 << 8 | Int($1) })
    {
      return "a macOS library"
    }
    let isText = head.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (9...13).contains($0) }
    return isText ? "a text file" : "data of another kind"
  }
}
