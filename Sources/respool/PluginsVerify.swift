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
        respool plugins verify ./libmine.so --sample clip.mine --reject song.mp3
        respool plugins verify ./libmine.so --check 'encoder mine: h264: content'

      Exit status: 1 if a check failed.
      """)

  @Argument(help: "The .so files.", completion: .file(extensions: ["so"])) var files: [String]

  @Option(
    parsing: .upToNextOption, help: "Intact files for the checks of demuxers and decoders.",
    completion: .file())
  var sample: [String] = []

  @Option(
    parsing: .upToNextOption, help: "Files that the demuxers must refuse.", completion: .file())
  var reject: [String] = []

  @Option(help: "Run only the check of this name, or those of a factory.") var check: String?

  @Option(
    help: "Bytes that each open and close may lose, because a library loses them.",
    completion: .default)
  var allowLeak: Int64 = 0

  @Option(help: "Seconds for each check; more for a slow machine.") var timeLimit: Double = 10

  @Flag(name: .shortAndLong, help: "Show the checks that passed too.") var verbose = false

  @Flag(help: "Print one JSON document.") var json = false

  func validate() throws {
    guard timeLimit > 0, timeLimit <= 3600 else {
      throw ValidationError("--time-limit is \(timeLimit); it takes a number above 0, up to 3600")
    }
    guard (0...1 << 20).contains(allowLeak) else {
      throw ValidationError(
        "--allow-leak is \(allowLeak); it takes a number of bytes up to 1048576")
    }
  }

  func run() throws {
    var verifier = PluginVerifier(samples: sample, timeLimit: timeLimit)
    (verifier.rejected, verifier.check, verifier.allowedLeak) = (reject, check, allowLeak)
    var failed = 0
    var documents: [JSON] = []
    for file in files {
      let results = verifier.verify(pluginAt: file)
      let failures = results.filter(\.failed)
      failed += failures.count
      if json {
        documents.append(document(file, results))
        continue
      }
      let count = results.reduce(0) { $0 + 1 + $1.others.count }
      let skipped = results.count { $0.outcome == .skipped }
      CommandOutput.show(
        "\(file): \(results.count(where: \.passed)) of \(count) checks passed"
          + (skipped > 0 ? ", \(skipped) skipped" : ""))
      for result in results where verbose || !result.passed {
        CommandOutput.show("  \(word(result.outcome)) \(result.name): \(result.detail)")
        if !result.others.isEmpty {
          CommandOutput.show(
            "       for this reason also: \(result.others.joined(separator: "; "))")
        }
      }
    }
    if json { CommandOutput.show(JSON.object(["plugins": .array(documents)])) }
    if failed > 0 { throw ExitCode(1) }
  }

  private func word(_ outcome: CheckResult.Outcome) -> String {
    switch outcome {
    case .passed: "ok  "
    case .failed: "FAIL"
    case .skipped: "skip"
    }
  }

  private func document(_ file: String, _ results: [CheckResult]) -> JSON {
    .object([
      "path": .string(file), "passed": .bool(!results.contains(where: \.failed)),
      "checks": .array(
        results.map {
          .object([
            "name": .string($0.name), "passed": .bool($0.passed),
            "skipped": .bool($0.outcome == .skipped), "detail": .string($0.detail),
            "others": .array($0.others.map { .string($0) }),
          ])
        }),
    ])
  }
}
