import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool
@testable import RespoolWaveform

/// All steps from an asset to waveform files, as in a client program.
@Suite struct WaveformGuide {
  @Test func `a waveform is read, reduced and drawn`() throws {
    let scratch = try Scratch()
    let asset = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

    // Read and reduce: 200 bins for the first second, channels mixed.
    let waveform = try WaveformReader(
      asset: asset,
      settings: .init(
        resolution: .bins(200),
        timeRange: TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1)))
    ).read()
    #expect(waveform.binCount == 200)
    #expect(waveform.duration.seconds == 1)
    let loud = waveform.channels[0].rms.indices.filter { waveform.channels[0].rms[$0] > 0.3 }
    #expect(loud.first == 100)
    #expect(loud.count >= 7 && loud.count <= 9)

    // Draw.
    let renderer = WaveformRenderer(
      width: 200, height: 60, color: RGBAColor(red: 0, green: 90, blue: 0))
    let picture = try renderer.picture(waveform)
    #expect(picture[104, 10] > 0)
    #expect(picture[50, 10] == 0)
    try Data(renderer.png(waveform)).write(to: URL(filePath: scratch.path("beep.png")))
    try Data(renderer.svg(waveform).utf8).write(to: URL(filePath: scratch.path("beep.svg")))

    // Write as data: peaks.js reads both formats.
    try Data(waveform.dat(.bits16)).write(to: URL(filePath: scratch.path("beep.dat")))
    try Data(waveform.json(.bits16).utf8).write(to: URL(filePath: scratch.path("beep.json")))
    #expect(scratch.names == ["beep.dat", "beep.json", "beep.png", "beep.svg"])
  }
}
