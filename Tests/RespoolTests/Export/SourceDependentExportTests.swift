import Foundation
import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Exports by presets whose settings depend on the source: `when`, and rules that select tracks.
@Suite struct SourceDependentExportTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A film with German AAC, English AC-3 of 5.1 channels and an English commentary.
  private func film() throws -> String {
    let path = scratch.path("film.mkv")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=1",
        "-f", "lavfi", "-i", "sine=440:duration=1", "-map", "0", "-map", "1", "-map", "1", "-map",
        "1", "-c:v", "libx264", "-preset", "ultrafast", "-c:a:0", "aac", "-c:a:1", "ac3",
        "-ac:a:1", "6", "-c:a:2", "aac", "-metadata:s:a:0", "language=ger", "-metadata:s:a:1",
        "language=eng", "-metadata:s:a:2", "language=eng", "-disposition:a:2", "comment", path,
      ])
    return path
  }

  private func preset(_ text: String) throws -> Preset {
    let path = scratch.path("p.yaml")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return try PresetLibrary(folders: []).preset(
      path, available: Pipeline.registry.availablePlugins(askingEncoders: true))
  }

  private func tracks(_ path: String) throws -> [String] {
    try Asset(path: path, registry: Pipeline.registry).tracks().map {
      "\($0.description.codec) \($0.description.language ?? "-")"
    }
  }

  private func packets(_ path: String, _ track: String) throws -> String {
    try PluginWorkshop.run(
      "ffmpeg", ["-v", "error", "-i", path, "-map", "0:\(track)", "-c", "copy", "-f", "md5", "-"])
  }

  @Test func `tracks are selected, and each has its own settings`() throws {
    let (film, output) = (try film(), scratch.path("out.mkv"))
    let preset = try preset(
      """
      container: mkv
      video:
        codec: vp9
        when:
          - if: codec == h264 and height < 720
            passthrough: only
      audio:
        codec: opus
        bitrate: 96k
        passthrough: never
        tracks:
          - language == en and not commentary
          - language == de
        when:
          - if: codec == ac3
            passthrough: only
      """)
    let session = try ExportSession(input: film, preset: preset, registry: Pipeline.registry)
    let report = try session.exportAndWait(to: output)
    #expect(report.losses.count == 1)
    #expect(report.losses.first?.contains("no rule of the preset selects") == true)
    #expect(try tracks(output) == ["h264 -", "opus ger", "ac3 eng"])
    #expect(try packets(output, "v:0") == packets(film, "v:0"))
    #expect(try packets(output, "a:1") == packets(film, "a:1"))
  }

  @Test func `outputs are no larger than the preset allows`() throws {
    let noise = scratch.path("noise.mp4")
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=8", "-f",
        "lavfi", "-i", "anoisesrc=d=8:a=0.3", "-vf", "noise=alls=40:allf=t", "-c:v", "libx264",
        "-preset", "ultrafast", "-c:a", "aac", noise,
      ])
    let text = """
      container: mp4
      fileSizeLimit: 300k
      video: {codec: h264, quality: 18, options: {preset: ultrafast}}
      audio: {codec: aac, bitrate: 96k, passthrough: never}
      """
    let (large, small) = (scratch.path("large.mp4"), scratch.path("small.mp4"))
    let session = try ExportSession(
      input: noise, preset: try preset(text), registry: Pipeline.registry)
    let report = try session.exportAndWait(to: small)
    let size = try #require(Asset(path: small, registry: Pipeline.registry).fileSize)
    #expect(size <= 300_000 && size > 270_000)
    #expect(report.notes.contains { $0.hasPrefix("bit rates are lower than the preset states") })
    // A file that is small enough is made once.
    let other = try preset(text.replacing("300k", with: "30M"))
    let whole = try ExportSession(input: noise, preset: other, registry: Pipeline.registry)
    let wholeReport = try whole.exportAndWait(to: large)
    #expect(!wholeReport.notes.contains { $0.hasPrefix("bit rates are lower") })
    #expect(try #require(Asset(path: large, registry: Pipeline.registry).fileSize) > 1_000_000)
    let tiny = try preset(text.replacing("300k", with: "20k"))
    let error = #expect(throws: MediaError.self) {
      try ExportSession(input: noise, preset: tiny, registry: Pipeline.registry)
        .exportAndWait(to: scratch.path("tiny.mp4"))
    }
    #expect(error?.message.contains("20000 bytes are too few") == true)
    #expect(Asset(path: scratch.path("tiny.mp4"), registry: Pipeline.registry).fileSize == nil)
  }

  @Test func `the size of the file selects settings, also for edits and tags about loudness`()
    throws
  {
    let film = try film()
    let text = """
      container: mka
      video: none
      audio: {codec: flac, passthrough: never}
      when:
        - {if: size > 1k and audio.channels < 6, audio: {channels: 1, loudness: tags}}
      """
    let preset = try preset(text)
    let session = try ExportSession(input: film, preset: preset, registry: Pipeline.registry)
    _ = try session.exportAndWait(to: scratch.path("a.mka"))
    let whole = try Asset(path: scratch.path("a.mka"), registry: Pipeline.registry)
      .mediaDescription()
    #expect(whole.tracks.map(\.channelLayout.channelCount) == [1])
    #expect(
      (whole.metadata + whole.tracks.flatMap(\.metadata)).contains {
        $0.name.uppercased() == "REPLAYGAIN_TRACK_GAIN"
      })
    var edits = EditOptions()
    (edits.start, edits.end) = (
      MediaTime(value: 1, timescale: 5), MediaTime(value: 1, timescale: 2)
    )
    edits.volume = 0.5
    let asset = Asset(path: film, registry: Pipeline.registry)
    let part = try edits.makeSession(for: asset, preset: preset, registry: Pipeline.registry)
    _ = try part.exportAndWait(to: scratch.path("b.mka"))
    let cut = try Asset(path: scratch.path("b.mka"), registry: Pipeline.registry).mediaDescription()
    #expect(cut.tracks.map(\.channelLayout.channelCount) == [1])
  }
}
