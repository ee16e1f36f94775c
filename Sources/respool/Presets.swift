import ArgumentParser

/// Commands that list, show, check, resolve, make and import presets.
struct Presets: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "presets",
    abstract: "Lists, shows, checks, makes and imports presets.",
    discussion: """
      Presets are YAML files. Your own are in $XDG_CONFIG_HOME/respool/presets (by default \
      ~/.config/respool/presets) and replace installed ones of the same name. A path can be given \
      instead of a name.

      Example: respool presets explain web-720p holiday.mov
      """,
    subcommands: [
      PresetsList.self, PresetsShow.self, PresetsValidate.self, PresetsExplain.self,
      PresetsNew.self, PresetsImport.self,
    ])
}
