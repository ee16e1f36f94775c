import Glibc
import Respool
import RespoolMedia

/// A process that checks one file in a sandbox and writes messages to standard output.
public enum CheckProcess {
  /// First argument that makes the command such a process; the number of threads and the path follow.
  public static let argument = "__check"

  /// Checks the file at `path`, and ends the process.
  ///
  /// `threads` is the number of threads that each video decoder may use.
  public static func run(threads: String, path: String) -> Never {
    let output = FileProcessChild.begin()
    func send(_ message: CheckMessage) {
      message.line.withUnsafeBytes { _ = writeAll($0, to: output) }
    }
    let registry = PluginRegistry()
    ReceivedFiles.open([path])
    let sandbox = Sandbox.enter(opening: registry)
    if !sandbox.isComplete, Sandbox.isWanted, let reason = sandbox.reason {
      send(.openSandbox(reason))
    }
    do throws(MediaError) {
      let check = FileCheck(path: path, registry: registry, threads: Int(threads) ?? 1)
      let report = try check.run { fraction in
        CheckMessage.progress(fraction).line.withUnsafeBytes { _ = writeAll($0, to: output) }
      }
      for finding in report.findings { send(.finding(finding)) }
      send(.end(report.isWhole ? .whole : .damaged, reason: nil, duration: report.duration))
    } catch {
      send(end(error, path, registry))
    }
    // Threads of plugins need not end.
    _exit(0)
  }

  /// Returns the result for a file that could not be opened.
  private static func end(_ error: MediaError, _ path: String, _ registry: PluginRegistry)
    -> CheckMessage
  {
    var reason = registry.explaining(error)
    reason.file = nil
    switch error.code {
    case .malformed, .unsupported, .limitExceeded:
      let plan = FilePlan(error, of: path, registry)
      if plan.action == .skip || (try? FileSource(path: path).size) == 0,
        !FilePlan.isMedia(path, registry),
        // A plugin that refuses a file has recognized it.
        error.plugin == nil || ForeignFile.kind(path) != nil
      {
        return .end(.skipped, reason: plan.reason ?? reason.description, duration: nil)
      }
      // A file that no plugin recognizes, although its extension is one of media, is damaged at its start.
      let isUnsupported =
        error.code == .unsupported && error.detail != .fileFormatNotRecognized
      return .end(
        isUnsupported ? .unsupported : .damaged, reason: plan.reason ?? reason.description,
        duration: nil)
    default: return .end(.unreadable, reason: reason.description, duration: nil)
    }
  }
}
