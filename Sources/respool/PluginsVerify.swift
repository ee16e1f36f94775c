import ArgumentParser
import Glibc
import Respool
import RespoolVerifier

struct PluginsVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Checks that plugin files follow the plugin contract.",
    discussion: """
      Encoders are compared with decoders, and muxers with demuxers, of this plugin and of others that are
      installed. The plugin's code runs in separate processes, so a crash or a hang is a failed check. Checks that
      fail for the same reason are one line.

      Examples:
        respool plugins verify ./libmine.so
        respool plugins verify ./libmine.so --sample clip.mine

      Exit status: 1 if a check failed.
      """)

  @Argument(help: "The .so files.", completion: .file(extensions: ["so"])) var files: [String]

  @Option(
    parsing: .upToNextOption, help: "Intact files for the checks of demuxers and decoders.",
    completion: .file())
  var sample: [String] = []

  @Option(help: "Seconds for each check; more for a slow machine.") var timeLimit: Double = 10

  @Flag(name: .shortAndLong, help: "Show the checks that passed too.") var verbose = false

  @Flag(help: "Print one JSON document.") var json = false

  func validate() throws {
    guard timeLimit > 0, timeLimit <= 3600 else {
      throw ValidationError("--time-limit is \(timeLimit); it takes a number above 0, up to 3600")
    }
  }

  func run() throws {
    let verifier = PluginVerifier(samples: sample, timeLimit: timeLimit)
    var failed = 0
    var documents: [JSON] = []
    for file in files {
      let results = verifier.verify(pluginAt: file)
      let failures = results.filter { !$0.passed }
      failed += failures.count
      if json {
        documents.append(document(file, results))
        continue
      }
      let count = results.reduce(0) { $0 + 1 + $1.others.count }
      let passed = results.count - failures.count
      CommandOutput.show("\(file): \(passed) of \(count) checks passed")
      for result in verbose ? results : failures {
        CommandOutput.show("  \(result.passed ? "ok  " : "FAIL") \(result.name): \(result.detail)")
        if !result.others.isEmpty {
          CommandOutput.show(
            "       for this reason also: \(result.others.joined(separator: "; "))")
        }
      }
    }
    if json { CommandOutput.show(JSON.object(["plugins": .array(documents)])) }
    if failed > 0 { throw ExitCode(1) }
  }

  private func document(_ file: String, _ results: [CheckResult]) -> JSON {
    .object([
      "path": .string(file), "passed": .bool(results.allSatisfy(\.passed)),
      "checks": .array(
        results.map {
          .object([
            "name": .string($0.name), "passed": .bool($0.passed), "detail": .string($0.detail),
            "others": .array($0.others.map { .string($0) }),
          ])
        }),
    ])
  }
}
