import ArgumentParser

@main
struct Command: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "respool", abstract: "Converts folders of audio and video.",
    subcommands: [Presets.self])
}
