import ArgumentParser
import Respool
import RespoolBatch
import RespoolMedia

struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Makes a page about an output folder.",
    discussion: """
      Writes one HTML file that needs no other and no network: totals, space saved, charts of sizes \
      and speed, and each file of the ledger with its result, reason and losses. It can be sorted \
      and searched. For at most --looks files, those with losses first, it also shows a frame of the \
      source and of the output at the same time, the waveform, and the settings with their reasons. \
      Links to files are relative: they hold as long as the page and the files keep their places to \
      each other.

      Example:
        respool report ~/Converted

      Exit status: 0 the page is written, 1 it is not, 2 wrong usage, 130 interrupted.
      """)

  @Argument(help: "The output folder of a batch.", completion: .directory)
  var folder: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The page (default: report.html in the folder, or in its .respool if outputs have replaced sources, where it would be one of them). An earlier page is replaced, and no other file.",
      valueName: "file"),
    completion: .file())
  var output: String?

  @Option(help: "Maximum number of files that are looked into; 0 takes what the ledger has.")
  var looks = BatchPage.usualLooks

  @Option(help: "Files that are looked into at a time (default: the number of usable cores).")
  var jobs: Int?

  @Flag(help: "Print only errors.")
  var quiet = false

  func validate() throws {
    if output == "-" { throw ValidationError("--output takes a file, such as report.html") }
    if !(0...1_000_000).contains(looks) {
      throw ValidationError("--looks is \(looks); it takes 0 to 1000000")
    }
    if let jobs, !(1...1024).contains(jobs) {
      throw ValidationError("--jobs is \(jobs); it takes 1 to 1024")
    }
  }

  func run() throws {
    try CommandError.reporting { () throws(MediaError) in
      let path = output ?? BatchPage.defaultPath(in: folder)
      let page = BatchPage(
        of: folder, executable: CommandLine.executablePath, jobs: jobs ?? coreCount(), most: looks,
        patience: Patience.seconds)
      let display = !quiet && TerminalReporter.isPossible ? PageDisplay(folder) : nil
      page.progress = { display?.show($0, of: $1) }
      defer { display?.end() }
      try page.write(to: path)
      display?.end()
      if !quiet { CommandOutput.show(path.printable()) }
    }
  }
}

/// The progress of a page on the terminal.
private final class PageDisplay {
  private let reporter = TerminalReporter()
  private let folder: String
  private let start = monotonicSeconds()

  init(_ folder: String) { self.folder = folder }

  func show(_ done: Int, of total: Int) {
    var progress = BatchProgress()
    (progress.filesDone, progress.filesTotal) = (done, total)
    progress.fraction = total > 0 ? Double(done) / Double(total) : 0
    progress.elapsed = monotonicSeconds() - start
    reporter.tick(progress)
  }

  func end() { reporter.erase() }
}
