import RespoolMedia

/// The place of a crash or of a hang, read from the output of the process (`linux_report_crashes`).
struct CrashReport {
  /// The object that crashed, with its function and the plugin that called it; `nil` if unknown.
  private(set) var place: String?
  /// The last line printed before the crash, such as a library's message.
  ///
  /// `nil` if there is none.
  private(set) var message: String?

  private static let mark = "respool: crash by signal "
  private static let threadMark = "respool: stack of a thread"
  /// Objects that are on the stack of every crash, and give no information about its cause.
  private static let neutral = [
    "libc.so", "libgcc_s.so", "ld-linux", "libpthread.so", "linux-vdso",
  ]

  /// Parses the output.
  ///
  /// `plugins` contains the names of plugins by path.
  init(_ text: String, plugins: [String: String]) {
    let lines = text.split(separator: "\n")
    if lines.contains(where: { $0 == Self.threadMark }) {
      // The thread that is in a plugin is the one that hangs; the others wait for it.
      place =
        lines.split { $0 == Self.threadMark }.lazy.compactMap { stack in
          Self.place(stack.compactMap { Frame($0) }, plugins: plugins, mustBeInPlugin: true)
        }.first
      return
    }
    guard let start = lines.lastIndex(where: { $0.hasPrefix(Self.mark) }) else {
      message = lines.last.map(String.init)
      return
    }
    // Aborts have a message: from Swift ("Fatal error: …"), the allocator or assertions. A line before
    // another signal is unrelated.
    let isAnnounced = ["4", "5", "6"].contains(lines[start].dropFirst(Self.mark.count))
    if isAnnounced, start > 0 { message = String(lines[start - 1]) }
    place = Self.place(lines[(start + 1)...].compactMap { Frame($0) }, plugins: plugins)
  }

  /// Returns the innermost object of a stack, with its function and the plugin that called it.
  ///
  /// `nil` if the stack has no object of interest, or with `mustBeInPlugin` none of a plugin.
  private static func place(
    _ stack: [Frame], plugins: [String: String], mustBeInPlugin: Bool = false
  ) -> String? {
    let frames = stack.filter { frame in
      !neutral.contains { PathName.last(frame.object).hasPrefix($0) }
    }
    let plugin = frames.lazy.compactMap { plugins[$0.object] }.first
    guard let first = frames.first, plugin != nil || !mustBeInPlugin else { return nil }
    let text = first.function.map { "\($0) of " } ?? ""
    if let own = plugins[first.object] { return text + "the plugin \(own)" }
    return text + PathName.last(first.object)
      + (plugin.map { ", called by the plugin \($0)" } ?? "")
  }

  /// A line of backtrace_symbols_fd(3): `object(function+0x12) [0x7f…]`, or without a function.
  private struct Frame {
    var object: String
    var function: String?

    init?(_ line: Substring) {
      guard line.hasSuffix("]"), let end = line.lastIndex(of: "[") else { return nil }
      var rest = line[..<end]
      if rest.hasSuffix(" ") { rest.removeLast() }
      if rest.hasSuffix(")"), let open = rest.lastIndex(of: "(") {
        let name = rest[rest.index(after: open)...].prefix { $0 != "+" && $0 != ")" }
        // Mangled names of Swift and C++ are not readable.
        if !name.isEmpty, !name.hasPrefix("$"), !name.hasPrefix("_Z") { function = String(name) }
        rest = rest[..<open]
      }
      guard !rest.isEmpty else { return nil }
      object = String(rest)
    }
  }
}
