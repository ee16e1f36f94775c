import Foundation
import Testing

/// Commands fail if their result cannot be written.
@Suite struct StandardOutputTests {
  static let commands = [
    "--help", "--version", "help convert", "presets list", "presets list --json",
    "presets show web-720p", "plugins list", "plugins show x264", "plugins doctor",
    "inspect CLIP", "inspect --json CLIP", "hash CLIP", "presets explain wav CLIP",
    "presets validate wav", "waveform CLIP -o - --format json", "--generate-completion-script bash",
    "batch CLIP --to /nonexistent --preset wav --dry-run --json",
  ]

  private func shell(_ script: String) throws -> Respool.Result {
    try Running(
      ["/bin/bash", "-c", script], environment: Respool.environment, folder: nil
    ).wait()
  }

  private func line(_ command: String) -> String {
    let clip = "'\(Respool.media)/speech.wav'"
    return "'\(Respool.executable)' \(command.replacing("CLIP", with: clip))"
  }

  @Test(arguments: commands)
  func `a full disk is an error with a message`(_ command: String) throws {
    let result = try shell("exec \(line(command)) > /dev/full")
    #expect(result.status == 1)
    #expect(
      result.errors.hasSuffix(
        "respool: standard output cannot be written: no space left on the device\n"),
      "\(result.errors)")
  }

  @Test(arguments: commands, ["", "trap '' PIPE;"])
  func `a closed pipe is quiet`(_ command: String, _ signals: String) throws {
    let result = try shell("\(signals) (sleep 0.2; exec \(line(command))) | exec true")
    #expect(!result.errors.contains("standard output"), "\(result.errors)")
  }
}
