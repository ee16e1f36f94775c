import ArgumentParser
import Respool

struct PluginsDisable: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "Leaves plugins unused until they are enabled again.",
    discussion: """
      The choice is stored in $XDG_CONFIG_HOME/respool/plugins.conf (by default ~/.config/respool/plugins.conf).

      Example: respool plugins disable VPX
      """)

  @Argument(help: "Names of plugins.", completion: Completions.plugins) var names: [String]

  func run() throws {
    try ChoiceOfPlugins.change(names) { choices, name in choices.disabled.insert(name).inserted }
    CommandOutput.show("Disabled: \(names.joined(separator: ", ")).")
  }
}

struct PluginsEnable: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable", abstract: "Uses disabled plugins again.",
    discussion: "Example: respool plugins enable VPX")

  @Argument(help: "Names of plugins.", completion: Completions.plugins) var names: [String]

  func run() throws {
    try ChoiceOfPlugins.change(names) { choices, name in choices.disabled.remove(name) != nil }
    CommandOutput.show("Enabled: \(names.joined(separator: ", ")).")
  }
}

struct PluginsPrefer: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prefer", abstract: "Uses what plugins provide before that of all others.",
    discussion: """
      Presets that name an encoder or a decoder take precedence. The choice is stored in \
      $XDG_CONFIG_HOME/respool/plugins.conf (by default ~/.config/respool/plugins.conf).

      Examples:
        respool plugins prefer AVCodec
        respool plugins prefer AVCodec --undo
      """)

  @Argument(help: "Names of plugins.", completion: Completions.plugins) var names: [String]
  @Flag(help: "Remove the preference.") var undo = false

  func run() throws {
    try ChoiceOfPlugins.change(names) { [undo] choices, name in
      undo ? choices.preferred.remove(name) != nil : choices.preferred.insert(name).inserted
    }
    CommandOutput.show(
      "\(undo ? "No longer preferred" : "Preferred"): \(names.joined(separator: ", ")).")
  }
}

/// Changes of the user's choices among plugins.
enum ChoiceOfPlugins {
  /// Changes the choices for each name, and stores them if that made a difference.
  ///
  /// `change` returns `true` if it did. Ends with an error if no plugin has one of the names.
  static func change(_ names: [String], _ change: (inout PluginChoices, String) -> Bool) throws {
    guard let path = PluginChoices.standardPath else {
      throw failure("neither XDG_CONFIG_HOME nor HOME is set, so choices have no place")
    }
    let registry = PluginRegistry()
    let known = Set(registry.plugins.map(\.name))
      .union(registry.choices.disabled).union(registry.choices.preferred)
    for name in names where !known.contains(name) {
      let nearest = Spelling.nearest(to: name, among: known.sorted()).map {
        "; did you mean \($0)?"
      }
      throw failure("no plugin is called \(name)" + (nearest ?? ""))
    }
    var choices = PluginChoices(path: path)
    guard choices.problems.isEmpty else {
      // Writing would lose the lines that were not understood.
      throw failure(choices.problems.joined(separator: "\n"))
    }
    var isChanged = false
    for name in names where change(&choices, name) { isChanged = true }
    if isChanged { try choices.write(to: path) }
  }

  private static func failure(_ text: String) -> ExitCode {
    CommandError.note("respool: " + text)
    return ExitCode(1)
  }
}
