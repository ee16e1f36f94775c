import ArgumentParser

struct Command: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "respool",
    abstract: "Converts folders of audio and video.",
    discussion: """
      Example:
        respool batch ~/Videos --to ~/Converted --preset web-720p
      """,
    version: "1.0.0",
    subcommands: [
      BatchCommand.self,
      WatchCommand.self,
      StatusCommand.self,
      ReportCommand.self,
      ServeCommand.self,
      PlanCommand.self,
      WorkCommand.self,
      CollectCommand.self,
      SubmitCommand.self,
      RestoreCommand.self,
      PauseCommand.self,
      ResumeCommand.self,
      ConvertCommand.self,
      ConcatCommand.self,
      ThumbnailsCommand.self,
      SubtitlesCommand.self,
      InspectCommand.self,
      CheckCommand.self,
      WaveformCommand.self,
      HashCommand.self,
      Presets.self,
      Plugins.self,
      PluginsDoctor.self,
    ])
}
