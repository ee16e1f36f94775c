import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct FragmentedMovies {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func write(_ name: String, _ container: String) throws -> String {
    let writer = try Writing.writer(scratch, name, container)
    writer.movieFragmentInterval = MediaTime(value: 1, timescale: 4)
    let inputs = [Writing.videoInput(), Writing.audioInput()]
    try Writing.start(writer, inputs)
    try Writing.feedASecond(inputs)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return writer.path
  }

  @Test(arguments: ["mp4", "mov"])
  func `other programs read fragments without a warning`(container: String) throws {
    let path = try write("fragments.\(container)", container)
    let boxes = try Writing.boxes(path)
    #expect(boxes.prefix(2) == ["ftyp", "moov"])
    #expect(boxes.filter { $0 == "moof" }.count >= 4)
    #expect(boxes.last == "mfra")
    let times = try Writing.probe(
      path, ["-select_streams", "v", "-show_entries", "frame=pts_time"])
    let seconds = times.split(separator: "\n").compactMap {
      Double($0.trimmingCharacters(in: CharacterSet(charactersIn: ",")))
    }
    #expect(seconds.count == 25)
    for (number, time) in seconds.enumerated() { #expect(abs(time - Double(number) / 25) < 1e-4) }
    let packets = try Writing.probe(
      path, ["-select_streams", "a", "-count_packets", "-show_entries", "stream=nb_read_packets"])
    // One second of audio and the encoder's priming.
    #expect(abs((Int(packets.filter(\.isNumber)) ?? 0) - 48) <= 1)
  }

  @Test(arguments: ["mp4", "mov"])
  func `fragments read back as they were written`(container: String) throws {
    let path = try write("back.\(container)", container)
    let pictures = try Pipeline.pictures(path)
    #expect(
      pictures.map(\.presentationTimeStamp) == (0..<25).map { MediaTime(value: $0, timescale: 25) })
    let sound = try Pipeline.sound(path)
    #expect(sound.start == .zero)
    #expect(sound.count == 48000)
    #expect(abs(sound.power(of: 1000, channel: 0) - 0.0625) < 0.006)
  }

  @Test(.rule) func `a file in fragments can be played up to the last written one`() throws {
    let writer = try Writing.writer(scratch, "cut.mp4")
    writer.movieFragmentInterval = MediaTime(value: 1, timescale: 10)
    let input = AssetWriterInput(
      mediaType: .video,
      settings: .video(
        codec: "h264", width: 96, height: 64, encoder: "x264",
        options: [PluginOption("tune", "zerolatency")]))
    try Writing.start(writer, [input])
    for number in 0..<2000 { try #require(input.append(Writing.picture(number))) }
    let copy = scratch.path("copy.mp4")
    try FileManager.default.copyItem(atPath: writer.path, toPath: copy)
    writer.cancelWriting()
    let count = try Pipeline.pictures(copy).count
    #expect(count > 0)
    #expect(count < 2000)
  }

  @Test(arguments: ["h264", "vp9"])
  func `frames of a live source are soon in the file`(codec: String) throws {
    let writer = try Writing.writer(scratch, "live.mp4")
    writer.movieFragmentInterval = MediaTime(value: 1, timescale: 5)
    let input = AssetWriterInput(
      mediaType: .video, settings: .video(codec: codec, width: 96, height: 64))
    input.expectsMediaDataInRealTime = true
    try Writing.start(writer, [input])
    for number in 0..<30 { try #require(input.append(Writing.picture(number))) }
    // The frames are encoded on another thread. Encoding finishes without a further frame.
    input.pipeline?.queue.waitUntilIdle()
    let copy = scratch.path("copy.mp4")
    try FileManager.default.copyItem(atPath: writer.path, toPath: copy)
    writer.cancelWriting()
    // Up to five frames are in the unfinished fragment, and the encoder holds one or two.
    #expect(try Pipeline.pictures(copy).count >= 20)
  }

  @Test(.rule) func `the first fragment has its sequence number and the hint of the duration`()
    throws
  {
    let writer = try Writing.writer(scratch, "hinted.mp4")
    writer.movieFragmentInterval = MediaTime(value: 1, timescale: 10)
    writer.overallDurationHint = MediaTime(value: 77, timescale: 1)
    writer.initialMovieFragmentSequenceNumber = 0
    #expect(writer.initialMovieFragmentSequenceNumber == 1)
    writer.initialMovieFragmentSequenceNumber = 500
    let input = Writing.audioInput()
    try Writing.start(writer, [input])
    for number in 0..<250 { try #require(input.append(Writing.tone(number * 1920))) }
    let early = scratch.path("early.mp4")
    try FileManager.default.copyItem(atPath: writer.path, toPath: early)
    writer.finishWritingAndWait()
    func seconds(_ path: String) throws -> Double {
      try Asset(path: path, registry: Pipeline.registry).duration().seconds
    }
    #expect(try seconds(early) == 77)
    #expect(abs(try seconds(writer.path) - 10) < 1e-3)
    let bytes = try Data(contentsOf: URL(filePath: writer.path))
    let header = try #require(bytes.range(of: Data("mfhd".utf8)))
    #expect(Array(bytes[header.upperBound..<header.upperBound + 8]) == [0, 0, 0, 0, 0, 0, 1, 244])
    #expect(try Pipeline.sound(writer.path).count == 480_000)
  }

  @Test(.rule, arguments: [0.6, 1.5])
  func `a session's end applies in a movie of fragments`(end: Double) throws {
    let writer = try Writing.writer(scratch, "ended.mp4")
    writer.movieFragmentInterval = MediaTime(value: 1, timescale: 4)
    let inputs = [Writing.videoInput(), Writing.audioInput()]
    try Writing.start(writer, inputs)
    try Writing.feedASecond(inputs)
    writer.endSession(atSourceTime: MediaTime(seconds: end, preferredTimescale: 1000))
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let pictures = try Pipeline.pictures(writer.path)
    #expect(pictures.count == min(25, Int(end * 25)))
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(abs(try asset.duration().seconds - end) < 1e-4)
    let track = try #require(try asset.tracks(withMediaType: .video).first)
    #expect(abs(track.timeRange.end.seconds - end) < 1e-4)
    #expect(try Pipeline.sound(writer.path).count == min(48000, Int(end * 48000)))
  }

  @Test(.rule) func `the first fragment has an interval of its own`() throws {
    let writer = try Writing.writer(scratch, "first.mp4")
    writer.initialMovieFragmentInterval = MediaTime(value: 1, timescale: 5)
    let input = Writing.audioInput()
    try Writing.start(writer, [input])
    for number in 0..<50 { try #require(input.append(Writing.tone(number * 1920))) }
    writer.finishWritingAndWait()
    #expect(try Writing.boxes(writer.path).filter { $0 == "moof" }.count == 2)
    #expect(try Pipeline.sound(writer.path).count == 96000)
  }
}
