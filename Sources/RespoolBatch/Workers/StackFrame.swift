import CLinux
import Glibc
import RespoolHost
import RespoolMedia

/// A line of the stack that a process wrote when it crashed: `object(function) [offset]`.
struct StackFrame {
  let object: String
  /// Mangled name of the function; `nil` if the object does not export it.
  let symbol: String?
  /// Offset of the instruction in the object, with `0x`.
  private let offset: String

  init?(_ line: Substring) {
    guard line.hasSuffix("]"), let bracket = line.lastIndex(of: "["),
      let end = line[..<bracket].lastIndex(of: ")"),
      let start = line[..<end].lastIndex(of: "("), start > line.startIndex
    else { return nil }
    object = String(line[..<start])
    let name = line[line.index(after: start)..<end]
    symbol = name.isEmpty ? nil : String(name)
    offset = String(line[line.index(after: bracket)...].dropLast())
    guard offset.hasPrefix("0x"), offset.dropFirst(2).allSatisfy(\.isHexDigit) else { return nil }
  }

  /// Returns the function with its source file and line, as far as they are known, as part of a sentence.
  ///
  /// The line is that of the object's debug information, which `addr2line` (binutils) reads if it is installed.
  func resolvedFunction() -> String? {
    let lines = located(offset)
    let name = lines.first.flatMap { $0 == "??" ? nil : $0 } ?? symbol
    guard let name else { return nil }
    let place = lines.dropFirst().first.flatMap { line -> String? in
      let file = line.split(separator: " (discriminator", maxSplits: 1).first ?? ""
      guard !file.hasPrefix("??"), !file.hasSuffix(":?"), !file.hasSuffix(":0") else { return nil }
      return PathName.last(String(file))
    }
    return Self.readable(name) + (place.map { " (\($0))" } ?? "")
  }

  /// Returns the lines of `addr2line`: a function and a place.
  private func located(_ offset: String) -> [String] {
    let script = #"exec addr2line -f -e "$0" "$1" >&\#(IsolatedProcess.answerDescriptor)"#
    guard
      case .success(let process) = IsolatedProcess.start(
        ["-c", script, object, offset], timeLimit: 10, program: "/bin/sh")
    else { return [] }
    var running = [process]
    while !running[0].isOver { IsolatedProcess.wait(for: &running) }
    _ = running[0].end(isAnswered: false)
    return String(decoding: running[0].bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private static func readable(_ name: String) -> String {
    guard let text = linux_demangle(name) else { return name }
    defer { free(text) }
    return String(cString: text)
  }
}
