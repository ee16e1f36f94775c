import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolHost

/// The user's choices among plugins: disabled, preferred, and defaults of options.
@Suite struct PluginChoicesTests {
  let workshop: PluginWorkshop

  init() throws { workshop = try PluginWorkshop() }

  private func registry(_ text: String) throws -> PluginRegistry {
    try workshop.write(text, as: "plugins.conf")
    return PluginRegistry(
      searchPath: PluginSearchPath(folders: [.init(workshop.folder.path)]),
      cacheFolder: workshop.cache.path,
      choices: PluginChoices(path: workshop.path("plugins.conf")))
  }

  @Test func `a disabled plugin is listed and not used`() throws {
    try workshop.build("toy.c", as: "toy.so")
    let registry = try registry("# a comment\n\ndisable toy\n")
    let record = try #require(registry.plugins.first)
    #expect(record.status == .disabled)
    #expect(record.reason?.hasSuffix("plugins.conf") == true)
    #expect(record.advice == "`respool plugins enable toy` enables it")
    #expect(FactoryDescription.Kind.allCases.allSatisfy { registry.factories($0).isEmpty })
    #expect(registry.pluginsOutOfOrder.isEmpty)
    #expect(registry.problemsOfChoices.isEmpty)
  }

  @Test func `a preferred plugin comes before all others, and a name with its plugin is exact`()
    throws
  {
    try workshop.build("toy.c", defining: ["TOY_NAME=\"aaa\""], as: "a.so")
    try workshop.build("toy.c", defining: ["TOY_NAME=\"bbb\""], as: "b.so")
    let plain = try registry("")
    #expect(plain.factories(.encoder).map(\.plugin.name) == ["aaa", "bbb"])
    let chosen = try registry("prefer bbb")
    #expect(chosen.factories(.encoder).map(\.plugin.name) == ["bbb", "aaa"])
    let name = try #require(chosen.factories(.encoder).first).description.name
    #expect(chosen.encoder(named: name)?.plugin.name == "bbb")
    #expect(chosen.encoder(named: "aaa/\(name)")?.plugin.name == "aaa")
    #expect(chosen.encoder(named: "ccc/\(name)") == nil)
    var track = TrackDescription(kind: .audio, codec: "toy_pcm", timeBase: Rational(1, 8000))
    #expect(plain.decoders(for: track).map(\.plugin.name) == ["aaa", "bbb"])
    let decoder = try #require(plain.factories(.decoder).first).description.name
    let named = plain.preferring(decoders: [.audio: "bbb/\(decoder)"])
    #expect(named.decoders(for: track).map(\.plugin.name) == ["bbb", "aaa"])
    track.kind = .video
    #expect(named.decoders(for: track).map(\.plugin.name) == ["aaa", "bbb"])
  }

  @Test func `chosen options are given to the plugin unless a preset sets them`() throws {
    try workshop.build("../ABI/museum.c", as: "museum.so")
    let registry = try registry("option museum/museum level 7\noption museum/museum note two words")
    let muxer = try #require(registry.factories(.muxer).first)
    #expect(
      muxer.description.chosenOptions
        == [PluginOption("level", "7"), PluginOption("note", "two words")])
    #expect(
      try muxer.completed([PluginOption("level", "3")])
        == [PluginOption("note", "two words"), PluginOption("level", "3")])
  }

  @Test func `choices that have no effect are reported with their place`() throws {
    try workshop.build("../ABI/museum.c", as: "museum.so")
    let problems = try registry(
      """
      disable nosuch
      forbid museum
      option museum level 7
      option museum/museum nosuch 7
      option museum/museum level many
      option museum/other level 7
      """
    ).problemsOfChoices
    #expect(problems.count == 6, "\(problems)")
    #expect(problems[0].contains("line 2: \"forbid museum\" is not a choice"))
    #expect(problems[1].contains("line 3: \"option museum level 7\" is not a choice"))
    #expect(problems[2].hasSuffix("names the plugin nosuch, which is not installed"))
    #expect(problems[3].contains("museum has no such option"))
    #expect(problems[4].contains("level is \"many\"; it takes a whole number"))
    #expect(problems[5].hasSuffix("sets level of museum/other, which is not installed"))
  }

  @Test func `choices round-trip through a file in a new folder`() throws {
    var choices = PluginChoices()
    choices.disabled = ["a", "b"]
    choices.preferred = ["c"]
    choices.options = [.init(plugin: "p", factory: "f", PluginOption("o", "two words"))]
    let path = workshop.path("new/folder/plugins.conf")
    try choices.write(to: path)
    choices.path = path
    #expect(PluginChoices(path: path) == choices)
    #expect(PluginChoices(path: workshop.path("missing")).problems.isEmpty)
  }
}
