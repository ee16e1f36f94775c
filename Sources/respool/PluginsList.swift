import ArgumentParser
import Respool

struct PluginsList: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists the plugins that were found.")
  func run() {
    for plugin in PluginRegistry().plugins { print(plugin) }
  }
}
