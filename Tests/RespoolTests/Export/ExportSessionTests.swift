import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct Exporting {
  static let video = ["web-1080p", "web-720p", "web-480p", "webm-720p", "remux-mp4", "remux-mkv"]
  static let audio = ["opus-128k", "aac-160k", "wav"]

  @Test(arguments: [
    "clap-and-flash.mp4", "pattern-vp9.webm", "pattern-flac.mkv", "deep.mkv", "portrait.mov",
    "variable.mp4", "animation.gif",
  ])
  func `every video preset makes a file with the source's length`(clip: String) throws {
    let scratch = try Scratch()
    let source = try Pipeline.pictures(Pipeline.clip(clip))
    for name in Self.video {
      let output = scratch.path(name)
      let report = try Pipeline.export(Pipeline.clip(clip), name, to: output)
      let pictures = try Pipeline.pictures(output)
      #expect(pictures.count == source.count, "\(name)")
      let shifts = zip(pictures, source).map {
        abs(($0.presentationTimeStamp - $1.presentationTimeStamp).seconds)
      }
      #expect(try #require(shifts.max()) < 0.002, "\(name)")
      #expect(report.duration > 0)
    }
  }

  @Test(arguments: [
    "clap-and-flash.mp4", "pattern-vp9.webm", "pattern-flac.mkv", "speech.wav", "speech-opus.opus",
    "speech-mp3.mp3", "speech-flac.flac",
  ])
  func `every audio preset makes a file with the source's length`(clip: String) throws {
    let scratch = try Scratch()
    let source = try Pipeline.sound(Pipeline.clip(clip))
    for name in Self.audio {
      let output = scratch.path(name)
      try Pipeline.export(Pipeline.clip(clip), name, to: output)
      let sound = try Pipeline.sound(output)
      let expected = (Double(source.count) * Double(sound.rate) / Double(source.rate)).rounded()
      #expect(Double(sound.count) == expected, "\(name)")
      #expect(sound.start == .zero, "\(name)")
    }
  }

  @Test func `an audio preset skips a file without audio`() throws {
    let scratch = try Scratch()
    let error = #expect(throws: MediaError.self) {
      try Pipeline.export(Pipeline.clip("variable.mp4"), "wav", to: scratch.path("out.wav"))
    }
    #expect(error?.code == .unsupported)
    #expect(scratch.names.isEmpty)
  }

  /// Writes a film of 600 frames, long enough that encoders with lookahead write much of it before the end.
  private func film(_ scratch: Scratch) throws -> String {
    let writer = try AssetWriter(
      path: scratch.path("film.mp4"), container: "mp4", registry: Pipeline.registry)
    let input = AssetWriterInput(
      mediaType: .video,
      settings: .video(
        codec: "h264", width: 64, height: 48, options: [PluginOption("preset", "ultrafast")]))
    try writer.add(input)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    for number in 0..<600 {
      let frame = try FrameFixture.flat(.yuv420p, 64, 48, [UInt8(number % 200), 128, 128])
      let time = MediaTime(value: Int64(number), timescale: 25)
      try #require(input.append(SampleBuffer(try #require(PixelBuffer(frame)), at: time)))
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return writer.path
  }

  @Test(arguments: [1, 3])
  func `progress grows and ends at one`(threads: Int) throws {
    let scratch = try Scratch()
    let notes = Notes<Double>()
    try Pipeline.export(
      try film(scratch), "web-480p", to: scratch.path("out.mp4"), threads: threads
    ) { notes.add($0) }
    let values = notes.values
    #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
    #expect(values.allSatisfy { (0...1).contains($0) })
    #expect(values.last == 1)
    #expect(values.count > 1)
  }

  @Test(arguments: [1, 3])
  func `canceling half-way leaves nothing`(threads: Int) throws {
    let scratch = try Scratch()
    let session = try ExportSession(
      input: film(scratch), preset: Pipeline.preset("web-480p"), registry: Pipeline.registry,
      threads: threads)
    let error = #expect(throws: MediaError.self) {
      try session.exportAndWait(to: scratch.path("out.mp4")) { done in
        if done > 0.2 { session.cancel() }
      }
    }
    #expect(error?.code == .cancelled)
    #expect(scratch.names == ["film.mp4"])
  }

  @Test func `a session that was canceled before does not begin`() throws {
    let scratch = try Scratch()
    let session = try ExportSession(
      input: Pipeline.clip("speech.wav"), preset: Pipeline.preset("opus-128k"),
      registry: Pipeline.registry)
    _ = try session.prepare()
    session.cancel()
    let error = #expect(throws: MediaError.self) {
      try session.exportAndWait(to: scratch.path("out.opus"))
    }
    #expect(error?.code == .cancelled)
    #expect(scratch.names.isEmpty)
  }

  @Test func `a file that cannot be read is an error that names it`() throws {
    let scratch = try Scratch()
    let notes = Pipeline.clip("notes.txt")
    let error = #expect(throws: MediaError.self) {
      try Pipeline.export(notes, "web-480p", to: scratch.path("out.mp4"))
    }
    #expect(error?.description.contains("notes.txt") == true)
    #expect(throws: MediaError.self) {
      try Pipeline.export(scratch.path("none.mp4"), "web-480p", to: scratch.path("out.mp4"))
    }
    #expect(scratch.names.isEmpty)
  }

  @Test func `an existing output stays unchanged`() throws {
    let scratch = try Scratch()
    let output = scratch.path("out.wav")
    try Data("mine".utf8).write(to: URL(filePath: output))
    #expect(throws: MediaError.self) {
      try Pipeline.export(Pipeline.clip("speech.wav"), "wav", to: output)
    }
    #expect(try Data(contentsOf: URL(filePath: output)) == Data("mine".utf8))
  }

  @Test func `a source that is deleted during the export is still converted`() throws {
    let scratch = try Scratch()
    let input = scratch.path("in.wav")
    try FileManager.default.copyItem(atPath: Pipeline.clip("speech.wav"), toPath: input)
    let session = try ExportSession(
      input: input, preset: Pipeline.preset("opus-128k"), registry: Pipeline.registry)
    _ = try session.prepare()
    try FileManager.default.removeItem(atPath: input)
    _ = try session.exportAndWait(to: scratch.path("out.opus"))
    #expect(try Pipeline.sound(scratch.path("out.opus")).count == 120_000)
  }

  @Test func `a source that is truncated during the export is an error and leaves nothing`() throws
  {
    let scratch = try Scratch()
    let input = scratch.path("in.wav")
    try FileManager.default.copyItem(atPath: Pipeline.clip("speech.wav"), toPath: input)
    let session = try ExportSession(
      input: input, preset: Pipeline.preset("opus-128k"), registry: Pipeline.registry)
    _ = try session.prepare()
    try #require(truncate(input, 20000) == 0)
    let error = #expect(throws: MediaError.self) {
      try session.exportAndWait(to: scratch.path("out.opus"))
    }
    #expect(error?.code == .io)
    #expect(scratch.names == ["in.wav"])
  }

  @Test(arguments: ["web-480p", "webm-720p", "remux-mp4", "remux-mkv", "opus-128k", "aac-160k"])
  func `the bytes are the same with any number of threads`(name: String) throws {
    let scratch = try Scratch()
    var files: [Data] = []
    for (run, threads) in [1, 1, 4].enumerated() {
      let output = scratch.path("\(run)")
      try Pipeline.export(Pipeline.clip("pattern-flac.mkv"), name, to: output, threads: threads)
      files.append(try Data(contentsOf: URL(filePath: output)))
    }
    #expect(files[0] == files[1], "twice")
    #expect(files[0] == files[2], "1 and 4 threads")
  }

  @Test func `settings that threads change at the same time are all kept`() async throws {
    let session = try ExportSession(
      input: Pipeline.clip("speech.wav"), preset: Pipeline.preset("wav"),
      registry: Pipeline.registry)
    let rounds = 2000
    await withTaskGroup { group in
      group.addTask { for length in 1...rounds { session.fileLengthLimit = Int64(length) } }
      group.addTask { for angle in 1...rounds { session.rotation = .clockwise(angle) } }
      group.addTask { for name in 1...rounds { session.outputPath = "\(name)" } }
    }
    #expect(session.fileLengthLimit == Int64(rounds))
    #expect(session.rotation == .clockwise(rounds))
    #expect(session.outputPath == "\(rounds)")
  }
}
