import ArgumentParser
import Glibc
import Respool
import RespoolVerifier

struct PluginsFuzz: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fuzz", abstract: "Searches for inputs with which a plugin fails.",
    discussion: """
      Samples are changed at random and read by the plugin's demuxers, and their packets decoded by its
      decoders, in a separate process. An input with which the plugin crashes, hangs or takes more than 1 GB of
      memory is kept, with the reason in a text file beside it. Without samples, files and packets are made by
      the muxers and encoders that are installed.

      Examples:
        respool plugins fuzz ./libmine.so --seconds 60
        respool plugins fuzz ./libmine.so --sample clip.mine --keep failures

      Exit status: 1 if an input was found.
      """)

  @Argument(help: "The .so file.", completion: .file(extensions: ["so"])) var file: String

  @Option(help: "Duration of the search.") var seconds: Double = 60

  @Option(
    parsing: .upToNextOption, help: "Files to change. Kept inputs can be samples too.",
    completion: .file())
  var sample: [String] = []

  @Option(help: "Folder for inputs with which the plugin fails.", completion: .directory)
  var keep = "fuzz-findings"

  @Option(help: "Seconds after which an input hangs.") var timeLimit: Double = 5

  func validate() throws {
    guard seconds > 0, seconds <= 1_000_000 else {
      throw ValidationError("--seconds is \(seconds); it takes a number above 0")
    }
    guard timeLimit > 0, timeLimit <= 3600 else {
      throw ValidationError("--time-limit is \(timeLimit); it takes a number above 0, up to 3600")
    }
    for path in sample where access(path, R_OK) != 0 {
      throw ValidationError("\(path): cannot be read")
    }
  }

  func run() throws {
    let fuzzer = PluginFuzzer(
      samples: sample, seconds: seconds, folder: keep, timeLimit: timeLimit)
    let outcome = fuzzer.run(pluginAt: file)
    if let problem = outcome.problem {
      CommandError.note("\(file): \(problem)")
      throw ExitCode(1)
    }
    let counts = outcome.cases.sorted { $0.key < $1.key }.map { "\($0.value) inputs for \($0.key)" }
      .joined(separator: ", ")
    if outcome.findings.isEmpty {
      CommandOutput.show("\(file): nothing found with \(counts)")
      return
    }
    CommandOutput.show(
      "\(file): \(outcome.findings.count.counting("failure")) found with \(counts)")
    for finding in outcome.findings {
      let times = finding.count > 1 ? " (\(finding.count) times)" : ""
      CommandOutput.show(
        "  FAIL \(finding.subject): \(finding.reason)\(times); kept as \(finding.path)")
    }
    throw ExitCode(1)
  }
}
