import Dispatch
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

/// A session that starts inside its source, and inputs that request samples.
@Suite struct SessionGuide {
  let scratch: Scratch
  let asset = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: Pipeline.registry)
  let middle = MediaTime(value: 3, timescale: 10)

  init() throws { scratch = try Scratch() }

  /// Returns a started reader and its outputs, which decode from `start` on.
  private func read(from start: MediaTime) throws -> (AssetReader, [AssetReaderTrackOutput]) {
    let reader = try AssetReader(asset: asset)
    reader.timeRange = TimeRange(start: start, duration: .positiveInfinity)
    let outputs = try [
      (MediaType.video, AssetReaderTrackOutput.Settings.video()),
      (.audio, .audio(sampleFormat: .fltp, sampleRate: 48000)),
    ].map { type, settings in
      let track = try #require(try asset.tracks(withMediaType: type).first)
      return AssetReaderTrackOutput(track: track, settings: settings)
    }
    for output in outputs { try reader.add(output) }
    try #require(reader.startReading())
    return (reader, outputs)
  }

  @Test func `a session from the middle starts the file there`() throws {
    let source = try Pipeline.events(try #require(asset.path))
    let (reader, outputs) = try read(from: middle)
    let writer = try Writing.writer(scratch)
    let inputs = [
      AssetWriterInput(
        mediaType: .video, settings: .video(codec: "h264", width: 160, height: 90)),
      AssetWriterInput(
        mediaType: .audio,
        settings: .audio(codec: "aac", sampleRate: 48000, channelLayout: .mono)),
    ]
    for input in inputs { try writer.add(input) }
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: middle)
    for (output, input) in zip(outputs, inputs) {
      while let sample = output.copyNextSampleBuffer() { try #require(input.append(sample)) }
      input.markAsFinished()
    }
    writer.finishWritingAndWait()
    try #require(reader.status == .completed && writer.status == .completed)

    let made = try Pipeline.events(writer.path)
    #expect(abs(made.flash - (source.flash - middle.seconds)) < 1e-3)
    #expect(abs(made.clap - (source.clap - middle.seconds)) < 1e-3)
    let duration = try Asset(path: writer.path, registry: Pipeline.registry).duration().seconds
    #expect(abs(duration - (try asset.duration().seconds - middle.seconds)) < 0.045)
  }

  @Test func `an input requests samples on its queue until it is finished`() async throws {
    let (reader, outputs) = try read(from: .zero)
    let writer = try Writing.writer(scratch)
    let input = AssetWriterInput(
      mediaType: .audio, settings: .audio(codec: "aac", sampleRate: 48000, channelLayout: .mono))
    try Writing.start(writer, [input])
    let output = outputs[1]
    let queue = DispatchQueue(label: "feeding")
    let calls = Counter()
    await withCheckedContinuation { continuation in
      input.requestMediaDataWhenReady(on: queue) {
        dispatchPrecondition(condition: .onQueue(queue))
        _ = calls.next()
        while input.isReadyForMoreMediaData {
          guard let sample = output.copyNextSampleBuffer(), input.append(sample) else {
            input.markAsFinished()
            return continuation.resume()
          }
        }
      }
    }
    reader.cancelReading()
    await writer.finishWriting()
    #expect(writer.status == .completed)
    #expect(calls.count >= 1)
    #expect(try Pipeline.sound(writer.path).count == Pipeline.sound(asset.path ?? "").count)
  }
}
