import ArgumentParser
import CLinux
import Glibc
import Respool
import RespoolBatch
import RespoolMedia

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Reads and decodes whole files to find damage.",
    discussion: """
      Reads every packet of the files and of all files in the folders, and decodes all audio and \
      video. Prints a line for each damaged file with tracks, times and reasons. Changes no file. \
      Data that has neither a checksum nor a compressed form, such as PCM, cannot be checked.

      Example:
        respool check ~/Videos
        respool check --json film.mkv

      Exit status: 0 all whole, 1 some damaged or unreadable, 2 wrong usage, 130 interrupted.
      """)

  @Argument(help: "Files and folders to check.", completion: .file())
  var files: [String]

  @Option(help: "Files at a time (default: the number of usable cores).")
  var jobs: Int?

  @Flag(help: "Enter folders through symbolic links.")
  var followLinks = false

  @Flag(help: "Print one JSON document; for folders or several files, one JSON object per line.")
  var json = false

  @Flag(name: .shortAndLong, help: "Name every file, with all notes.")
  var verbose = false

  @Flag(help: "Print only damaged and unreadable files.")
  var quiet = false

  func validate() throws {
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs is \(jobs); it takes 1 to 1024")
    }
    if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other") }
    if json {
      try IneffectiveOptions.refuse(
        ["--quiet": quiet, "--verbose": verbose], "with --json, which names every file")
    }
  }

  func run() throws {
    let isMany = FolderArguments.isMany(files)
    try CommandError.reporting { () throws(MediaError) in
      let registry = PluginRegistry()
      for plugin in registry.pluginsOutOfOrder { CommandError.note("warning: \(plugin.disorder)") }
      let status = try CheckRun(
        inputs: files, executable: CommandLine.executablePath, registry: registry,
        jobs: jobs ?? coreCount(), cores: coreCount(), followsLinks: followLinks,
        patience: Patience.seconds,
        reporter: CheckReporter(
          json ? isMany ? .lines : .document : .text,
          detail: quiet ? .quiet : verbose ? .verbose : .usual)
      ).run()
      if status != 0 { Glibc.exit(status) }
    }
  }
}
