import Foundation
import ReadingFixtures
import RespoolMedia
import RespoolProcessing
import TestFixtures
import Testing

@testable import Respool

/// Loudness of parts of files and of compositions.
@Suite struct LoudnessExportTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func preset(_ loudness: Preset.Loudness) -> Preset {
    var audio = Preset.Audio()
    audio.codec = "pcm"
    audio.loudness = loudness
    var preset = Preset(name: "level", container: "wav")
    preset.audio = audio
    return preset
  }

  /// Loudness in LUFS of a mono file.
  private func loudness(_ path: String) throws -> Double {
    let channels = try Pipeline.sound(path).channels
    let first = try #require(channels.first)
    var meter = LoudnessMeter(rate: 48000, layout: .mono)
    let frame = try #require(
      Frame(
        sampleFormat: .fltp, channelLayout: .mono, sampleRate: 48000, sampleCount: first.count,
        pts: nil))
    let samples = frame.planes[0].base.assumingMemoryBound(to: Float.self)
    for (index, value) in first.enumerated() { samples[index] = Float(value) }
    meter.add(frame)
    return try #require(meter.integrated)
  }

  /// A quiet second before a loud one.
  private func writeTones() throws -> String {
    let source = scratch.path("tones.wav")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "sine=900:d=2:r=48000", "-af"]
        + ["volume='if(lt(t,1),0.05,1)':eval=frame", "-c:a", "pcm_s24le", source])
    return source
  }

  @Test func `a part of a file gets the loudness, not the file that it is from`() throws {
    let source = try writeTones()
    let session = try ExportSession(
      input: source, preset: preset(.target(-20)), registry: Pipeline.registry)
    session.timeRange = TimeRange(start: .zero, end: MediaTime(value: 9, timescale: 10))
    let report = try session.exportAndWait(to: scratch.path("out.wav"))
    #expect(abs(try loudness(scratch.path("out.wav")) + 20) <= 0.2, "\(report.notes)")
  }

  @Test func `a mix gets the loudness`() throws {
    let source = try writeTones()
    let asset = Asset(path: source, registry: Pipeline.registry)
    let tone = try #require(try asset.tracks(withMediaType: .audio).first)
    let film = MutableComposition()
    for start in [0, 1] {
      let track = try #require(film.addMutableTrack(withMediaType: .audio))
      try track.insertTimeRange(
        tone.timeRange, of: tone, at: MediaTime(value: Int64(start), timescale: 1))
    }
    let session = try ExportSession(
      asset: film, preset: preset(.target(-25)), registry: Pipeline.registry, threads: 2)
    let report = try session.exportAndWait(to: scratch.path("out.wav"))
    #expect(abs(try loudness(scratch.path("out.wav")) + 25) <= 0.2, "\(report.notes)")
    #expect(report.notes.contains { $0.contains("and is -25") })
  }
}
