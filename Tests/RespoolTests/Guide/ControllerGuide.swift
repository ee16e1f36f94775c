import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Asynchronous reading of further time ranges and writing in several passes.
@Suite struct ControllerGuide {
  let scratch: Scratch
  let registry = Pipeline.registry

  init() throws { scratch = try Scratch() }

  private func input(width: Int = 96, height: Int = 64) -> AssetWriterInput {
    AssetWriterInput(
      mediaType: .video,
      settings: .video(
        codec: "vp9", width: width, height: height, encoder: "vpx", bitRate: 60000,
        options: [PluginOption("cpu-used", "5")]))
  }

  private func pictures() throws -> (AssetReader, AssetReaderTrackOutput) {
    let asset = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
    let track = try #require(try asset.tracks(withMediaType: .video).first)
    return (try AssetReader(asset: asset), AssetReaderTrackOutput(track: track, settings: .video()))
  }

  @Test(.rule)
  func `a random access controller resets its provider to other ranges until it is final`()
    async throws
  {
    let (reader, output) = try pictures()
    let (provider, access) = try reader.outputProviderWithRandomAccess(for: output)
    #expect(output.supportsRandomAccess)
    let first = TimeRange(start: Writing.time(5), duration: Writing.time(3))
    let rest = TimeRange(start: Writing.time(47), duration: .positiveInfinity)
    try reader.start()
    // A reset throws until all requested ranges have been read.
    #expect(throws: MediaError.self) { try access.resetForReading(timeRanges: [first]) }
    var count = 0
    while try await provider.next() != nil { count += 1 }
    #expect(count == 50 && reader.status == .reading)
    #expect(throws: MediaError.self) { try access.resetForReading(timeRanges: [rest, first]) }
    try access.resetForReading(timeRanges: [first, rest])
    var times: [MediaTime] = []
    while let sample = try await provider.next() { times.append(sample.presentationTimeStamp) }
    #expect(times == [5, 6, 7, 47, 48, 49].map { Writing.time($0) })
    access.markConfigurationAsFinal()
    #expect(reader.status == .completed)
    #expect(throws: MediaError.self) { try access.resetForReading(timeRanges: [first]) }
  }

