import ArgumentParser
import CLinux
import Glibc
import Respool
import RespoolBatch
import RespoolMedia
import RespoolVerifier

/// Entry point of the program.
///
/// The hidden modes, in which the program runs as a child of itself, are handled before any parsing.
@main
enum Main {
  static func main() {
    endEarlyOnTermination()
    keepStandardDescriptors()
    // With both signals ignored, a write reports a closed pipe (EPIPE) or a file at its maximum size
    // (EFBIG). The program can then remove temporary files and report the reason.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    let arguments = arguments()
    // A SIGHUP that comes before a watch is ready waits for it instead of ending it.
    if arguments.first == "watch" { close(linux_watch_termination()) }
    if arguments.count == 6, arguments[0] == Worker.argument {
      exit(
        Worker.run(
          preset: arguments[1], identity: arguments[2], condition: arguments[3],
          verification: arguments[4], scratch: arguments[5]))
    }
    if arguments.count == 3, arguments[0] == CheckProcess.argument {
      CheckProcess.run(threads: arguments[1], path: arguments[2])
    }
    if arguments.count == 4, arguments[0] == BatchPage.argument {
      LookProcess.run(source: arguments[1], output: arguments[2], preset: arguments[3])
    }
    if arguments.count == 2, arguments[0] == DescribingProcess.argument {
      DescribingProcess.run(arguments[1])
    }
    if arguments.count == 2, arguments[0] == PresetCheckingProcess.argument {
      PresetCheckingProcess.run(arguments[1])
    }
    if arguments.first == VerifyingProcess.argument {
      VerifyingProcess.run(Array(arguments.dropFirst()))
    }
    if arguments.first == FuzzingProcess.argument {
      FuzzingProcess.run(Array(arguments.dropFirst()))
    }
    StandardOutput.endProcessOnFailure()
    if isQuick(arguments) { return }
    do {
      var command = try Command.parseAsRoot(arguments)
      try command.run()
    } catch  where Command.exitCode(for: error) == .validationFailure {
      CommandError.note(UnknownCommand.find(in: arguments)?.text ?? Command.fullMessage(for: error))
      // The parser's own status is 64 (EX_USAGE); most commands, and this one, use 2.
      exit(2)
    } catch {
      Command.exit(withError: error)
    }
  }

  /// Makes a converting command end with a message and status 130 on an early Ctrl-C or SIGTERM.
  ///
  /// This applies until the command handles these signals itself, which it does before it writes anything.
  private static func endEarlyOnTermination() {
    guard CommandLine.argc > 1, let command = CommandLine.unsafeArgv[1],
      ["batch", "convert", "concat"].contains(String(cString: command))
    else { return }
    let words: StaticString = "respool: stopped before anything was written\n"
    words.utf8Start.withMemoryRebound(to: CChar.self, capacity: words.utf8CodeUnitCount + 1) {
      // A static string ends with a zero byte and lives as long as the process.
      linux_end_on_termination($0, 130)
    }
  }

  /// Opens standard descriptors that are closed at the start.
  ///
  /// Otherwise a file opened later could get such a descriptor, and messages would be written to it.
  /// Reading or writing through them fails as with closed ones.
  private static func keepStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// Returns the arguments after the program's name, including names that are not UTF-8.
  private static func arguments() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
      CommandLine.unsafeArgv[index].map { PathName.text(system: $0) }
    }
  }

  /// Answers the most frequent requests of people and completions.
  ///
  /// Returns `true` if it did.
  ///
  /// Creating the tree of all commands and options would take longer than the answer.
  private static func isQuick(_ arguments: [String]) -> Bool {
    switch arguments {
    case ["--help"], ["-h"]:
      guard let text = QuickHelp.fittingText else { return false }
      print(text)
    case ["presets", "list"]: PresetsList.list(json: false)
    case ["presets", "list", "--json"]: PresetsList.list(json: true)
    default: return false
    }
    return true
  }
}
