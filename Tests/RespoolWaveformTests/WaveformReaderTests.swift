import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool
@testable import RespoolWaveform

@Suite struct WaveformReaderTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func wide(_ range: Range<Int>) -> Range<Int64> {
    Int64(range.lowerBound)..<Int64(range.upperBound)
  }

  @Test(arguments: WaveformFixture.Format.allCases, [1, 2, 3])
  func `bins are exact in every sample format`(_ format: WaveformFixture.Format, channels: Int)
    throws
  {
    let count = 10007
    let sound = try WaveformFixture(
      WaveformFixture.sounds(channels, count), format, in: scratch)
    for bins in [1, 7, 1800] {
      let even = WaveformFixture.even(bins, of: count)
      let apart = try sound.waveform(.init(resolution: .bins(bins), mixesChannels: false))
      expectEqual(apart.channels, WaveformFixture.expected(sound.channels, even))
      #expect((0..<bins).map { apart.samples(inBin: $0) } == even.map(wide))
      #expect(apart.sampleCount == Int64(count))
      #expect(apart.duration == MediaTime(value: Int64(count), timescale: 44100))
      #expect(apart.division == .even(unit: 1))
      #expect(apart.damage == [])
      let mixed = try sound.waveform(.init(resolution: .bins(bins)))
      expectEqual(mixed.channels, WaveformFixture.expected(sound.mixed, even))
    }
    for width in [1, 256, 20000] {
      let bins = WaveformFixture.every(width, of: count)
      let apart = try sound.waveform(.init(resolution: .samplesPerBin(width), mixesChannels: false))
      expectEqual(apart.channels, WaveformFixture.expected(sound.channels, bins))
      #expect((0..<bins.count).map { apart.samples(inBin: $0) } == bins.map(wide))
    }
  }

  @Test func `the extremes of integers are not lost`() throws {
    let values = [[-1, 1, 0, -1, -1], [-1, -1, 0, 1, -1]].map { $0.map(Double.init) }
    let sound = try WaveformFixture(values, .s16, in: scratch)
    let apart = try sound.waveform(.init(resolution: .bins(1), mixesChannels: false))
    #expect(apart.channels.map(\.minima) == [[-1], [-1]])
    #expect(apart.channels.map(\.maxima) == [[32767 / 32768], [32767 / 32768]])
    let mixed = try sound.waveform(.init(resolution: .samplesPerBin(1)))
    #expect(mixed.channels[0].minima == [-1, -1 / 65536, 0, -1 / 65536, -1])
    #expect(mixed.channels[0].rms[0] == 1)
    #expect(mixed.peak == 1)
  }

  @Test func `fewer samples than bins are kept`() throws {
    let sound = try WaveformFixture([[0.5, -0.25, 0.75]], in: scratch)
    let waveform = try sound.waveform(.init(resolution: .bins(7)))
    #expect(waveform.channels[0].minima == [0.5, 0.5, 0.5, -0.25, -0.25, 0.75, 0.75])
    #expect(waveform.channels[0].maxima == waveform.channels[0].minima)
    #expect(waveform.channels[0].rms == waveform.channels[0].minima.map(abs))
  }

  @Test func `a range is cut to the sample`() throws {
    let count = 30000
    let sound = try WaveformFixture(
      WaveformFixture.sounds(2, count), rate: 10000, in: scratch)
    for (start, end) in [(0, 1), (3, 1003), (9999, 20001), (12345, 30000)] {
      let range = TimeRange(
        start: MediaTime(value: Int64(start), timescale: 10000),
        end: MediaTime(value: Int64(end), timescale: 10000))
      let bins = start == 0 ? 1 : 100
      let waveform = try sound.waveform(
        .init(resolution: .bins(bins), timeRange: range, mixesChannels: false))
      #expect(waveform.startTime == range.start)
      #expect(waveform.duration == range.duration)
      let parts = sound.channels.map { Array($0[start..<end]) }
      expectEqual(
        waveform.channels,
        WaveformFixture.expected(parts, WaveformFixture.even(bins, of: end - start)))
    }
    let open = TimeRange(
      start: MediaTime(value: 29, timescale: 10), duration: .positiveInfinity)
    #expect(try sound.waveform(.init(timeRange: open)).sampleCount == 1000)
    // After the last packet the demuxer returns nothing. Shortly before its end, audio samples are skipped.
    for start in [3, 4, 100] {
      let late = TimeRange(
        start: MediaTime(value: Int64(start), timescale: 1), duration: .positiveInfinity)
      let error = #expect(throws: MediaError.self) { try sound.waveform(.init(timeRange: late)) }
      #expect(error?.code == .invalidArgument)
      #expect(error?.message == "there is no audio from \(start).0 s on; the audio ends at 3.0 s")
    }
  }

  @Test func `whole bins have the same number of samples and exact times`() throws {
    let count = 29696
    let sound = try WaveformFixture(WaveformFixture.sounds(1, count), in: scratch)
    for (most, width) in [(1000, 30), (50000, 1), (29696, 1), (29695, 2), (1, 29696), (7, 4243)] {
      let waveform = try sound.waveform(.init(resolution: .wholeBins(most)))
      #expect(waveform.division == .every(width))
      #expect(waveform.samplesPerPixel == width)
      #expect(waveform.samplesPerBin == Double(width))
      #expect(waveform.binCount == (count + width - 1) / width)
      expectEqual(
        waveform.channels,
        WaveformFixture.expected(sound.channels, WaveformFixture.every(width, of: count)))
    }
    let range = TimeRange(
      start: MediaTime(value: 100, timescale: 44100), end: MediaTime(value: 1101, timescale: 44100))
    let part = try sound.waveform(.init(resolution: .wholeBins(10), timeRange: range))
    #expect(part.division == .every(101) && part.binCount == 10 && part.sampleCount == 1001)
  }

  /// Headers that state too much or too little, and formats such as MP3 and Matroska that round or omit the length.
  @Test func `whole bins are right whatever length the file states`() throws {
    let count = 9000
    for announced in [1 << 20, 2 * 100] {
      let sound = try WaveformFixture(
        WaveformFixture.sounds(1, count), in: scratch, name: "\(announced).wav",
        announced: announced)
      let waveform = try sound.waveform(.init(resolution: .wholeBins(64)))
      #expect(waveform.division == .every(Int((waveform.sampleCount + 63) / 64)))
      expectEqual(
        waveform.channels,
        WaveformFixture.expected(
          sound.channels.map { Array($0.prefix(Int(waveform.sampleCount))) },
          WaveformFixture.every(Int(waveform.samplesPerBin), of: Int(waveform.sampleCount))))
    }
    for name in ["speech-mp3.mp3", "speech-opus.opus", "pattern-vp9.webm", "pattern-flac.mkv"] {
      let path = Pipeline.clip(name)
      let sound = try Pipeline.sound(path)
      let width = (sound.count + 332) / 333
      let waveform = try WaveformFixture.waveform(
        path, .init(resolution: .wholeBins(333), mixesChannels: false))
      #expect(waveform.division == .every(width) && waveform.sampleCount == Int64(sound.count))
      expectEqual(
        waveform.channels,
        WaveformFixture.expected(
          sound.channels.map { $0.map(Double.init) }, WaveformFixture.every(width, of: sound.count))
      )
    }
  }

  @Test func `a rejected length is counted again bin by bin`() {
    var reducer = BinReducer(.every(2, most: 3), channels: 1)
    var words = [Int16](repeating: 8192, count: 11)
    words.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      reducer.add(Int16Samples(base: base, arrangement: .mono), count: 11)
    }
    // Audio samples after the last bin are counted but take no memory.
    #expect(reducer.sampleCount == 11)
    #expect(reducer.binCount == 3)
  }

  @Test func `values that are not numbers do no harm`() throws {
    let sound = try WaveformFixture([[0.5, .nan, -.infinity, 3]], .f32, in: scratch)
    let waveform = try sound.waveform(.init(resolution: .samplesPerBin(1)))
    #expect(waveform.channels[0].maxima == [0.5, 0, -.greatestFiniteMagnitude, 3])
    #expect(waveform.channels[0].rms.allSatisfy { $0.isFinite })
    _ = try WaveformRenderer(width: 9, height: 9, amplitudeScale: .fitting).picture(waveform)
    #expect(waveform.json().contains("\"data\":[64,64,0,0,-128,-128,127,127]"))
  }

  @Test func `a length that only the header claims is rejected`() throws {
    let count = 9000
    let whole = WaveformFixture.sounds(1, count)
    let sound = try WaveformFixture(whole, in: scratch, announced: 1 << 20)
    let waveform = try sound.waveform(.init(resolution: .bins(100)))
    expectEqual(
      waveform.channels,
      WaveformFixture.expected(sound.channels, WaveformFixture.even(100, of: count)))
    #expect(waveform.sampleCount == Int64(count))
  }

  @Test func `bins of audio of unknown length are near and exact for their samples`() {
    let values = WaveformFixture.sounds(1, 300_001)[0].map { WaveformFixture.Format.s16.code($0) }
    var reducer = BinReducer(.doubling(limit: 1 << 16), channels: 1)
    values.flatMap(\.bytes).withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      reducer.add(Int16Samples(base: base, arrangement: .mono), count: values.count)
    }
    reducer.finish()
    #expect(reducer.width == 8)
    #expect(reducer.binCount == 300_001 / 8 + 1)
    let expected = WaveformFixture.expected(
      [values.map(\.value)], WaveformFixture.every(8, of: values.count))
    #expect(reducer.bins.map(\.minimum) == expected[0].minima)
    #expect(reducer.bins.map(\.maximum) == expected[0].maxima)
  }

  /// Compares the waveform of every codec and container with all audio samples of the asset reader.
  @Test(arguments: [
    "speech.wav", "speech-flac.flac", "speech-mp3.mp3", "speech-opus.opus", "tones-5.1.wav",
    "pattern-h264.mp4", "pattern-vp9.webm", "pattern-flac.mkv", "portrait.mov",
  ])
  func `every format is reduced`(_ name: String) throws {
    let path = Pipeline.clip(name)
    let sound = try Pipeline.sound(path)
    let waveform = try WaveformFixture.waveform(
      path, .init(resolution: .bins(333), mixesChannels: false))
    #expect(waveform.sampleRate == sound.rate)
    #expect(waveform.sampleCount == Int64(sound.count))
    let samples = sound.channels.map { $0.map(Double.init) }
    let bins = (0..<333).map { bin in
      let range = waveform.samples(inBin: bin)
      return Int(range.lowerBound)..<Int(range.upperBound)
    }
    // Matroska states its duration in milliseconds, and MP3 in frames.
    let exact = WaveformFixture.even(333, of: sound.count)
    let unit = name.hasSuffix("mp3") || name.hasSuffix("mkv") || name.hasSuffix("webm") ? 2 : 1
    #expect(waveform.division == .even(unit: unit))
    #expect(bins.map(\.lowerBound) == exact.map { $0.lowerBound / unit * unit })
    #expect(bins.dropLast().map(\.upperBound) == bins.dropFirst().map(\.lowerBound))
    #expect(bins.last?.upperBound == sound.count)
    expectEqual(waveform.channels, WaveformFixture.expected(samples, bins))
  }

  @Test func `a range of coded audio is the same audio`() throws {
    for name in ["pattern-h264.mp4", "speech-opus.opus", "speech-flac.flac"] {
      let path = Pipeline.clip(name)
      let all = try Pipeline.sound(path)
      let start = 1.25 as Double
      let waveform = try WaveformFixture.waveform(
        path,
        .init(
          resolution: .samplesPerBin(100),
          timeRange: TimeRange(
            start: MediaTime(value: 125, timescale: 100),
            duration: MediaTime(value: 1, timescale: 2))))
      let first = Int(start * Double(all.rate))
      #expect(waveform.sampleCount == Int64(all.rate / 2))
      let part = all.channels[0][first..<first + 100]
      // The output of a lossy decoder depends slightly on the packet at which it started.
      let tolerance: Float = name.hasSuffix("flac") ? 0 : 0.001
      #expect(abs((part.min() ?? 9) - waveform.channels[0].minima[0]) <= tolerance)
      #expect(abs((part.max() ?? 9) - waveform.channels[0].maxima[0]) <= tolerance)
    }
  }
}
