import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool
@testable import RespoolWaveform

@Suite struct DamagedWaveformTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func failure(_ path: String, _ settings: WaveformReader.Settings = .init()) -> MediaError?
  {
    do {
      _ = try WaveformFixture.waveform(path, settings)
      return nil
    } catch { return error as? MediaError }
  }

  @Test func `audio without samples is a line`() throws {
    let sound = try WaveformFixture([[], []], in: scratch)
    let waveform = try sound.waveform(.init(resolution: .bins(5), mixesChannels: false))
    #expect(waveform.sampleCount == 0)
    #expect(waveform.channels.count == 2)
    #expect(waveform.channels.allSatisfy { $0.maxima == [0, 0, 0, 0, 0] && $0.rms == $0.minima })
    #expect(waveform.samples(inBin: 0).isEmpty)
    #expect(try WaveformRenderer().png(waveform).count > 50)
    #expect(try sound.waveform(.init(resolution: .samplesPerBin(9))).binCount == 0)
    #expect(try sound.waveform(.init(resolution: .samplesPerBin(9))).dat().count == 20)
    #expect(try sound.waveform(.init(resolution: .wholeBins(9))).binCount == 0)
  }

  @Test func `files without audio are reported`() throws {
    for name in ["deep.mkv", "variable.mp4", "still.png"] {
      let error = try #require(failure(Pipeline.clip(name)), "\(name)")
      #expect(error.code == .unsupported)
      #expect(error.description.contains("no audio"), "\(error)")
      #expect(error.file?.hasSuffix(name) == true)
    }
    #expect(failure(Pipeline.clip("notes.txt"))?.code == .unsupported)
    #expect(failure(scratch.path("missing.wav"))?.code == .io)
  }

  @Test func `a truncated file is drawn up to its end`() throws {
    let count = 50000
    let sound = try WaveformFixture(WaveformFixture.sounds(2, count), in: scratch)
    let bytes = try Data(contentsOf: URL(filePath: sound.path))
    // Cuts within an audio sample.
    let cut = scratch.path("cut.wav")
    try bytes.prefix(44 + 30001 * 4 + 3).write(to: URL(filePath: cut))
    let waveform = try WaveformFixture.waveform(
      cut, .init(resolution: .bins(100), mixesChannels: false))
    #expect(waveform.sampleCount == 30001)
    expectEqual(
      waveform.channels,
      WaveformFixture.expected(
        sound.channels.map { Array($0.prefix(30001)) }, WaveformFixture.even(100, of: 30001)))
  }

  @Test(arguments: ["speech-flac.flac", "speech-mp3.mp3", "speech-opus.opus", "pattern-vp9.webm"])
  func `nothing traps for any end of a file`(_ name: String) throws {
    let bytes = try Data(contentsOf: URL(filePath: Pipeline.clip(name)))
    for tenth in 0..<10 {
      let path = scratch.path("\(tenth)-\(name)")
      try bytes.prefix(bytes.count * tenth / 10).write(to: URL(filePath: path))
      if let waveform = try? WaveformFixture.waveform(path, .init(resolution: .bins(64))) {
        #expect(waveform.binCount == 64)
        #expect(waveform.channels[0].rms.allSatisfy { $0.isFinite })
      }
    }
  }

  @Test func `settings out of range are rejected`() throws {
    let sound = try WaveformFixture([[0, 1]], in: scratch)
    for resolution in [
      WaveformReader.Resolution.bins(0), .bins(1 << 21), .wholeBins(0), .wholeBins(1 << 21),
      .samplesPerBin(0), .samplesPerBin(-1),
    ] {
      #expect(failure(sound.path, .init(resolution: resolution))?.code == .invalidArgument)
    }
    #expect(failure(sound.path, .init(timeRange: .invalid))?.code == .invalidArgument)
    let missing = try #require(failure(sound.path, .init(trackID: 99)))
    #expect(missing.message.contains("99"))
    #expect(throws: MediaError.self) {
      try WaveformRenderer(width: 32767, height: 32767).picture(sound.waveform())
    }
    #expect(throws: MediaError.self) {
      try WaveformRenderer(width: 0).picture(sound.waveform())
    }
  }
}
