import RespoolMedia

/// The place of a crash, read from the output of the process (`linux_report_crashes`).
struct CrashReport {
  /// The object that crashed, with its function and the plugin that called it; `nil` if unknown.
  private(set) var place: String?
  /// The last line printed before the crash, such as a library's message.
  ///
  /// `nil` if there is none.
  private(set) var message: String?

  private static let mark = "respool: crash by signal "
  /// Objects that are on the stack of every crash, and give no information about its cause.
  private static let neutral = [
    "libc.so", "libgcc_s.so", "ld-linux", "libpthread.so", "linux-vdso",
  ]

  /// Parses the output.
  ///
  /// `plugins` contains the names of plugins by path.
  init(_ text: String, plugins: [String: String]) {
    let lines = text.split(separator: "\n")
    guard let start = lines.lastIndex(where: { $0.hasPrefix(Self.mark) }) else {
      message = lines.last.map(String.init)
      return
    }
    // Aborts have a message: from Swift ("Fatal error: …"), the allocator or assertions. A line before
    // another signal is unrelated.
    let isAnnounced = ["4", "5", "6"].contains(lines[start].dropFirst(Self.mark.count))
    if isAnnounced, start > 0 { message = String(lines[start - 1]) }
    let frames = lines[(start + 1)...].compactMap { Frame($0) }.filter { frame in
      !Self.neutral.contains { PathName.last(frame.object).hasPrefix($0) }
    }
    guard let first = frames.first else { return }
    let plugin = frames.lazy.compactMap { plugins[$0.object] }.first
    let name = PathName.last(first.object)
    var text = first.function.map { "\($0) of " } ?? ""
    if let own = plugins[first.object] {
      text += "the plugin \(own)"
    } else {
      text += name + (plugin.map { ", called by the plugin \($0)" } ?? "")
    }
    place = text
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
