import ArgumentParser

struct Plugins: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lists, explains, checks and makes plugins.",
    subcommands: [PluginsList.self])
}
