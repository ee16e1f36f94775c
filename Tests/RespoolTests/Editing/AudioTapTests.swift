import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// Audio samples that an audio tap receives, and the effect of its changes.
@Suite struct AudioTapTests {
  let scratch: Scratch
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

  init() throws { scratch = try Scratch() }

  private func sound(
    _ asset: Asset, _ mix: AudioMix?, _ timeRange: TimeRange? = nil
  ) throws -> Sound {
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderAudioMixOutput(
      audioTracks: try asset.tracks(withMediaType: .audio), sampleFormat: .fltp)
    output.audioMix = mix
    if let timeRange { reader.timeRange = timeRange }
    try reader.add(output)
    try #require(reader.startReading())
    var samples: [SampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    if let error = reader.error { throw error }
    return try Sound(samples)
  }

  private func mix(_ asset: Asset, volume: Float = 1, _ tap: @escaping AudioTapProcessor) throws
    -> AudioMix
  {
    let parameters = MutableAudioMixInputParameters(
      track: try asset.tracks(withMediaType: .audio)[0])
    try parameters.setVolume(volume, at: .zero)
    parameters.audioTapProcessor = tap
    return AudioMix(inputParameters: [parameters])
  }

  @Test(.rule("An audio tap processor gets the samples of a track before the effects of the mix"))
  func `a tap gets every sample once, at its time and before its volume`() throws {
    let seen = Mutex<(end: MediaTime?, samples: [Float])>((nil, []))
    let range = TimeRange(
      start: MediaTime(value: 1, timescale: 4), duration: MediaTime(value: 1, timescale: 1))
    let tapped = try mix(clip, volume: 0.25) { block in
      seen.withLock {
        #expect(block.timeRange.start == $0.end ?? range.start)
        $0.end = block.timeRange.end
        $0.samples += block.channels[0]
      }
    }
    let plain = try sound(clip, nil, range)
    let quiet = try sound(clip, tapped, range)
    #expect(seen.withLock { $0.samples } == plain.channels[0])
    #expect(seen.withLock { $0.end } == range.end)
    #expect(quiet.channels[0] == plain.channels[0].map { $0 * 0.25 })
  }

  @Test func `a tap changes only its own track`() throws {
    let composition = MutableComposition()
    let whole = TimeRange(start: .zero, duration: MediaTime(value: 2, timescale: 1))
    let source = try clip.tracks(withMediaType: .audio)[0]
    for _ in 0..<2 {
      let track = try #require(composition.addMutableTrack(withMediaType: .audio))
      try track.insertTimeRange(whole, of: source, at: .zero)
    }
    let opposite = try mix(composition) { block in
      for channel in block.channels.indices {
        for index in block.channels[channel].indices { block.channels[channel][index].negate() }
      }
    }
    #expect(try sound(composition, nil).onsets().count == 2)
    #expect(try sound(composition, opposite).channels.joined().allSatisfy { $0 == 0 })
  }

  @Test func `a tap applies to an export`() throws {
    let session = try ExportSession(
      asset: clip, preset: try Pipeline.preset("wav"), registry: Pipeline.registry)
    session.audioMix = try mix(clip) { block in
      // The first beep is at 0.5 s, the second at 1.5 s.
      guard block.timeRange.start.seconds < 1 else { return }
      block.channels = block.channels.map { Array(repeating: 0, count: $0.count) }
    }
    let path = scratch.path("tapped.wav")
    _ = try session.exportAndWait(to: path)
    let onsets = try Pipeline.sound(path).onsets()
    #expect(onsets.count == 1 && abs((onsets.first ?? 0) - 1.5) < 0.005, "\(onsets)")
  }

  @Test func `a tap that throws or changes the number of samples fails the reader`() throws {
    let throwing = try mix(clip) { (_) throws(MediaError) in
      throw MediaError(.pluginFailure, "no")
    }
    #expect { try sound(clip, throwing) } throws: {
      ($0 as? MediaError)?.code == .pluginFailure
    }
    let shortening = try mix(clip) { $0.channels[0].removeLast() }
    #expect { try sound(clip, shortening) } throws: {
      ($0 as? MediaError)?.code == .invalidArgument
    }
  }
}
