import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Vorbis in Ogg and Matroska, and FLAC in Ogg, checked with the reference programs and with FFmpeg.
@Suite struct VorbisFileTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func media(_ path: String) throws -> MediaDescription {
    try Pipeline.registry.openDemuxer(FileSource(path: path)).media
  }

  private func make(_ name: String, _ arguments: String...) throws -> String {
    let path = scratch.path(name)
    try PluginWorkshop.run("ffmpeg", ["-v", "error", "-y"] + arguments + [path])
    return path
  }

  private func verify(_ path: String) throws {
    let text = try PluginWorkshop.run("ogginfo", [path])
    #expect(!text.lowercased().contains("warning") && !text.contains("EOS not set"), "\(text)")
  }

  /// Returns the number of bytes of audio that `oggdec` decodes.
  private func decodedBytes(_ path: String) throws -> Int {
    let output = scratch.path("decoded.raw")
    try PluginWorkshop.run("oggdec", ["-Q", "-R", "-o", output, path])
    return try Data(contentsOf: URL(fileURLWithPath: output)).count
  }

  /// Returns the MD5 of each packet of audio, without the headers.
  private func packets(_ path: String) throws -> [Substring] {
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", path, "-map", "0:a", "-c", "copy", "-f", "framemd5", "-"]
    ).split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
      $0.split(separator: ",").last
    }
  }

  @Test(arguments: [1, 4096, 44_100, 100_003])
  func `files have exactly the samples of their source`(count: Int) throws {
    let source = try make(
      "a.wav", "-f", "lavfi", "-i", "anoisesrc=r=44100:a=0.2:seed=3", "-ac", "2", "-af",
      "atrim=end_sample=\(count)", "-c:a", "pcm_s16le")
    let output = scratch.path("a.ogg")
    let losses = try Pipeline.export(source, "vorbis-160k", to: output).losses
    // One audio sample is nearly silent.
    #expect(losses == [] || count == 1, "\(losses)")
    try verify(output)
    #expect(try decodedBytes(output) == count * 4)
  }

  /// FFmpeg computes late times for short packets after long ones, as in speech and after sudden sounds.
  @Test(arguments: ["speech.wav", "clap-and-flash.mp4"])
  func `late times of short packets are no difference`(clip: String) throws {
    let output = scratch.path("a.ogg")
    try Pipeline.export(Pipeline.clip(clip), "vorbis-160k", to: output)
    try verify(output)
  }

  @Test func `packets equal those of oggenc`() throws {
    let source = try make(
      "a.wav", "-f", "lavfi", "-i", "anoisesrc=r=44100:d=5:a=0.2:color=pink:seed=3", "-ac", "2",
      "-c:a", "pcm_s16le")
    let (output, other) = (scratch.path("a.ogg"), scratch.path("b.ogg"))
    try Pipeline.export(source, "vorbis-160k", to: output)
    try PluginWorkshop.run("oggenc", ["-Q", "-q", "5", "-o", other, source])
    #expect(try packets(output) == packets(other))
  }

  @Test func `copies between Ogg and Matroska keep packets and length`() throws {
    let source = try make(
      "a.wav", "-f", "lavfi", "-i", "anoisesrc=r=48000:a=0.2:seed=3", "-ac", "2", "-af",
      "atrim=end_sample=100003", "-c:a", "pcm_s16le")
    let (first, matroska, last) = (
      scratch.path("a.ogg"), scratch.path("a.mka"), scratch.path("b.ogg")
    )
    try Pipeline.export(source, "vorbis-160k", to: first)
    try Pipeline.export(first, "remux-mkv", to: matroska)
    try Pipeline.export(matroska, "vorbis-160k", to: last)
    try verify(last)
    #expect(try packets(last) == packets(first))
    #expect(try decodedBytes(last) == 100_003 * 4)
  }

  @Test func `FLAC in Ogg keeps the MD5`() throws {
    let preset = scratch.path("flac-ogg.yaml")
    try "name: flac-ogg\ncontainer: ogg\nvideo: none\naudio:\n  codec: flac\n".write(
      toFile: preset, atomically: true, encoding: .utf8)
    let library = PresetLibrary(folders: [.init(path: scratch.path(""), origin: .installed)])
    let output = scratch.path("a.oga")
    let session = try ExportSession(
      input: Pipeline.clip("speech-flac.flac"), preset: library.preset("flac-ogg"),
      registry: Pipeline.registry, threads: 1)
    _ = try session.exportAndWait(to: output)
    let text = try PluginWorkshop.run("flac", ["-t", "-s", "-w", "--ogg", output])
    #expect(text == "")
  }
}