  @Test(.rule("Each pass of a multi-pass controller has the ranges to append"))
  func `passes are read and written again`() async throws {
    let (reader, output) = try pictures()
    let (provider, access) = try reader.outputProviderWithRandomAccess(for: output)
    let writer = try Writing.writer(scratch, "passes.mkv", "mkv")
    let (receiver, controller) = try writer.inputReceiverRequestingMultiPass(for: input())
    try reader.start()
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    var ranges: [[TimeRange]] = []
    for await pass in try #require(controller.passDescriptions) {
      if !ranges.isEmpty { try access.resetForReading(timeRanges: pass.sourceTimeRanges) }
      ranges.append(pass.sourceTimeRanges)
      while let picture = try await provider.next() { try await receiver.append(picture) }
    }
    access.markConfigurationAsFinal()
    receiver.finish()
    await writer.finishWriting()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(reader.status == .completed)
    let everything = [TimeRange(start: .zero, duration: .positiveInfinity)]
    #expect(ranges == [everything, everything])
    let written = try Pipeline.pictures(writer.path)
    #expect(written.map(\.presentationTimeStamp) == (0..<50).map { Writing.time($0) })
  }

  /// Writes twenty frames with a block for each pass, and with a task that iterates over the passes.
  @Test func `passes of a task write the same as those of a block`() async throws {
    let blocks = try Writing.writer(scratch, "blocks.mkv", "mkv")
    let input = input()
    input.performsMultiPassEncodingIfSupported = true
    let passes = DispatchQueue(label: "passes", attributes: .initiallyInactive)
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      input.respondToEachPassDescription(on: passes) {
        guard input.currentPassDescription != nil else {
          input.markAsFinished()
          return done.resume()
        }
        for number in 0..<20 {
          _ = (try? Writing.picture(number, gray: UInt8(number * 9))).map { input.append($0) }
        }
        input.markCurrentPassAsFinished()
      }
      #expect(throws: Never.self) { try Writing.start(blocks, [input]) }
      // The block must not run before the session has started.
      passes.activate()
    }
    await blocks.finishWriting()

    let tasks = try Writing.writer(scratch, "tasks.mkv", "mkv")
    let (receiver, controller) = try tasks.inputPixelBufferReceiverRequestingMultiPass(
      for: self.input())
    try tasks.start()
    tasks.startSession(atSourceTime: .zero)
    var count = 0
    for await _ in try #require(controller.passDescriptions) {
      count += 1
      for number in 0..<20 {
        let picture = try #require(Writing.picture(number, gray: UInt8(number * 9)).imageBuffer)
        try await receiver.append(picture, with: Writing.time(number))
      }
    }
    receiver.finish()
    await tasks.finishWriting()
    #expect(count == 2)
    try #require(blocks.status == .completed && tasks.status == .completed)
    let (a, b) = (
      try Pipeline.samples(blocks.path, .video, nil), try Pipeline.samples(tasks.path, .video, nil)
    )
    #expect(a.count == 20)
    #expect(
      a.map { $0.dataBuffer?.withBytes { Array($0) } }
        == b.map { $0.dataBuffer?.withBytes { Array($0) } })
  }

  /// The encoder is still in the first pass when the second pass has been appended completely.
  @Test func `there are two passes however slow the encoder is`() async throws {
    let writer = try Writing.writer(scratch, "slow.mkv", "mkv")
    let (receiver, controller) = try writer.inputReceiverRequestingMultiPass(
      for: input(width: 1280, height: 720))
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    var count = 0
    for await _ in try #require(controller.passDescriptions) {
      count += 1
      for number in 0..<4 { try await receiver.append(Writing.picture(number)) }
    }
    receiver.finish()
    await writer.finishWriting()
    #expect(count == 2)
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(try Pipeline.pictures(writer.path).count == 4)
  }

  @Test(.rule) func `a multi-pass controller has no passes if the encoder needs only one`()
    async throws
  {
    let writer = try Writing.writer(scratch, "one.wav", "wav")
    let (receiver, controller) = try writer.inputReceiverRequestingMultiPass(
      for: Writing.linearInput())
    #expect(controller.passDescriptions == nil)
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    try await receiver.append(Writing.tone(0))
    receiver.finish()
    await writer.finishWriting()
    #expect(writer.status == .completed)
  }

  @Test(.rule("Receivers of metadata and captions have a multi-pass controller, too"))
  func `metadata and captions are appended once with a multi-pass controller`() async throws {
    let places = try Writing.writer(scratch, "places.mov", "mov")
    let (metadata, passes) = try places.inputMetadataReceiverRequestingMultiPass(
      for: TimedMetadata.input())
    let texts = try Writing.writer(scratch, "texts.mkv", "mkv")
    let hint = FormatDescription(subtitles: "subrip")
    let (captions, none) = try texts.inputCaptionReceiverRequestingMultiPass(
      for: AssetWriterInput(mediaType: .subtitle, settings: nil, sourceFormatHint: hint))
    for writer in [places, texts] {
      try writer.start()
      writer.startSession(atSourceTime: .zero)
    }
    #expect(passes.passDescriptions == nil && none.passDescriptions == nil)
    let caption = Captions.caption("one", 0, 1000)
    try await metadata.append(TimedMetadata.group("a", 0, 5))
    try await captions.append(caption)
    metadata.finish()
    captions.finish()
    for writer in [places, texts] {
      await writer.finishWriting()
      try #require(writer.status == .completed, "\(String(describing: writer.error))")
    }
    #expect(try TimedMetadata.groups(places.path) == [TimedMetadata.group("a", 0, 5)])
    #expect(try Captions.groups(texts.path).flatMap(\.captions) == [caption])
  }

  @Test func `an input that requests passes has one receiver only`() throws {
    let writer = try Writing.writer(scratch, "places.mov", "mov")
    let input = try TimedMetadata.input()
    _ = try writer.inputMetadataReceiverRequestingMultiPass(for: input)
    let error = #expect(throws: MediaError.self) {
      try writer.inputMetadataReceiverRequestingMultiPass(for: input)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `without a request for passes the samples are appended once`() async throws {
    let writer = try Writing.writer(scratch, "once.mkv", "mkv")
    let (receiver, _) = try writer.inputReceiverRequestingMultiPass(for: input())
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    for number in 0..<5 { try await receiver.append(Writing.picture(number)) }
    receiver.finish()
    await writer.finishWriting()
    #expect(writer.status == .completed)
    #expect(try Pipeline.pictures(writer.path).count == 5)
  }

  @Test(arguments: ["writer", "task"])
  func `a task that waits for a pass ends when it is canceled`(what: String) async throws {
    let writer = try Writing.writer(scratch, "gone.mkv", "mkv")
    let (_, controller) = try writer.inputReceiverRequestingMultiPass(for: input())
    let passes = try #require(controller.passDescriptions)
    let task = Task {
      var count = 0
      for await _ in passes { count += 1 }
      return count
    }
    try await Task.sleep(for: .milliseconds(50))
    if what == "task" { task.cancel() } else { writer.cancelWriting() }
    #expect(await task.value == 0)
  }
}
