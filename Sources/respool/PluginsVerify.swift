import ArgumentParser
import Glibc
import Respool
import RespoolVerifier

struct PluginsVerify: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Checks that plugin files follow the plugin contract.",
    discussion: """
      The plugin's code runs in separate processes, so a crash is a failed check.

      Examples:
        respool plugins verify ./libmine.so
        respool plugins verify ./libmine.so --sample clip.mine

      Exit status: 1 if a check failed.
      """)

  @Argument(help: "The .so files.", completion: .file(extensions: ["so"])) var files: [String]

  @Option(
    parsing: .upToNextOption, help: "Sample files for the checks of the plugin's demuxers.",
    completion: .file())
  var sample: [String] = []

  @Flag(name: .shortAndLong, help: "Show the checks that passed too.") var verbose = false

  @Flag(help: "Print one JSON document.") var json = false

  func run() throws {
    let verifier = PluginVerifier(samples: sample)
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
      CommandOutput.show(
        "\(file): \(results.count - failures.count) of \(results.count) checks passed")
      for result in verbose ? results : failures {
        CommandOutput.show("  \(result.passed ? "ok  " : "FAIL") \(result.name): \(result.detail)")
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
          ])
        }),
    ])
  }
}
