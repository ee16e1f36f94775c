import Foundation
import Testing

/// The user's choices among plugins, from the command line to the encoder that a job uses.
@Suite struct PluginChoiceTests {
  let home = TemporaryFolder()

  private func run(_ words: String...) throws -> Respool.Result {
    try Respool.start(words, environment: ["XDG_CONFIG_HOME=\(home.path)"]).wait()
  }

  private func explain(_ preset: String) throws -> String {
    let result = try run("presets", "explain", preset, Respool.media + "/speech.wav")
    #expect(result.status == 0, "\(result.errors)")
    return result.output
  }

  @Test func `a disabled plugin is not used until it is enabled again`() throws {
    #expect(try run("plugins", "disable", "VPX", "Opus").status == 0)
    let list = try run("plugins", "list").output
    #expect(list.contains("\nDisabled:\n  Opus ("))
    #expect(list.contains("what to do: `respool plugins enable VPX` enables it"))
    let result = try run("presets", "validate", "opus-128k")
    #expect(result.status == 1)
    #expect((result.output + result.errors).contains("no plugin encodes opus"))
    let doctor = try run("plugins", "doctor")
    #expect(doctor.output.contains("  VPX is disabled\n"))
    #expect(try run("plugins", "enable", "VPX", "Opus").status == 0)
    #expect(try !run("plugins", "list").output.contains("Disabled"))
    #expect(try run("presets", "validate", "opus-128k").status == 0)
  }

  @Test func `a name that no plugin has is an error with the nearest name`() throws {
    let result = try run("plugins", "prefer", "AVCodek")
    #expect(result.status == 1)
    #expect(result.errors == "respool: no plugin is called AVCodek; did you mean AVCodec?\n")
    #expect(!FileManager.default.fileExists(atPath: home("respool/plugins.conf")))
  }

  @Test func `a file with other lines is not overwritten`() throws {
    try home.write("prefer AVCodec\nsomething else\n", as: "respool/plugins.conf")
    let result = try run("plugins", "disable", "VPX")
    #expect(result.status == 1)
    #expect(result.errors.contains("line 2: \"something else\" is not a choice"))
    #expect(
      try String(contentsOfFile: home("respool/plugins.conf"), encoding: .utf8)
        == "prefer AVCodec\nsomething else\n")
    let doctor = try run("plugins", "doctor")
    #expect(doctor.status == 1)
    #expect(doctor.output.contains("line 2"))
  }

  @Test func `a chosen option is explained, used, and replaced by that of a preset`() throws {
    try home.write("option Opus/opus complexity 3\n", as: "respool/plugins.conf")
    let text = try explain("opus-128k")
    let line = text.split(separator: "\n").first { $0.contains("complexity") } ?? ""
    #expect(line.split(separator: " ").prefix(2) == ["audio.options.complexity", "3"])
    #expect(line.hasSuffix("from the user's choices in plugins.conf"))
    #expect(try run("plugins", "show", "opus").output.contains("your choices: complexity 3"))
    let (plain, chosen) = (home("plain.opus"), home("chosen.opus"))
    let input = Respool.media + "/speech.wav"
    #expect(try Respool.run("convert", input, plain, "--preset", "opus-128k").status == 0)
    #expect(try run("convert", input, chosen, "--preset", "opus-128k").status == 0)
    #expect(try Data(contentsOf: URL(filePath: plain)) != Data(contentsOf: URL(filePath: chosen)))
    let mine = home("mine.yaml")
    try "extends: opus-128k\naudio: {options: {complexity: 10}}\n"
      .write(toFile: mine, atomically: true, encoding: .utf8)
    #expect(try !explain(mine).contains("plugins.conf"))
  }

  @Test func `a preset names a decoder and an encoder with their plugins`() throws {
    let mine = home("mine.yaml")
    try
      "container: mka\nvideo: none\naudio: {codec: opus, encoder: Opus/opus, decoder: AVCodec/avcodec}\n"
      .write(toFile: mine, atomically: true, encoding: .utf8)
    let text = try explain(mine)
    #expect(text.contains("named by the preset, but it does not decode") == false)
    let output = home("out.mka")
    let result = try run(
      "convert", Respool.media + "/speech.wav", output, "--preset", mine, "-v")
    #expect(result.status == 0)
    #expect(result.errors.contains("of the plugin AVCodec"), "\(result.errors)")
    try "container: mka\nvideo: none\naudio: {codec: opus, decoder: AVCodec/avcodek}\n"
      .write(toFile: mine, atomically: true, encoding: .utf8)
    let problem = try run("presets", "validate", mine)
    #expect(
      (problem.output + problem.errors).contains(
        "no plugin has the decoder AVCodec/avcodek; did you mean AVCodec/avcodec?"))
  }
}
