import ArgumentParser

struct Plugins: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugins",
    abstract: "Lists, explains, checks, chooses and makes plugins.",
    discussion: """
      Examples:
        respool plugins list
        respool plugins show x264
        respool doctor
      """,
    subcommands: [
      PluginsList.self, PluginsShow.self, PluginsDoctor.self, PluginsNew.self, PluginsVerify.self,
      PluginsFuzz.self, PluginsDisable.self, PluginsEnable.self, PluginsPrefer.self,
    ])
}
