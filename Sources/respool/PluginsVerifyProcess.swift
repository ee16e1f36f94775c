import ArgumentParser
import RespoolVerifier

/// The hidden mode in which one factory of a plugin is checked.
struct PluginsVerifyProcess: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: VerifyingProcess.argument, abstract: "Checks one factory of a plugin.",
    shouldDisplay: false)

  @Argument var path: String
  @Argument var factory: Int
  @Argument var samples: [String] = []

  func run() { VerifyingProcess.run(path, factory: factory, samples: samples) }
}
