import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// The reading examples of a guide to AVFoundation, on real clips.
@Suite struct ReadingGuide {
  let registry = Pipeline.registry
  let clip = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)

  @Test func `an audio track is read as PCM`() async throws {
    let track = try #require(try await clip.loadTracks(withMediaType: .audio).first)
    let reader = try AssetReader(asset: clip)
    let output = AssetReaderTrackOutput(
      track: track,
      settings: .audio(sampleFormat: .s16, sampleRate: 44100, channelLayout: .mono))
    #expect(reader.canAdd(output))
    try reader.add(output)
    try #require(reader.startReading())
    var bytes = 0
    while let sample = output.copyNextSampleBuffer() {
      bytes += sample.numSamples * 2
      #expect(sample.dataBuffer != nil)
    }
    #expect(reader.status == .completed)
    // Two seconds of 44,100 audio samples of 2 bytes.
    #expect(bytes == 2 * 44100 * 2)
  }

  @Test func `the read loop distinguishes the end from a failure`() throws {
    let reader = try AssetReader(asset: clip)
    let output = AssetReaderTrackOutput(
      track: try clip.tracks(withMediaType: .video)[0], settings: .video())
    try reader.add(output)
    try #require(reader.startReading())
    var count = 0
    reading: while true {
      if output.copyNextSampleBuffer() != nil {
        count += 1
        continue
      }
      switch reader.status {
      case .completed: break reading
      case .failed, .cancelled, .unknown, .reading:
        Issue.record("\(reader.status): \(String(describing: reader.error))")
        break reading
      }
    }
    #expect(count == 50)

    let gone = Asset(path: Pipeline.clip("nowhere.mp4"), registry: registry)
    #expect(throws: MediaError.self) { try AssetReader(asset: gone) }
  }

  @Test func `several audio tracks are read mixed`() throws {
    let film = MutableComposition()
    let source = try clip.tracks(withMediaType: .audio)[0]
    let second = TimeRange(start: .zero, duration: MediaTime(value: 2, timescale: 1))
    for _ in 0..<2 {
      try #require(film.addMutableTrack(withMediaType: .audio))
        .insertTimeRange(second, of: source, at: .zero)
    }
    let reader = try AssetReader(asset: film)
    let output = AssetReaderAudioMixOutput(
      audioTracks: try film.tracks(withMediaType: .audio), sampleFormat: .fltp)
    let half = try film.tracks(withMediaType: .audio).map { track in
      let parameters = MutableAudioMixInputParameters(track: track)
      try parameters.setVolume(0.5, at: .zero)
      return parameters
    }
    output.audioMix = AudioMix(inputParameters: half)
    try reader.add(output)
    try #require(reader.startReading())
    var samples: [SampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    let mixed = try Sound(samples)
    let alone = try Pipeline.sound(Pipeline.clip("clap-and-flash.mp4"))
    // Two tracks at half volume add up to one at full volume.
    #expect(mixed.channels[0].count == alone.channels[0].count)
    for (a, b) in zip(mixed.channels[0], alone.channels[0]) where abs(a - b) > 1e-6 {
      Issue.record("\(a) is not \(b)")
      break
    }
  }

  @Test func `frames are read composed`() throws {
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: clip))
    composition.frameDuration = MediaTime(value: 1, timescale: 10)
    let reader = try AssetReader(asset: clip)
    let output = AssetReaderVideoCompositionOutput(
      videoTracks: try clip.tracks(withMediaType: .video))
    output.videoComposition = composition
    try reader.add(output)
    try #require(reader.startReading())
    var times: [MediaTime] = []
    while let sample = output.copyNextSampleBuffer() {
      times.append(sample.presentationTimeStamp)
      #expect(sample.imageBuffer?.pixelFormat == .yuv420p)
    }
    #expect(reader.status == .completed)
    #expect(times == (0..<20).map { MediaTime(value: $0, timescale: 10) })
  }

  @Test func `canceling a composition ends reading at once`() throws {
    let reader = try AssetReader(asset: clip)
    let output = AssetReaderVideoCompositionOutput(
      videoTracks: try clip.tracks(withMediaType: .video))
    output.videoComposition = try VideoComposition(propertiesOf: clip)
    try reader.add(output)
    try #require(reader.startReading())
    #expect(output.copyNextSampleBuffer() != nil)
    reader.cancelReading()
    #expect(output.copyNextSampleBuffer() == nil)
    #expect(reader.status == .cancelled)
  }

  @Test func `properties are loaded without blocking`() async throws {
    let (duration, tracks) = try await clip.load(.duration, .tracks)
    #expect(abs(duration.seconds - 2) < 0.05)
    #expect(Set(tracks.map(\.mediaType)) == [.video, .audio])
    let video = try #require(tracks.first { $0.mediaType == .video })
    let (rate, matrix) = try await video.load(.nominalFrameRate, .preferredTransform)
    #expect(rate == 25)
    #expect(matrix.isIdentity)
    #expect(video.minFrameDuration == MediaTime(value: 1, timescale: 25))
    let gone = Asset(path: Pipeline.clip("nowhere.mp4"), registry: registry)
    await #expect(throws: MediaError.self) { try await gone.load(.duration) }
  }
}
