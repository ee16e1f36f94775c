import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct AssetWriting {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func writer(_ name: String, _ container: String) throws -> AssetWriter {
    try AssetWriter(path: scratch.path(name), container: container, registry: Pipeline.registry)
  }

  private static func videoInput(_ codec: String = "h264") -> AssetWriterInput {
    AssetWriterInput(
      mediaType: .video, settings: .video(codec: codec, width: 96, height: 64, encoder: "x264"))
  }

  private static func audioInput() -> AssetWriterInput {
    AssetWriterInput(
      mediaType: .audio,
      settings: .audio(
        codec: "aac", sampleRate: 48000, channelLayout: .mono, encoder: nil, bitRate: 96000))
  }

  /// Returns a gray frame.
  private static func picture(_ value: UInt8, at time: MediaTime) throws -> SampleBuffer {
    let frame = try FrameFixture.flat(.yuv420p, 96, 64, [value, 128, 128])
    return SampleBuffer(
      try #require(PixelBuffer(frame)), at: time, duration: MediaTime(value: 1, timescale: 25))
  }

  /// Returns a block of a 1 kHz tone.
  private static func tone(_ start: Int, _ count: Int, gain: Float = 0.5) throws -> SampleBuffer {
    let frame = try #require(
      Frame(
        sampleFormat: .flt, channelLayout: .mono, sampleRate: 48000, sampleCount: count,
        pts: Int64(start)))
    for index in 0..<count {
      let value = gain * Float(sin(2 * Double.pi * 1000 * Double(start + index) / 48000))
      frame.planes[0].base.storeBytes(of: value, toByteOffset: index * 4, as: Float.self)
    }
    var shown = frame
    shown.duration = Int64(count)
    var track = TrackDescription(kind: .audio, codec: "pcm", timeBase: Rational(1, 48000))
    track.sampleRate = 48000
    track.channelLayout = .mono
    return SampleBuffer(
      .frame(shown), format: FormatDescription(track), timeBase: Rational(1, 48000))
  }

  @Test func `frames and tones become a file that reads back the same`() throws {
    let writer = try writer("out.mp4", "mp4")
    let (video, audio) = (Self.videoInput(), Self.audioInput())
    writer.metadata = [MetadataItem(.commonKeyTitle, "Grey")]
    for input in [video, audio] {
      #expect(writer.canAdd(input))
      try writer.add(input)
      #expect(!writer.canAdd(input))
    }
    #expect(!video.isReadyForMoreMediaData)
    try #require(writer.startWriting())
    #expect(!writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    for number in 0..<25 {
      #expect(video.isReadyForMoreMediaData)
      let time = MediaTime(value: Int64(number), timescale: 25)
      try #require(video.append(Self.picture(UInt8(16 + number * 8), at: time)))
    }
    for number in 0..<48 { try #require(audio.append(Self.tone(number * 1000, 1000))) }
    video.markAsFinished()
    video.markAsFinished()
    #expect(!video.isReadyForMoreMediaData)
    #expect(!video.append(try Self.picture(0, at: MediaTime(value: 2, timescale: 1))))
    #expect(writer.status == .writing)
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
    #expect(writer.error == nil)

    let pictures = try Pipeline.pictures(writer.path)
    #expect(
      pictures.map(\.presentationTimeStamp) == (0..<25).map { MediaTime(value: $0, timescale: 25) })
    for (number, picture) in pictures.enumerated() {
      #expect(abs(try picture.brightness() - Double(16 + number * 8)) < 3)
    }
    let sound = try Pipeline.sound(writer.path)
    #expect((sound.start, sound.count) == (.zero, 48000))
    #expect(abs(sound.power(of: 1000, channel: 0) - 0.0625) < 0.004)
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(try asset.duration().seconds == 1)
    #expect(try asset.tags().contains(MetadataEntry("title", "Grey")))
  }

  @Test func `times of film stay exact`() throws {
    let writer = try writer("film.mp4", "mp4")
    let input = Self.videoInput()
    try writer.add(input)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    let times = (0..<10).map { MediaTime(value: Int64($0 * 1001), timescale: 24000) }
    for time in times { try #require(input.append(Self.picture(99, at: time))) }
    writer.finishWritingAndWait()
    #expect(try Pipeline.pictures(writer.path).map(\.presentationTimeStamp) == times)
  }

  @Test(.rule)
  func `a sample at the session's start is shown at zero, and earlier ones are hidden`() throws {
    let writer = try writer("session.mp4", "mp4")
    let (video, audio) = (Self.videoInput(), Self.audioInput())
    for input in [video, audio] { try writer.add(input) }
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: MediaTime(value: 10, timescale: 1))
    for number in -5..<25 {
      let time = MediaTime(value: Int64(250 + number), timescale: 25)
      try #require(video.append(Self.picture(UInt8(80 + number * 4), at: time)))
    }
    // Audio begins after the session start: a tone at 10.1 s.
    for number in 0..<20 { try #require(audio.append(Self.tone(484_800 + number * 1000, 1000))) }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let pictures = try Pipeline.pictures(writer.path)
    #expect(
      pictures.map(\.presentationTimeStamp) == (0..<25).map { MediaTime(value: $0, timescale: 25) })
    #expect(abs(try #require(pictures.first).brightness() - 80) < 3)
    let sound = try Pipeline.sound(writer.path)
    let onset = try #require(sound.onsets().first)
    #expect(abs(onset - 0.1) < 0.005)
    #expect(abs(sound.start.seconds + Double(sound.count) / 48000 - (0.1 + 20.0 / 48)) < 1e-9)
  }

  @Test(arguments: ["mp4", "mkv"])
  func `compressed samples pass through with a format hint`(container: String) throws {
    let clip = Pipeline.clip("pattern-h264.mp4")
    let writer = try writer("copy.\(container)", container)
    var inputs: [(AssetWriterInput, [SampleBuffer])] = []
    for type in [MediaType.video, .audio] {
      let samples = try Pipeline.samples(clip, type, nil)
      let input = AssetWriterInput(
        mediaType: type, settings: nil, sourceFormatHint: samples[0].formatDescription)
      input.languageCode = "deu"
      try writer.add(input)
      inputs.append((input, samples))
    }
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    for (input, samples) in inputs {
      for sample in samples { try #require(input.append(sample)) }
      input.markAsFinished()
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    for (type, samples) in zip([MediaType.video, .audio], inputs.map(\.1)) {
      let copied = try Pipeline.samples(writer.path, type, nil)
      #expect(
        copied.map { Array($0.dataBuffer?.readOnly ?? .init(start: nil, count: 0)) }
          == samples.map { Array($0.dataBuffer?.readOnly ?? .init(start: nil, count: 0)) })
    }
    #expect(try Pipeline.sound(writer.path).channels == Pipeline.sound(clip).channels)
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(try asset.tracks().allSatisfy { $0.languageCode == "deu" })
  }

  @Test func `a compressed input requires a hint that the container supports`() throws {
    let writer = try writer("no.wav", "wav")
    let hint = FormatDescription(
      TrackDescription(kind: .video, codec: "h264", timeBase: Rational(1, 1000)))
    #expect(!writer.canAdd(AssetWriterInput(mediaType: .video, settings: nil)))
    let input = AssetWriterInput(mediaType: .video, settings: nil, sourceFormatHint: hint)
    #expect(!writer.canAdd(input))
    #expect(throws: MediaError.self) { try writer.add(input) }
    #expect(!writer.canAdd(Self.videoInput()))
    #expect(throws: MediaError.self) {
      try AssetWriter(path: "x", container: "betamax", registry: Pipeline.registry)
    }
  }

  @Test func `an encoder that does not make the codec is rejected`() throws {
    let writer = try writer("no.mkv", "mkv")
    #expect(writer.canAdd(Self.videoInput("h264")))
    #expect(!writer.canAdd(Self.videoInput("vp9")))
    let mixed = AssetWriterInput(
      mediaType: .audio, settings: .video(codec: "h264", width: 96, height: 64))
    #expect(!writer.canAdd(mixed))
  }

  @Test func `an existing file is an error and stays unchanged`() throws {
    let path = scratch.path("there.mp4")
    try Data("mine".utf8).write(to: URL(filePath: path))
    let writer = try writer("there.mp4", "mp4")
    try writer.add(Self.videoInput())
    #expect(!writer.startWriting())
    #expect(writer.status == .failed)
    #expect(writer.error?.code == .io)
    #expect(try Data(contentsOf: URL(filePath: path)) == Data("mine".utf8))
  }

  @Test func `canceling removes the file`() throws {
    let writer = try writer("gone.mp4", "mp4")
    let input = Self.videoInput()
    try writer.add(input)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    try #require(input.append(Self.picture(1, at: .zero)))
    writer.cancelWriting()
    #expect(writer.status == .cancelled)
    #expect(!input.append(try Self.picture(1, at: MediaTime(value: 1, timescale: 25))))
    writer.finishWritingAndWait()
    #expect(writer.status == .cancelled)
    #expect(scratch.names.isEmpty)
  }

  @Test func `canceling while another thread appends leaves nothing`() throws {
    let writer = try writer("race.wav", "wav")
    let input = AssetWriterInput(
      mediaType: .audio,
      settings: .audio(codec: "pcm_s16le", sampleRate: 48000, channelLayout: .mono))
    try writer.add(input)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    let blocks = try (0..<200).map { try Self.tone($0 * 9600, 9600) }
    let feeding = input
    let thread = try PlainThread(name: "feed") {
      for block in blocks { if !feeding.append(block) { return } }
    }
    while writer.status == .writing, !FileManager.default.fileExists(atPath: writer.path) {}
    writer.cancelWriting()
    thread.join()
    #expect(writer.status == .cancelled)
    #expect(scratch.names.isEmpty)
  }

  @Test func `a sample before the session is an error that removes the file`() throws {
    let writer = try writer("early.mp4", "mp4")
    let input = Self.videoInput()
    try writer.add(input)
    try #require(writer.startWriting())
    #expect(!input.append(try Self.picture(1, at: .zero)))
    #expect(writer.status == .failed)
    #expect(writer.error?.code == .invalidArgument)
    #expect(scratch.names.isEmpty)
  }

  @Test func `audio for an input of video is an error`() throws {
    let writer = try writer("mixed.mp4", "mp4")
    let input = Self.videoInput()
    try writer.add(input)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    #expect(!input.append(try Self.tone(0, 100)))
    #expect(writer.error?.code == .invalidArgument)
  }

  @Test func `a file without a single sample fails and is removed`() throws {
    let writer = try writer("empty.mp4", "mp4")
    try writer.add(Self.videoInput())
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    writer.finishWritingAndWait()
    #expect(writer.status == .failed)
    #expect(scratch.names.isEmpty)
  }

  @Test func `an input without samples does not keep the others from being written`() throws {
    let writer = try writer("starved.mp4", "mp4")
    let (video, audio) = (Self.videoInput(), Self.audioInput())
    for input in [video, audio] { try writer.add(input) }
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    for number in 0..<5 {
      let time = MediaTime(value: Int64(number), timescale: 25)
      try #require(video.append(Self.picture(50, at: time)))
    }
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(try asset.tracks().map(\.mediaType) == [.video])
  }
}
