import ArgumentParser
import Respool

/// The hidden mode in which one plugin describes itself: whatever the plugin does to the process, only
/// this one suffers.
struct PluginsDescribe: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: DescribingProcess.argument, abstract: "Describes one plugin.", shouldDisplay: false
  )

  @Argument var path: String

  func run() { DescribingProcess.run(path) }
}
