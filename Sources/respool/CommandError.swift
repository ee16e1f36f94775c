import ArgumentParser
import Glibc
import RespoolMedia

enum CommandError {
  /// Runs `body`, and prints an error on standard error and ends the command.
  ///
  /// The status is 2 if the user requested something invalid, 130 after a cancellation, else 1.
  static func reporting(_ body: () throws(MediaError) -> Void) throws {
    do throws(MediaError) { try body() } catch {
      print(error)
      throw ExitCode(error.code == .invalidArgument ? 2 : error.code == .cancelled ? 130 : 1)
    }
  }

  static func print(_ error: MediaError) { note("respool: \(error.description)") }

  /// Writes a line for people on standard error, with terminal controls escaped.
  static func note(_ text: String) {
    var bytes = Array((text.printable(keepingLines: true) + "\n").utf8)
    _ = write(2, &bytes, bytes.count)
  }
}

extension CommandLine {
  /// Path of the running program.
  static var executablePath: String {
    PathName.linkTarget("/proc/self/exe") ?? arguments.first ?? "respool"
  }
}
