import Foundation
import RespoolPlugin
import Testing

@testable import AVFilter

/// Audio of the audio filters, which equals that of Debian's ffmpeg.
@Suite struct AudioFilterTests {
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var options = ""
    var format = SampleFormat.dbl
    var rate = 48000
    var layout = ChannelLayout.stereo

    var testDescription: String { "\(name)=\(options) \(format) \(rate) \(layout)" }
  }

  static let surround = ChannelLayout(mask: 0x3F)

  static let cases: [Case] = [
    Case(name: "loudnorm", rate: 192_000),
    Case(name: "loudnorm", options: "i=-16:tp=-1.5:lra=11", rate: 192_000),
    Case(name: "dynaudnorm", format: .dblp),
    Case(name: "dynaudnorm", options: "f=150:g=15", format: .dblp, layout: surround),
    Case(name: "acompressor", options: "threshold=0.1:ratio=4"),
    Case(name: "acompressor", layout: surround),
    Case(name: "alimiter", options: "limit=0.2:level=false"),
    Case(name: "alimiter", rate: 44100, layout: surround),
    Case(name: "highpass", options: "f=200", format: .fltp),
    Case(name: "highpass", options: "f=200", format: .s16p),
    Case(name: "lowpass", options: "f=2000:t=q:w=1", format: .dblp, layout: surround),
    Case(name: "lowpass", format: .s32p, rate: 44100),
    Case(name: "equalizer", options: "f=1000:t=o:w=2:g=-6", format: .fltp),
    Case(name: "volume", options: "volume=-3dB", format: .flt),
    Case(name: "volume", options: "volume=0.5", format: .fltp, layout: surround),
    Case(name: "afftdn", format: .fltp),
    Case(name: "afftdn", options: "nr=20:nf=-40", format: .fltp, layout: surround),
    Case(name: "atempo", options: "tempo=1.25", format: .flt),
    Case(name: "atempo", options: "tempo=0.8", format: .s16, layout: surround),
  ]

  @Test(arguments: cases)
  func `audio equals that of ffmpeg`(test: Case) throws {
    let audio = try RawAudio(test.format, rate: test.rate, layout: test.layout)
    let expected = try audio.expected(
      test.options.isEmpty ? test.name : "\(test.name)=\(test.options)")
    let type = try Filtering.type(test.name)
    for threads in [1, 3] {
      let filter = try type.init(
        settings: FilterSettings(
          track: audio.track, threads: threads, options: Filtering.options(test.options)))
      let frames = try Filtering.run(filter, audio.frames)
      let bytes = Data(frames.flatMap { Filtering.bytes($0) })
      #expect(bytes.count == expected.count)
      #expect(bytes == expected, "\(threads) threads")
      #expect(filter.track.sampleRate == test.rate)
      #expect(filter.track.channelLayout == test.layout)
      let times = frames.compactMap(\.pts)
      #expect(times.count == frames.count)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
    }
  }

  static let hostile: [(name: String, options: String)] = [
    ("atempo", "tempo=1000"), ("volume", "volume=((("), ("highpass", "f=words"),
  ]

  @Test(arguments: hostile)
  func `rejects options that make no sense, in a sentence`(name: String, options: String) throws {
    let audio = try RawAudio(name == "highpass" ? .fltp : .flt)
    let type = try Filtering.type(name)
    let error = #expect(throws: MediaError.self) {
      _ = try type.init(
        settings: FilterSettings(track: audio.track, options: Filtering.options(options)))
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
  }
}
