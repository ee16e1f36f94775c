import ArgumentParser
import Glibc
import RespoolBatch

/// Options that decide how the conversion of folders is reported.
struct ReportArguments: ParsableArguments {
  @Flag(help: "Print one JSON object per line on standard output.")
  var json = false

  @Flag(name: .shortAndLong, help: "Name every file, also those already up to date.")
  var verbose = false

  @Flag(help: "Print only failures, incomplete sources and warnings.")
  var quiet = false

  func validate() throws {
    if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other") }
  }

  /// The options as words of a command line.
  var words: [String] {
    (json ? ["--json"] : []) + (verbose ? ["--verbose"] : []) + (quiet ? ["--quiet"] : [])
  }

  /// Returns the reporter that the user wants; with `wantsPlan`, the plan is shown.
  ///
  /// `usual` is the detail if the user wants neither more nor less.
  func reporter(wantsPlan: Bool = false, usual: ReportDetail = .usual) -> any BatchReporter {
    if json { return JSONReporter() }
    let detail: ReportDetail = quiet ? .quiet : verbose ? .verbose : usual
    // A plan can be piped into another program.
    if TerminalReporter.isPossible, !wantsPlan || isatty(STDOUT_FILENO) == 1 {
      return TerminalReporter(wantsPlan: wantsPlan, detail: detail)
    }
    return LineReporter(wantsPlan: wantsPlan, detail: detail)
  }
}
