import Foundation
import Testing

/// Snapshots of the help text, which show each change of the text that users rely on.
@Suite struct HelpTests {
  @Test func `the command prints its version`() throws {
    let result = try Respool.run("--version")
    #expect(result.status == 0 && result.errors == "")
    #expect(result.output == "1.0.0\n")
  }

  static let commands = [
    "", "batch", "watch", "status", "report", "serve", "plan", "work", "collect", "submit",
    "restore",
    "pause",
    "resume",
    "convert", "concat", "thumbnails",
    "subtitles",
    "inspect", "check",
    "waveform", "hash",
    "presets",
    "presets list",
    "presets show",
    "presets validate", "presets explain", "presets new", "presets import", "plugins",
    "plugins list",
    "plugins show",
    "plugins doctor", "plugins new", "plugins verify", "plugins fuzz", "plugins disable",
    "plugins enable", "plugins prefer", "doctor",
  ]

  @Test(arguments: commands)
  func `help has an example and equals its snapshot`(_ command: String) throws {
    let words = command.split(separator: " ").map(String.init) + ["--help"]
    let result = try Respool.start(words).wait()
    #expect(result.status == 0)
    #expect(result.errors == "")
    #expect(result.output.contains("Example"))
    let name = command.isEmpty ? "respool" : command.replacing(" ", with: "-")
    try Snapshot("help-\(name)").expect(result.output)
  }

  @Test func `every command has its snapshot`() throws {
    let result = try Respool.run("--experimental-dump-help")
    let root = try #require(try result.object()["command"] as? [String: Any])
    #expect(Set(Self.names(of: root, prefix: "")) == Set(Self.commands))
  }

  @Test func `the quick help is that of the parser`() throws {
    let parsed = try Respool.run("help").output
    if Snapshot.isRecording { try recordQuickHelp(parsed) }
    #expect(try Respool.run("--help").output == parsed)
    #expect(try Respool.run("-h").output == parsed)
    // One width at which no line is wrapped, and one at which lines must be wrapped.
    #expect(try Respool.run("--help", environment: ["COLUMNS=200"]).output == parsed)
    #expect(
      try Respool.run("--help", environment: ["COLUMNS=40"]).output
        == Respool.run("help", environment: ["COLUMNS=40"]).output)
  }

  private func recordQuickHelp(_ text: String) throws {
    let path = Respool.package + "/Sources/respool/QuickHelp.swift"
    let source = try String(contentsOfFile: path, encoding: .utf8)
    let quotes = "\"\"\""
    let start = try #require(source.range(of: quotes + "\n")).upperBound
    let end = try #require(source.range(of: "    " + quotes, range: start..<source.endIndex))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    let body = lines.map { $0.isEmpty ? "\n" : "    \($0)\n" }.joined()
    try (source[..<start] + body + source[end.lowerBound...])
      .write(toFile: path, atomically: true, encoding: .utf8)
  }

  @Test func `wrong usage ends with status 2 and names the help`() throws {
    for arguments in [
      ["batch"], ["--nonsense"], ["convert", "only-one"], ["presets", "nonsense"],
    ] {
      let result = try Respool.start(arguments).wait()
      #expect(result.status == 2, "\(arguments)")
      #expect(result.output == "")
      #expect(result.errors.contains("--help"))
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completion scripts have the commands`(_ shell: String) throws {
    let result = try Respool.run("--generate-completion-script", shell)
    #expect(result.status == 0)
    #expect(result.output.contains("batch"))
    #expect(result.output.contains("on-collision"))
  }

  private static func names(of command: [String: Any], prefix: String) -> [String] {
    let subcommands = command["subcommands"] as? [[String: Any]] ?? []
    return [prefix]
      + subcommands.flatMap { sub -> [String] in
        guard let name = sub["commandName"] as? String, name != "help",
          sub["shouldDisplay"] as? Bool != false
        else { return [] }
        return names(of: sub, prefix: prefix.isEmpty ? name : "\(prefix) \(name)")
      }
  }
}
