import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Times of the flash and the beep, measured in the decoded media.
@Suite struct Synchrony {
  struct Marks { var flashes, beeps: [Double] }

  let scratch: Scratch
  let clip = Pipeline.clip("clap-and-flash.mp4")

  init() throws { scratch = try Scratch() }

  private func marks(_ path: String) throws -> Marks {
    Marks(flashes: try Pipeline.pictures(path).flashes(), beeps: try Pipeline.sound(path).onsets())
  }

  private func expect(_ marks: Marks, flashes: [Double], beeps: [Double], frame: Double = 0.04) {
    #expect(marks.flashes.count == flashes.count, "\(marks)")
    #expect(marks.beeps.count == beeps.count, "\(marks)")
    for (a, b) in zip(marks.flashes, flashes) { #expect(abs(a - b) < frame / 2, "\(marks)") }
    for (a, b) in zip(marks.beeps, beeps) { #expect(abs(a - b) < 0.005, "\(marks)") }
  }

  static let presets = ["web-480p", "webm-720p", "remux-mp4", "remux-mkv"]

  @Test func `the clip is as it was made`() throws {
    expect(try marks(clip), flashes: [0.52, 1.52], beeps: [0.5, 1.5])
  }

  @Test(arguments: Synchrony.presets)
  func `every preset keeps flash and beep in place`(preset: String) throws {
    try Pipeline.export(clip, preset, to: scratch.path("out"))
    expect(try marks(scratch.path("out")), flashes: [0.52, 1.52], beeps: [0.5, 1.5])
  }

  /// Writes the clip's packets, delayed by `video` and `audio`, to a file whose session begins at `start`.
  private func moved(
    _ name: String, container: String, video: MediaTime, audio: MediaTime, start: MediaTime
  ) throws -> String {
    let writer = try AssetWriter(
      path: scratch.path(name), container: container, registry: Pipeline.registry)
    var inputs: [(AssetWriterInput, [SampleBuffer])] = []
    for (type, delay) in [(MediaType.video, video), (.audio, audio)] {
      let samples = try Pipeline.samples(clip, type, nil).map { sample -> SampleBuffer in
        var packet = try #require(sample.packet)
        let base = sample.formatDescription.track.timeBase
        let ticks = Rational(1, delay.timescale).convert(delay.value, to: base)
        packet.pts = packet.pts.map { $0 + ticks }
        packet.dts = packet.dts.map { $0 + ticks }
        return SampleBuffer(.packet(packet), format: sample.formatDescription, timeBase: base)
      }
      let input = AssetWriterInput(
        mediaType: type, settings: nil, sourceFormatHint: samples[0].formatDescription)
      try writer.add(input)
      inputs.append((input, samples))
    }
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: start)
    for (input, samples) in inputs {
      for sample in samples { try #require(input.append(sample)) }
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return writer.path
  }

  @Test(arguments: Synchrony.presets)
  func `audio that an edit list delays stays late`(preset: String) throws {
    let source = try moved(
      "late.mp4", container: "mp4", video: .zero, audio: MediaTime(value: 3, timescale: 10),
      start: .zero)
    expect(try marks(source), flashes: [0.52, 1.52], beeps: [0.8, 1.8])
    try Pipeline.export(source, preset, to: scratch.path("out"))
    expect(try marks(scratch.path("out")), flashes: [0.52, 1.52], beeps: [0.8, 1.8])
  }

  /// The encoder's priming is not heard before the audio.
  @Test func `encoded audio begins with its first sample`() throws {
    let source = try moved(
      "late.mp4", container: "mp4", video: .zero, audio: MediaTime(value: 3, timescale: 10),
      start: .zero)
    var preset = try Pipeline.preset("web-480p")
    preset.audio?.passThrough = .never
    let session = try ExportSession(input: source, preset: preset, registry: Pipeline.registry)
    _ = try session.exportAndWait(to: scratch.path("out"))
    let ranges = try [source, scratch.path("out")].map { path in
      let asset = Asset(path: path, registry: Pipeline.registry)
      return try asset.tracks(withMediaType: .audio)[0].timeRange
    }
    #expect(abs(ranges[0].start.seconds - ranges[1].start.seconds) < 0.001, "\(ranges)")
    #expect(abs(ranges[0].end.seconds - ranges[1].end.seconds) < 0.005, "\(ranges)")
  }

  @Test(arguments: Synchrony.presets)
  func `samples that an edit list hides stay hidden`(preset: String) throws {
    let source = try moved(
      "cut.mp4", container: "mp4", video: .zero, audio: .zero,
      start: MediaTime(value: 2, timescale: 10))
    expect(try marks(source), flashes: [0.32, 1.32], beeps: [0.3, 1.3])
    try Pipeline.export(source, preset, to: scratch.path("out"))
    expect(try marks(scratch.path("out")), flashes: [0.32, 1.32], beeps: [0.3, 1.3])
  }

  @Test(arguments: Synchrony.presets)
  func `Matroska stays in sync`(preset: String) throws {
    let source = try moved(
      "in.mkv", container: "mkv", video: .zero, audio: MediaTime(value: 1, timescale: 10),
      start: .zero)
    expect(try marks(source), flashes: [0.52, 1.52], beeps: [0.6, 1.6])
    try Pipeline.export(source, preset, to: scratch.path("out"))
    expect(try marks(scratch.path("out")), flashes: [0.52, 1.52], beeps: [0.6, 1.6])
  }

  @Test(arguments: Synchrony.presets)
  func `a variable frame rate stays in sync`(preset: String) throws {
    let writer = try AssetWriter(
      path: scratch.path("vfr.mp4"), container: "mp4", registry: Pipeline.registry)
    let video = AssetWriterInput(
      mediaType: .video, settings: .video(codec: "h264", width: 160, height: 90))
    let sound = try Pipeline.samples(clip, .audio, nil)
    let audio = AssetWriterInput(
      mediaType: .audio, settings: nil, sourceFormatHint: sound[0].formatDescription)
    for input in [video, audio] { try writer.add(input) }
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    // Leaves out every third frame while nothing happens.
    for (number, picture) in try Pipeline.pictures(clip).enumerated()
    where number % 3 != 1 || (12...15).contains(number % 25) {
      try #require(video.append(picture))
    }
    for sample in sound { try #require(audio.append(sample)) }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    expect(try marks(writer.path), flashes: [0.52, 1.52], beeps: [0.5, 1.5])
    try Pipeline.export(writer.path, preset, to: scratch.path("out"))
    expect(try marks(scratch.path("out")), flashes: [0.52, 1.52], beeps: [0.5, 1.5])
  }
}
