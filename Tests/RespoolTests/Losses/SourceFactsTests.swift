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
}
