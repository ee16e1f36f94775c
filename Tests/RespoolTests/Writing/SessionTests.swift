import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

@Suite struct WritingSessions {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(.rule("Samples after the session's end are not shown"))
  func `samples after the session's end are written but not shown`() throws {
    let writer = try Writing.writer(scratch)
    let inputs = [Writing.videoInput(), Writing.audioInput()]
    try Writing.start(writer, inputs)
    try Writing.feedASecond(inputs)
    writer.endSession(atSourceTime: MediaTime(value: 2, timescale: 5))
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let pictures = try Pipeline.pictures(writer.path)
    #expect(pictures.map(\.presentationTimeStamp) == (0..<10).map { Writing.time($0) })
    #expect(try Pipeline.sound(writer.path).count == 19200)
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(try asset.duration() == MediaTime(value: 2, timescale: 5))
    let written = try Writing.probe(
      writer.path,
      [
        "-ignore_editlist", "1", "-select_streams", "v", "-count_packets", "-show_entries",
        "stream=nb_read_packets",
      ])
    #expect(written.filter(\.isNumber) == "25")
  }

  @Test(.rule, arguments: ["mp4", "mov"])
  func `the last frame is shown until a later session end`(container: String) throws {
    let writer = try Writing.writer(scratch, "long.\(container)", container)
    let inputs = [Writing.videoInput(), Writing.audioInput()]
    try Writing.start(writer, inputs)
    try Writing.feedASecond(inputs)
    writer.endSession(atSourceTime: MediaTime(value: 12, timescale: 5))
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(try asset.duration() == MediaTime(value: 12, timescale: 5))
    let video = try asset.tracks(withMediaType: .video)[0]
    #expect(video.timeRange.end == MediaTime(value: 12, timescale: 5))
    #expect(try Pipeline.pictures(writer.path).count == 25)
    #expect(try Pipeline.sound(writer.path).count == 48000)
    let told = try Writing.probe(
      writer.path, ["-select_streams", "v", "-show_entries", "stream=duration:format=duration"])
    #expect(told.split(whereSeparator: \.isNewline).map { Double($0) } == [2.4, 2.4])
  }

  @Test func `a session end that is too late does no harm`() throws {
    let writer = try Writing.writer(scratch, "far.mov", "mov")
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    for number in -2..<3 { try #require(input.append(Writing.picture(number))) }
    writer.endSession(atSourceTime: MediaTime(value: .max, timescale: 1))
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
    #expect(try Pipeline.pictures(writer.path).count == 3)
  }

  @Test(.rule) func `a sample is shown at its time minus the session's start`() throws {
    let writer = try Writing.writer(scratch, "middle.mov", "mov")
    let video = Writing.videoInput()
    try writer.add(video)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: Writing.time(50))
    for number in 48..<75 {
      try #require(video.append(Writing.picture(number, gray: UInt8(number))))
    }
    writer.endSession(atSourceTime: Writing.time(70))
    writer.finishWritingAndWait()
    let pictures = try Pipeline.pictures(writer.path)
    #expect(pictures.map(\.presentationTimeStamp) == (0..<20).map { Writing.time($0) })
    #expect(abs(try #require(pictures.first).brightness() - 50) < 3)
  }

  @Test(.rule) func `a track that begins after the session has an empty edit first`() throws {
    let writer = try Writing.writer(scratch)
    let (video, audio) = (Writing.videoInput(), Writing.audioInput())
    try Writing.start(writer, [video, audio])
    for number in 5..<30 { try #require(video.append(Writing.picture(number))) }
    for number in 0..<30 { try #require(audio.append(Writing.tone(number * 1920))) }
    writer.finishWritingAndWait()
    let track = try Writing.track(writer.path, .video)
    #expect(track.edits.first?.mediaStart == nil)
    #expect(track.start.map { MediaTime($0, track.timeBase) } == Writing.time(5))
    #expect(
      try Pipeline.pictures(writer.path).first?.presentationTimeStamp == Writing.time(5))
  }

  @Test(
    .rule(
      "A session starts after writing has started and before the first sample, and there is only one"
    ),
    arguments: [
      "start before writing", "start twice", "end before start", "end twice",
      "end before its start",
      "append after end", "finish before writing", "no number",
    ])
  func `a call in the wrong state fails the writer and leaves no file`(misuse: String) throws {
    let writer = try Writing.writer(scratch, "wrong.wav", "wav")
    let input = Writing.linearInput()
    try writer.add(input)
    switch misuse {
    case "start before writing": writer.startSession(atSourceTime: .zero)
    case "finish before writing": writer.finishWritingAndWait()
    default:
      try #require(writer.startWriting())
      if misuse == "no number" {
        writer.startSession(atSourceTime: .indefinite)
      } else if misuse != "end before start" {
        writer.startSession(atSourceTime: Writing.time(5))
        try #require(input.append(Writing.tone(48000)))
      }
      switch misuse {
      case "start twice": writer.startSession(atSourceTime: .zero)
      case "end before start": writer.endSession(atSourceTime: Writing.time(9))
      case "end before its start": writer.endSession(atSourceTime: Writing.time(4))
      case "end twice":
        writer.endSession(atSourceTime: Writing.time(50))
        writer.endSession(atSourceTime: Writing.time(60))
      case "append after end":
        writer.endSession(atSourceTime: Writing.time(50))
        #expect(!input.append(try Writing.tone(49920)))
      default: break
      }
    }
    #expect(writer.status == .failed)
    #expect(writer.error?.code == .invalidArgument)
    #expect(scratch.names.isEmpty)
    writer.cancelWriting()
    #expect(writer.status == .failed)
  }
}
