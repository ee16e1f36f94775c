import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Audio above full scale, which integer formats cannot store.
@Suite struct Clipping {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Creates a WAV file of floating-point samples with this peak.
  private func make(peak: Double) throws -> String {
    let path = scratch.path("tone.wav")
    // The filter sine has a peak of 1/8.
    try PluginWorkshop.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "sine=f=1000:r=48000:d=0.5", "-af",
        "aformat=flt,volume=\(peak * 8)", "-c:a", "pcm_f32le", path,
      ])
    return path
  }

  private func clipped(_ source: String, _ preset: String, _ output: String) throws -> [String] {
    try Pipeline.export(source, preset, to: scratch.path(output)).losses.filter {
      $0.contains("clipped")
    }
  }

  @Test func `samples that become integers are named with their peak`() throws {
    let losses = try clipped(make(peak: 2), "remux-mp4", "out.mp4")
    #expect(losses.count == 1)
    #expect(
      losses.first?.hasPrefix("track 1: ") == true
        && losses.first?.hasSuffix(
          " audio samples above full scale are clipped; the peak is 6.02 dB")
          == true,
      "\(losses)")
    // A sine of twice full scale is above it for two thirds of its time.
    let count = losses.first.flatMap { Int($0.split(separator: " ")[2]) } ?? 0
    #expect((15_000...17_000).contains(count), "\(count)")
  }

  @Test func `nothing is named without samples above full scale or without integers`() throws {
    #expect(try clipped(make(peak: 0.9), "remux-mp4", "out.mp4") == [])
    #expect(try clipped(make(peak: 2), "wav", "out.wav") == [])
  }
}
