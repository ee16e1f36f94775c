import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Covers, which are tracks in addition to the media.
@Suite struct CoverTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Creates a FLAC file with a PNG cover, and returns its path.
  private func song() throws -> String {
    let path = scratch.path("song.flac")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-i", Pipeline.clip("speech.wav"), "-i", Pipeline.clip("still.png"), "-map",
        "0:a", "-map", "1:v", "-c:v", "copy", "-disposition:v", "attached_pic", path,
      ])
    return path
  }

  @Test func `a cover is kept in its format`() throws {
    let path = scratch.path("song.mkv")
    let report = try Pipeline.export(try song(), "remux-mkv", to: path)
    #expect(report.losses == [])
    let streams = try Writing.probe(path, ["-show_entries", "stream=codec_name"])
    #expect(streams.contains("flac") && streams.contains("png"))
  }

  @Test(arguments: ["remux-mkv", "remux-mp4"])
  func `a cover without media is not a file`(preset: String) throws {
    let whole = try Data(contentsOf: URL(filePath: try song()))
    // A frame begins with a sync code of 15 bits (FLAC, RFC 9639 9.1). The bytes before it are metadata blocks.
    let frame = try #require(whole.range(of: Data([0xFF, 0xF8])))
    let path = scratch.path("empty.flac")
    try whole[..<frame.lowerBound].write(to: URL(filePath: path))
    let error = #expect(throws: MediaError.self) {
      try Pipeline.export(path, preset, to: scratch.path("out"))
    }
    #expect(error?.message.contains("found no packet of flac") == true, "\(error as Any)")
    #expect(error?.file == path)
    #expect(scratch.names == ["empty.flac", "song.flac"])
  }

  @Test func `a cover is no track by media type or characteristic`() throws {
    let asset = Asset(path: try song(), registry: Pipeline.registry)
    #expect(try asset.tracks().map(\.mediaType) == [.audio, .video])
    #expect(try asset.tracks(withMediaType: .video).isEmpty)
    for characteristic in [MediaCharacteristic.visual, .frameBased] {
      #expect(try asset.tracks(withMediaCharacteristic: characteristic).isEmpty)
    }
    #expect(try asset.tracks(withMediaCharacteristic: .audible).count == 1)
  }

  @Test func `audio of 64-bit integers keeps its upper 32 bits`() throws {
    let path = scratch.path("deep.wav")
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-c:a", "pcm_s64le", path])
    let (deep, plain) = (try Pipeline.sound(path), try Pipeline.sound(Pipeline.clip("speech.wav")))
    #expect(deep.channels == plain.channels)
  }
}
