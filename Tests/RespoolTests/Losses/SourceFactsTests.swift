import Foundation
import RespoolMedia
import RespoolPresets
import TestFixtures
import Testing

@testable import Respool

/// Facts of sources other than MP4 and Matroska: conversions keep them or name them.
@Suite struct SourceFactsTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func ffmpeg(_ arguments: String...) throws {
    try PluginWorkshop.run("ffmpeg", ["-v", "error"] + arguments)
  }

  private func losses(_ source: String, _ preset: String, _ name: String) throws -> [String] {
    try Pipeline.export(source, preset, to: scratch.path(name)).losses
  }

  @Test func `a Windows Media file without a date gets none`() throws {
    let source = scratch.path("a.wma")
    try ffmpeg("-i", Pipeline.clip("speech.wav"), "-c:a", "wmav2", source)
    #expect(try losses(source, "wav", "out.wav") == [])
  }

  @Test func `the region of a language is kept or named`() throws {
    var sound = TrackDescription(kind: .audio, codec: "aac", timeBase: Rational(1, 48_000))
    (sound.sampleRate, sound.channelLayout, sound.language) = (48_000, .stereo, "pt-BR")
    let source = MediaDescription(format: "asf", tracks: [sound])
    let preset = try Pipeline.preset("remux-mp4")
    let settings = try PresetResolver.resolve(
      preset: preset, source: source, available: Pipeline.registry.availablePlugins)
    let check = OutputCheck(
      source: source, preset: preset, settings: settings, tags: FileTags(of: source),
      trackTags: nil)
    var output = source
    for language in ["pt-BR", "por-br", "pt_BR"] {
      output.tracks[0].language = language
      #expect(check.losses(in: output) == [])
    }
    output.tracks[0].language = "por"
    #expect(
      check.losses(in: output) == ["changed: the language of track 1 from pt-BR to por"])
  }
}
