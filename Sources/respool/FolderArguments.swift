import ArgumentParser
import Glibc
import RespoolBatch
import RespoolMedia

/// Arguments of a command that makes one output of each file, or of every file in folders.
struct FolderArguments: ParsableArguments {
  @Flag(help: "Replace an existing output.")
  var replace = false

  @Flag(help: "Print one JSON document; for folders or several files, one JSON object per line.")
  var json = false

  /// `true` in the processes that a run over folders starts.
  @Flag(help: .hidden)
  var oneOfMany = false

  /// Returns `true` if outputs are made of more than one file: of several files, or of a folder.
  static func isMany(_ files: [String]) -> Bool {
    if files.count > 1 { return true }
    var status = stat()
    return files.allSatisfy { file in
      PathName.withSystemPath(file) { stat($0, &status) } == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
  }

  /// Throws if the output is not allowed for these files.
  func check(_ files: [String], _ output: String) throws {
    guard output == "-" else { return }
    if json {
      throw ValidationError("--json and an output on standard output exclude each other")
    }
    try IneffectiveOptions.refuse(["--replace": replace], "on standard output")
    if Self.isMany(files) {
      throw ValidationError(
        "several outputs cannot be written to standard output; name a folder")
    }
  }

  /// Makes an output of every file, each in a process of its own, and ends the command.
  ///
  /// - Parameters:
  ///   - fileExtension: extension of the outputs.
  ///   - jobs: number of processes at a time.
  ///   - command: name of the subcommand.
  ///   - options: command-line arguments that are equal for every file.
  func runFolders(
    _ files: [String], to folder: String, fileExtension: String, jobs: Int, command: String,
    options: [String]
  ) throws {
    // A process of a run over folders does not start another run.
    if oneOfMany { throw ValidationError("--one-of-many takes one file") }
    try CommandError.reporting { () throws(MediaError) in
      let reporter: any BatchReporter =
        if json {
          JSONReporter()
        } else if TerminalReporter.isPossible {
          TerminalReporter()
        } else {
          LineReporter()
        }
      let run = FolderRun(
        inputs: files, output: folder, fileExtension: fileExtension, replaces: replace, jobs: jobs,
        executable: CommandLine.executablePath, reporter: reporter, patience: Patience.seconds
      ) { input, output in
        // Only a file name follows the two hyphens.
        [command, "--one-of-many", "--output", output] + options
          + (replace ? ["--replace"] : []) + ["--", input]
      }
      let status = try run.run()
      if status != 0 { Glibc.exit(status) }
    }
  }
}
