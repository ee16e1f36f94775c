import RespoolMedia

/// The place of a crash or of a hang, read from the output of the process (`linux_report_crashes`).
struct CrashReport {
  /// The object that crashed, with its function and the plugin that called it; `nil` if unknown.
  private(set) var place: String?
  /// Path of the plugin that crashed, or that called the object that crashed.
  private(set) var plugin: String?
  /// The last line printed before the crash, such as a library's message.
  ///
  /// `nil` if there is none.
  private(set) var message: String?

  private static let mark = "respool: crash by signal "
  /// Beginning of the last line of a report of a sanitizer (ASan, UBSan).
  private static let sanitizerMark = "SUMMARY: "
  private static let threadMark = "respool: stack of a thread"
  /// Objects that are on the stack of every crash or of every failed check, and give no information about its cause.
  private static let neutral = [
    "libc.so", "libgcc_s.so", "ld-linux", "libpthread.so", "linux-vdso", "libswiftCore.so",
    "libstdc++.so", "libasan.so", "libubsan.so",
  ]

  /// Parses the output.
  ///
  /// `plugins` contains the names of plugins by path.
  init(_ text: String, plugins: [String: String]) {
    let lines = text.split(separator: "\n")
    if lines.contains(where: { $0 == Self.threadMark }) {
      // The thread that is in a plugin is the one that hangs; the others wait for it.
      for stack in lines.split(whereSeparator: { $0 == Self.threadMark }) where place == nil {
        read(stack.compactMap { StackFrame($0) }, plugins: plugins, mustBeInPlugin: true)
      }
      return
    }
    let summary = lines.last { $0.hasPrefix(Self.sanitizerMark) }.map {
      String($0.dropFirst(Self.sanitizerMark.count))
    }
    guard let start = lines.lastIndex(where: { $0.hasPrefix(Self.mark) }) else {
      message = summary ?? lines.last.map(String.init)
      return
    }
    // Aborts have a message: from Swift ("Fatal error: …"), the allocator or assertions. A line before
    // another signal is unrelated.
    let isAnnounced = ["4", "5", "6"].contains(lines[start].dropFirst(Self.mark.count))
    if isAnnounced { message = summary ?? Self.announcement(lines[..<start]) }
    read(lines[(start + 1)...].compactMap { StackFrame($0) }, plugins: plugins)
  }

  /// Returns the message that was printed before an abort: the last line, or C++'s two lines about an exception.
  private static func announcement(_ lines: ArraySlice<Substring>) -> String? {
    // Swift's runtime prints its stack after the message.
    let end = lines.lastIndex { $0 == "Current stack trace:" } ?? lines.endIndex
    let lines = lines[..<end]
    guard let last = lines.last else { return nil }
    let thrown = "terminate called after throwing an instance of '"
    func kind(_ line: Substring?) -> Substring? {
      line.flatMap { $0.hasPrefix(thrown) ? $0.dropFirst(thrown.count).dropLast() : nil }
    }
    if let kind = kind(last) { return "uncaught C++ exception \(kind)" }
    let what = "  what():  "
    if last.hasPrefix(what), let kind = kind(lines.dropLast().last) {
      return "uncaught C++ exception \(kind): \(last.dropFirst(what.count))"
    }
    return String(last)
  }

  /// Finds the innermost object of a stack, with its function and the plugin that called it.
  ///
  /// Nothing is found if the stack has no object of interest, or with `mustBeInPlugin` none of a plugin.
  private mutating func read(
    _ stack: [StackFrame], plugins: [String: String], mustBeInPlugin: Bool = false
  ) {
    let frames = stack.filter { frame in
      !Self.neutral.contains { PathName.last(frame.object).hasPrefix($0) }
    }
    let caller = frames.first { plugins[$0.object] != nil }
    plugin = caller?.object
    guard let first = frames.first, plugin != nil || !mustBeInPlugin else { return }
    func words(_ frame: StackFrame) -> String {
      let name = plugins[frame.object].map { "the plugin \($0)" } ?? PathName.last(frame.object)
      return (frame.resolvedFunction().map { "\($0) of " } ?? "") + name
    }
    place = words(first)
    if let caller, caller.object != first.object {
      place = words(first) + ", called by " + words(caller)
    }
  }
}
