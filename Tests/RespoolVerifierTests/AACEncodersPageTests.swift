import Foundation
import RespoolHost
import TestFixtures
import Testing

/// The plugin of the page AACEncoders, with the header of fdk-aac if it is installed, else with its names alone.
@Suite struct AACEncodersPage {
  private let fixtures: PluginWorkshop
  private let text: String

  init() throws {
    fixtures = try PluginWorkshop()
    text = try String(
      contentsOf: PluginWorkshop.package.appending(
        path: "Sources/Respool/Respool.docc/AACEncoders.md"), encoding: .utf8)
  }

  /// Returns the only code block of a language.
  private func listing(_ language: String) throws -> String {
    let blocks = text.components(separatedBy: "```\(language)\n").dropFirst()
    try #require(blocks.count == 1)
    return try #require(blocks.first?.components(separatedBy: "```").first)
  }

  /// Compiles a shared library without a warning, and leaves no function undefined.
  private func compile(_ source: String, as file: String, linking: [String] = []) throws {
    try PluginWorkshop.run(
      "cc",
      [
        "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-Wl,-z,defs",
        "-I", PluginWorkshop.headers, "-idirafter", PluginWorkshop.sources.path,
        "-o", fixtures.path(file), source,
      ] + linking)
  }

  @Test func `the plugin of the page compiles without a warning and provides the encoder`() throws {
    try fixtures.write(try listing("c"), as: "plugin.c")
    try compile(
      PluginWorkshop.sources.appending(path: "no_fdk_aac.c").path, as: "libno-fdk-aac.so")
    let folder = fixtures.folder.path
    try compile(
      fixtures.path("plugin.c"), as: "librespool-FDKAAC.so",
      linking: ["-fvisibility=hidden", "-L\(folder)", "-Wl,-rpath,\(folder)", "-lno-fdk-aac"])
    let shown = try PluginWorkshop.run(
      (Installation.folder ?? "") + "/respool", ["plugins", "show", "fdkaac"],
      environment: ["RESPOOL_PLUGIN_PATH": folder])
    #expect(shown.contains("encoder fdkaac: ") && shown.contains("lc, he, he2"), "\(shown)")
    let preset = try listing("yaml")
    #expect(preset.contains("encoder: FDKAAC/fdkaac\n") && preset.contains("{profile: he}"))
  }
}
