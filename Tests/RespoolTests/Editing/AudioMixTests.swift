import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Mixes, ramps and changes of speed, compared with computed results.
@Suite struct AudioMixTests {
  let scratch: Scratch
  static let rate = 48000

  init() throws { scratch = try Scratch() }

  /// Creates a WAV file of 32-bit floating point with the audio samples that `value` returns.
  private func sound(_ name: String, seconds: Double, _ value: (Int) -> Float) throws -> Asset {
    let path = scratch.path(name)
    let count = Int(seconds * Double(Self.rate))
    let writer = try AssetWriter(path: path, container: "wav", registry: Pipeline.registry)
    let input = AssetWriterInput(
      mediaType: .audio,
      settings: .audio(codec: "pcm_f32le", sampleRate: Self.rate, channelLayout: .mono))
    try writer.add(input)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    var frame = try #require(
      Frame(
        sampleFormat: .flt, channelLayout: .mono, sampleRate: Self.rate, sampleCount: count))
    let samples = frame.planes[0].base.assumingMemoryBound(to: Float.self)
    for index in 0..<count { samples[index] = value(index) }
    frame.pts = 0
    frame.duration = Int64(count)
    var track = TrackDescription(kind: .audio, codec: "pcm", timeBase: Rational(1, 48000))
    track.sampleRate = Self.rate
    try #require(
      input.append(
        SampleBuffer(
          .frame(frame), format: FormatDescription(track), timeBase: Rational(1, 48000))))
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return Asset(path: path, registry: Pipeline.registry)
  }

  private func time(_ seconds: Double) -> MediaTime {
    MediaTime(seconds: seconds, preferredTimescale: 48000)
  }

  @Test func `copies do not change their originals`() throws {
    let first = MutableAudioMixInputParameters()
    first.trackID = 7
    try first.setVolume(0.5, at: .zero)
    let mix = MutableAudioMix(inputParameters: [first])
    let (still, loose) = (mix.copy(), mix.mutableCopy())
    let copied = try #require(loose.inputParameters.first as? MutableAudioMixInputParameters)
    #expect(!(still.inputParameters[0] is MutableAudioMixInputParameters))
    copied.trackID = 8
    try first.setVolume(0.25, at: time(1))
    mix.inputParameters = []
    #expect(loose.inputParameters.count == 1 && first.trackID == 7)
    #expect(still.inputParameters.map(\.trackID) == [7])
    for parameters in [copied, still.inputParameters[0]] {
      let ramp = try parameters.getVolumeRamp(for: time(2))
      #expect(ramp?.startVolume == 0.5)
    }
    #expect(try first.getVolumeRamp(for: time(2))?.startVolume == 0.25)
  }

  private func range(_ start: Double, _ end: Double) -> TimeRange {
    TimeRange(start: time(start), end: time(end))
  }

  private func mixed(
    _ asset: Asset, _ mix: AudioMix? = nil, timeRange: TimeRange? = nil,
    pitch: AudioTimePitchAlgorithm = .spectral
  ) throws -> [Float] {
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderAudioMixOutput(
      audioTracks: try asset.tracks(withMediaType: .audio), sampleFormat: .fltp)
    output.audioMix = mix
    output.audioTimePitchAlgorithm = pitch
    if let timeRange { reader.timeRange = timeRange }
    try reader.add(output)
    try #require(reader.startReading())
    var samples: [SampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return try Sound(samples).channels[0]
  }

  @Test(.rule("Without an audio mix, every track has full volume"))
  func `tracks are added where they overlap`() throws {
    let one = try sound("one.wav", seconds: 2) { _ in 0.25 }
    let two = try sound("two.wav", seconds: 1) { _ in 0.5 }
    let composition = MutableComposition()
    let first = try #require(composition.addMutableTrack(withMediaType: .audio))
    let second = try #require(composition.addMutableTrack(withMediaType: .audio))
    try first.insertTimeRange(range(0, 2), of: try one.tracks()[0], at: .zero)
    try second.insertTimeRange(range(0, 1), of: try two.tracks()[0], at: time(1.5))
    let result = try mixed(composition)
    #expect(result.count == 120_000)
    for (index, value) in result.enumerated() {
      let wanted: Float = index < 72000 ? 0.25 : index < 96000 ? 0.75 : 0.5
      if value != wanted {
        Issue.record("sample \(index) is \(value), not \(wanted)")
        break
      }
    }
  }

  @Test func `a gap in all tracks is silence`() throws {
    let one = try sound("one.wav", seconds: 1) { _ in 0.25 }
    let composition = MutableComposition()
    let track = try #require(composition.addMutableTrack(withMediaType: .audio))
    try track.insertTimeRange(range(0, 0.5), of: try one.tracks()[0], at: .zero)
    try track.insertTimeRange(range(0, 0.5), of: try one.tracks()[0], at: time(1))
    let result = try mixed(composition)
    #expect(result.count == 72000)
    #expect(result[0..<24000].allSatisfy { $0 == 0.25 })
    #expect(result[24000..<48000].allSatisfy { $0 == 0 })
    #expect(result[48000...].allSatisfy { $0 == 0.25 })
  }

  @Test(.rule("A volume applies before and after its ramps, which are linear"))
  func `volumes and ramps are exact at every sample`() throws {
    let asset = try sound("one.wav", seconds: 3) { _ in 1 }
    let parameters = MutableAudioMixInputParameters(track: try asset.tracks()[0])
    try parameters.setVolumeRamp(
      fromStartVolume: 0.2, toEndVolume: 0.8, timeRange: range(0.5, 1.5))
    try parameters.setVolume(0.1, at: time(2.25))
    let mix = MutableAudioMix(inputParameters: [parameters])
    let result = try mixed(asset, mix)
    #expect(result.count == 144_000)
    for (index, value) in result.enumerated() {
      let seconds = Double(index) / 48000
      let wanted =
        seconds < 0.5 ? 1 : seconds < 1.5 ? 0.2 + 0.6 * (seconds - 0.5) : seconds < 2.25 ? 0.8 : 0.1
      if abs(Double(value) - wanted) > 1e-6 {
        Issue.record("sample \(index) is \(value), not \(wanted)")
        break
      }
    }
  }

  @Test func `a volume at a time is returned as a flat ramp to the next one`() throws {
    let parameters = MutableAudioMixInputParameters()
    try parameters.setVolume(0.5, at: time(1))
    try parameters.setVolume(0.25, at: time(2))
    try parameters.setVolumeRamp(fromStartVolume: 0.25, toEndVolume: 1, timeRange: range(2, 3))
    for seconds in [0, 1, 1.5] {
      let held = try #require(try parameters.getVolumeRamp(for: time(seconds)))
      #expect((held.startVolume, held.endVolume) == (0.5, 0.5))
      #expect(held.timeRange == range(1, 2))
    }
    #expect(try parameters.getVolumeRamp(for: time(2))?.timeRange == range(2, 3))
    #expect(try parameters.getVolumeRamp(for: time(3)) == nil)
  }

  @Test(.rule("A volume ramp is not returned for a time that is not numeric"))
  func `ramps are returned as they were set`() throws {
    let parameters = MutableAudioMixInputParameters()
    #expect(try parameters.getVolumeRamp(for: .zero) == nil)
    try parameters.setVolumeRamp(fromStartVolume: 1, toEndVolume: 0, timeRange: range(1, 2))
    try parameters.setVolume(0.5, at: time(4))
    #expect(try parameters.getVolumeRamp(for: .zero)?.timeRange == range(1, 2))
    #expect(try parameters.getVolumeRamp(for: time(1.5))?.endVolume == 0)
    #expect(try parameters.getVolumeRamp(for: time(3))?.timeRange.start == time(4))
    #expect(try parameters.getVolumeRamp(for: time(9))?.startVolume == 0.5)
    #expect(throws: MediaError.self) {
      try parameters.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: range(1.5, 3))
    }
    for time in [MediaTime.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
      #expect(throws: MediaError.self) { try parameters.getVolumeRamp(for: time) }
    }
    #expect(throws: MediaError.self) { try parameters.setVolume(1, at: .indefinite) }
    #expect(throws: MediaError.self) { try parameters.setVolume(-1, at: .zero) }
  }

  @Test func `a volume may be set at the start or end of a ramp, not inside`() throws {
    let asset = try sound("one.wav", seconds: 3) { _ in 1 }
    let parameters = MutableAudioMixInputParameters(track: try asset.tracks()[0])
    try parameters.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: range(1, 2))
    let error = #expect(throws: MediaError.self) { try parameters.setVolume(0.5, at: time(1.5)) }
    #expect(error?.message == "a volume from 1.5 s to 1.5 s overlaps one from 1.0 s to 2.0 s")
    try parameters.setVolume(0.25, at: time(1))
    try parameters.setVolume(0.5, at: time(2))
    try parameters.setVolume(0.75, at: time(2.5))
    #expect(throws: MediaError.self) {
      try parameters.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: range(2.25, 3))
    }
    let result = try mixed(asset, MutableAudioMix(inputParameters: [parameters]))
    for (seconds, wanted) in [(0.5, 1.0), (1.5, 0.5), (1.75, 0.75), (2.25, 0.5), (2.75, 0.75)] {
      #expect(abs(Double(result[Int(seconds * 48000)]) - wanted) < 1e-6, "at \(seconds) s")
    }
  }

  @Test func `a range of a mix begins at its sample`() throws {
    let asset = try sound("one.wav", seconds: 2) { Float($0) / 96000 }
    let result = try mixed(asset, timeRange: range(0.75, 1.25))
    #expect(result.count == 24000)
    #expect(result.first == Float(36000) / 96000)
    #expect(result.last == Float(59999) / 96000)
  }

  private func tone(_ hertz: Double, _ index: Int) -> Float {
    Float(0.5 * sin(2 * Double.pi * hertz * Double(index) / 48000))
  }

  /// Returns the strength of a tone.
  ///
  /// 1 for a pure tone of amplitude 0.5.
  private func strength(_ samples: ArraySlice<Float>, _ hertz: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, value) in samples.enumerated() {
      let angle = 2 * Double.pi * hertz * Double(index) / 48000
      real += Double(value) * cos(angle)
      imaginary += Double(value) * sin(angle)
    }
    return 4 * (real * real + imaginary * imaginary).squareRoot() / Double(samples.count)
  }

  @Test(arguments: [0.5, 0.8, 1.3, 2.0], [AudioTimePitchAlgorithm.spectral, .varispeed])
  func `slower and faster audio has the requested pitch`(
    speed: Double, pitch: AudioTimePitchAlgorithm
  ) throws {
    let asset = try sound("tone.wav", seconds: 2) { tone(441, $0) }
    let composition = MutableComposition()
    let track = try #require(composition.addMutableTrack(withMediaType: .audio))
    try track.insertTimeRange(range(0, 2), of: try asset.tracks()[0], at: .zero)
    track.scaleTimeRange(range(0, 2), toDuration: time(2 / speed))
    let result = try mixed(composition, pitch: pitch)
    #expect(result.count == Int((96000 / speed).rounded()))
    // Without the ends.
    let middle = result[9600..<(result.count - 9600)]
    let wanted = pitch == .varispeed ? 441 * speed : 441
    // A pure tone of the wanted pitch stays pure: windows that did not match would weaken it. It is measured
    // per tenth of a second, because each window matches to half an audio sample and the phase drifts.
    let tenths = stride(from: middle.startIndex, to: middle.endIndex - 4800, by: 4800).map {
      strength(middle[$0..<($0 + 4800)], wanted)
    }
    #expect(tenths.allSatisfy { $0 > 0.97 }, "\(tenths)")
    #expect(strength(middle, pitch == .varispeed ? 441 : 441 * speed) < 0.1)
  }

  @Test(
    .rule(
      "The session's time pitch algorithm is spectral by default and applies where the audio mix has none"
    ))
  func `an export has the pitch of the mix, or of the session`() throws {
    let asset = try sound("tone.wav", seconds: 2) { tone(441, $0) }
    let composition = MutableComposition()
    let track = try #require(composition.addMutableTrack(withMediaType: .audio))
    try track.insertTimeRange(range(0, 2), of: try asset.tracks()[0], at: .zero)
    track.scaleTimeRange(range(0, 2), toDuration: time(1))
    let parameters = MutableAudioMixInputParameters(track: track)

    func pitch(_ name: String, _ session: AudioTimePitchAlgorithm?, _ mix: AudioMix?) throws
      -> Double
    {
      let export = try ExportSession(
        asset: composition, preset: try Pipeline.preset("wav"), registry: Pipeline.registry)
      #expect(export.audioTimePitchAlgorithm == .spectral)
      if let session { export.audioTimePitchAlgorithm = session }
      export.audioMix = mix
      let path = scratch.path(name)
      _ = try export.exportAndWait(to: path)
      let samples = try Pipeline.sound(path).channels[0]
      try #require(samples.count == 48000)
      let middle = samples[9600..<14400]
      return strength(middle, 441) > strength(middle, 882) ? 441 : 882
    }

    #expect(try pitch("1.wav", nil, nil) == 441)
    #expect(try pitch("2.wav", .varispeed, nil) == 882)
    #expect(try pitch("3.wav", .varispeed, AudioMix(inputParameters: [parameters])) == 882)
    parameters.audioTimePitchAlgorithm = .timeDomain
    #expect(try pitch("4.wav", .varispeed, AudioMix(inputParameters: [parameters])) == 441)
  }

  @Test func `clips of several files at another rate are continuous`() throws {
    let clip = Asset(path: Pipeline.clip("tones-5.1.wav"), registry: Pipeline.registry)
    let whole = try mixed(clip)
    let composition = MutableComposition()
    try composition.insertTimeRangeAndWait(
      TimeRange(start: .zero, duration: try clip.duration()), of: clip, at: .zero)
    #expect(try mixed(composition) == whole)
  }
}
