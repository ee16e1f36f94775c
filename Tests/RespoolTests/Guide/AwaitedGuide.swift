import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Asynchronous reading and writing with providers and receivers.
@Suite struct AwaitedGuide {
  let scratch: Scratch
  let registry = Pipeline.registry

  init() throws { scratch = try Scratch() }

  @Test(.rule("Providers and receivers may be used by concurrent tasks"))
  func `providers and receivers copy a movie`() async throws {
    let clip = Pipeline.clip("clap-and-flash.mp4")
    let asset = Asset(path: clip, registry: registry)
    let reader = try AssetReader(asset: asset)
    let writer = try Writing.writer(scratch)
    var pairs: [(AssetReaderOutput.Provider, AssetWriterInput.SampleBufferReceiver)] = []
    for track in try await asset.load(.tracks) {
      let provider = try reader.outputProvider(
        for: AssetReaderTrackOutput(track: track, settings: nil))
      let receiver = try writer.inputReceiver(
        for: AssetWriterInput(
          mediaType: track.mediaType, settings: nil, sourceFormatHint: track.formatDescription))
      pairs.append((provider, receiver))
    }
    try reader.start()
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    try await withThrowingTaskGroup { group in
      for (provider, receiver) in pairs {
        group.addTask {
          while let sample = try await provider.next() { try await receiver.append(sample) }
          receiver.finish()
        }
      }
      try await group.waitForAll()
    }
    await writer.finishWriting()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(reader.status == .completed)
    for type in [MediaType.video, .audio] {
      let (before, after) = (
        try Pipeline.samples(clip, type, nil), try Pipeline.samples(writer.path, type, nil)
      )
      #expect(before.map(\.totalSampleSize) == after.map(\.totalSampleSize))
      #expect(before.map(\.presentationTimeStamp) == after.map(\.presentationTimeStamp))
    }
  }

  @Test(.rule("A receiver's append waits until the input is ready"))
  func `a receiver waits for the others and throws after writing ends`() async throws {
    let writer = try Writing.writer(scratch, "wait.wav", "wav")
    let receiver = try writer.inputReceiver(for: Writing.linearInput())
    try writer.start()
    // Nothing is accepted before the session starts.
    #expect(try !receiver.appendImmediately(Writing.tone(0)))
    let tone = try Writing.tone(0)
    async let appended: Void = receiver.append(tone)
    writer.startSession(atSourceTime: .zero)
    try await appended
    #expect(try receiver.appendImmediately(Writing.tone(1920)))
    receiver.finish()
    await #expect(throws: MediaError.self) { try await receiver.append(tone) }
    await writer.finishWriting()
    #expect(writer.status == .completed)
    #expect(try Pipeline.sound(writer.path).count == 3840)
  }

  @Test(.rule)
  func `appendImmediately of a receiver does not wait, and is false if the input is not ready`()
    throws
  {
    let writer = try Writing.writer(scratch, "now.mov", "mov")
    let pictures = try writer.inputPixelBufferReceiver(for: Writing.videoInput())
    let place = MetadataIdentifier.quickTimeMetadataLocationISO6709
    let places = try writer.inputMetadataReceiver(
      for: AssetWriterInput(
        mediaType: .metadata, settings: nil,
        sourceFormatHint: try FormatDescription(metadataSpecifications: [
          MetadataSpecification(identifier: place, dataType: .utf8)
        ])))
    let group = TimedMetadataGroup(
      items: [MetadataItem(identifier: place, value: .string("+48.137+011.575/"))],
      timeRange: TimeRange(start: .zero, duration: .invalid))
    let picture = try #require(Writing.picture(0).imageBuffer)
    try writer.start()
    // Nothing is accepted before the session starts.
    #expect(try !pictures.appendImmediately(picture, with: .zero))
    #expect(try !places.appendImmediately(group))
    writer.startSession(atSourceTime: .zero)
    #expect(try pictures.appendImmediately(picture, with: .zero))
    #expect(try places.appendImmediately(group))
    pictures.finish()
    places.finish()
    let late = #expect(throws: MediaError.self) {
      try pictures.appendImmediately(picture, with: Writing.time(1))
    }
    #expect(late?.code == .invalidArgument)
    #expect(throws: MediaError.self) { try places.appendImmediately(group) }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(try Pipeline.pictures(writer.path).count == 1)
  }

  @Test(.rule, arguments: ["writer", "task"])
  func `a task that waits to append ends when writing or the task is canceled`(what: String)
    async throws
  {
    let writer = try Writing.writer(scratch, "gone.wav", "wav")
    let receiver = try writer.inputReceiver(for: Writing.linearInput())
    try writer.start()
    let tone = try Writing.tone(0)
    let task = Task { try await receiver.append(tone) }
    if what == "task" { task.cancel() } else { writer.cancelWriting() }
    let error = await #expect(throws: MediaError.self) { try await task.value }
    #expect(error?.code == .cancelled)
    writer.cancelWriting()
    #expect(scratch.names.isEmpty)
  }

  @Test(.rule) func `a pixel buffer receiver has a pool after writing has started`() async throws {
    let writer = try Writing.writer(scratch)
    let receiver = try writer.inputPixelBufferReceiver(
      for: Writing.videoInput(),
      pixelBufferAttributes: PixelBufferAttributes(pixelFormat: .gray, width: 96, height: 64))
    #expect(receiver.pixelBufferPool == nil)
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    for number in 0..<10 {
      let picture = try #require(receiver.pixelBufferPool).makePixelBuffer()
      try await receiver.append(picture, with: Writing.time(number))
    }
    receiver.finish()
    await writer.finishWriting()
    #expect(try Pipeline.pictures(writer.path).count == 10)
  }

  @Test(.rule) func `a provider returns nil at the end, and throws on failure and canceling`()
    async throws
  {
    let asset = Asset(path: Pipeline.clip("speech.wav"), registry: registry)
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderTrackOutput(track: try asset.tracks()[0], settings: nil)
    let provider = try reader.outputProvider(for: output)
    await #expect(throws: MediaError.self) { try await provider.next() }
    try reader.start()
    #expect(throws: MediaError.self) { try reader.start() }
    while try await provider.next() != nil {}
    #expect(try await provider.next() == nil)
    #expect(throws: MediaError.self) { try reader.outputProvider(for: output) }
    let again = try AssetReader(asset: asset)
    let cancelled = try again.outputProvider(
      for: AssetReaderTrackOutput(track: try asset.tracks()[0], settings: nil))
    try again.start()
    again.cancelReading()
    let error = await #expect(throws: MediaError.self) { try await cancelled.next() }
    #expect(error?.code == .cancelled)
    // A track of audio has no groups of metadata, so the reader fails.
    let failing = try AssetReader(asset: asset)
    let groups = try failing.outputMetadataProvider(
      for: AssetReaderTrackOutput(track: try asset.tracks()[0], settings: nil))
    try failing.start()
    await #expect(throws: MediaError.self) { try await groups.next() }
    #expect(failing.status == .failed)
  }
}
