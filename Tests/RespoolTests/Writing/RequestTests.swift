import Dispatch
import TestFixtures
import ReadingFixtures
import Foundation
import RespoolMedia
import Testing

@testable import Respool

@Suite struct MediaDataRequests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Blocks until `condition` holds; fails after a minute.
  private func wait(until condition: () -> Bool) {
    let end = Date(timeIntervalSinceNow: 60)
    while !condition(), Date() < end { usleep(2000) }
    #expect(condition())
  }

  @Test func `two inputs with their own queues fill one file`() async throws {
    let writer = try Writing.writer(scratch)
    let inputs = [Writing.videoInput(), Writing.audioInput()]
    let counters = [Counter(), Counter()]
    let done = DispatchGroup()
    for (index, input) in inputs.enumerated() {
      try writer.add(input)
      done.enter()
      // The block is set before writing starts, and called after writing has started.
      input.requestMediaDataWhenReady(on: DispatchQueue(label: "input \(index)")) {
        while input.isReadyForMoreMediaData {
          let number = counters[index].next()
          let sample =
            index == 0 ? try? Writing.picture(number) : try? Writing.tone(number * 1920)
          guard number < 25, let sample, input.append(sample) else {
            input.markAsFinished()
            done.leave()
            return
          }
        }
      }
    }
    #expect(counters.allSatisfy { $0.count == 0 })
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    await withCheckedContinuation { continuation in
      done.notify(queue: .global()) { continuation.resume() }
    }
    await writer.finishWriting()
    #expect(writer.status == .completed)
    #expect(try Pipeline.pictures(writer.path).count == 25)
    #expect(try Pipeline.sound(writer.path).count == 48000)
  }

  @Test(.rule) func `the block is called again when the input is ready again`() throws {
    let writer = try Writing.writer(scratch, "one.wav", "wav")
    let input = Writing.linearInput()
    try Writing.start(writer, [input])
    let counter = Counter()
    input.requestMediaDataWhenReady(on: DispatchQueue(label: "one")) {
      let number = counter.next()
      guard number < 10, let tone = try? Writing.tone(number * 1920) else {
        return input.markAsFinished()
      }
      input.append(tone)
    }
    wait { input.isFinished }
    writer.finishWritingAndWait()
    #expect(try Pipeline.sound(writer.path).count == 19200)
    #expect(counter.count == 11)
  }

  private final class Witness: Sendable {}

  @Test(.rule, arguments: ["finished", "cancelled", "failed", "completed"])
  func `the block is released when the input has ended`(ending: String) throws {
    let writer = try Writing.writer(scratch, "gone.wav", "wav")
    let input = Writing.linearInput()
    try Writing.start(writer, [input])
    var witness: Witness? = Witness()
    weak let weakWitness = witness
    let queue = DispatchQueue(label: "witness")
    do {
      let held = witness
      input.requestMediaDataWhenReady(on: queue) { withExtendedLifetime(held) {} }
    }
    witness = nil
    queue.sync {}
    #expect(weakWitness != nil)
    switch ending {
    case "finished": input.markAsFinished()
    case "cancelled": writer.cancelWriting()
    case "failed": writer.startSession(atSourceTime: .zero)
    default:
      #expect(input.append(try Writing.tone(0)))
      writer.finishWritingAndWait()
    }
    queue.sync {}
    wait { weakWitness == nil }
    #expect(!input.isReadyForMoreMediaData)
  }

  @Test func `a second request fails the writer`() throws {
    let writer = try Writing.writer(scratch, "twice.wav", "wav")
    let input = Writing.linearInput()
    try Writing.start(writer, [input])
    let queue = DispatchQueue(label: "twice")
    input.requestMediaDataWhenReady(on: queue) {}
    input.requestMediaDataWhenReady(on: queue) {}
    #expect(writer.error?.code == .invalidArgument)
    #expect(scratch.names.isEmpty)
  }

  @Test func `filling one input before the other does not block`() throws {
    let clip = Pipeline.clip("pattern-h264.mp4")
    let sample = try #require(try Pipeline.samples(clip, .video, nil).first)
    let packet = try #require(sample.packet)
    let sound = try #require(try Pipeline.samples(clip, .audio, nil).first)
    let writer = try Writing.writer(scratch, "starved.mov", "mov")
    let video = AssetWriterInput(
      mediaType: .video, settings: nil, sourceFormatHint: sample.formatDescription)
    let audio = AssetWriterInput(
      mediaType: .audio, settings: nil, sourceFormatHint: sound.formatDescription)
    try Writing.start(writer, [video, audio])
    // Forty packets of 1 MiB are more than the writer buffers.
    var large = packet
    large.payload = .bytes(MediaBuffer(count: 1 << 20))
    var waited = 0
    for number in 0..<40 {
      while !video.isReadyForMoreMediaData {
        usleep(10000)
        waited += 1
        try #require(waited < 3000)
      }
      large.pts = Int64(number)
      large.dts = Int64(number)
      try #require(
        video.append(
          SampleBuffer(
            .packet(large), format: sample.formatDescription, timeBase: Rational(1, 25))))
    }
    #expect(waited > 0)
    video.markAsFinished()
    try #require(audio.append(sound))
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(try asset.tracks().map(\.mediaType) == [.video, .audio])
  }

  @Test(.rule) func `an input of a live source is always ready`() throws {
    let sample = try #require(
      try Pipeline.samples(Pipeline.clip("pattern-h264.mp4"), .video, nil).first)
    let packet = try #require(sample.packet)
    for isLive in [true, false] {
      let writer = try Writing.writer(scratch, "live-\(isLive).mp4")
      let video = AssetWriterInput(
        mediaType: .video, settings: nil, sourceFormatHint: sample.formatDescription)
      #expect(!video.expectsMediaDataInRealTime)
      video.expectsMediaDataInRealTime = isLive
      try Writing.start(writer, [video, Writing.audioInput()])
      var large = packet
      large.payload = .bytes(MediaBuffer(count: 20 << 20))
      try #require(
        video.append(
          SampleBuffer(.packet(large), format: sample.formatDescription, timeBase: Rational(1, 25))
        ))
      video.pipeline?.queue.waitUntilIdle()
      #expect(video.isReadyForMoreMediaData == isLive)
      writer.cancelWriting()
      #expect(!video.isReadyForMoreMediaData)
    }
  }

  @Test(.rule)
  func `media data is requested again for each pass, and the end of a pass cancels the request`()
    throws
  {
    let writer = try Writing.writer(scratch, "passes.mp4")
    let input = Writing.videoInput()
    input.performsMultiPassEncodingIfSupported = true
    #expect(!input.canPerformMultiplePasses)
    #expect(input.currentPassDescription == nil)
    let ranges = Notes<[TimeRange]?>()
    let queue = DispatchQueue(label: "passes")
    input.respondToEachPassDescription(on: queue) {
      let pass = input.currentPassDescription
      ranges.add(pass?.sourceTimeRanges)
      guard pass != nil else { return input.markAsFinished() }
      let counter = Counter()
      input.requestMediaDataWhenReady(on: queue) {
        while input.isReadyForMoreMediaData {
          let number = counter.next()
          guard number < 5, let picture = try? Writing.picture(number), input.append(picture) else {
            return input.markCurrentPassAsFinished()
          }
        }
      }
    }
    try Writing.start(writer, [input])
    wait { input.isFinished }
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
    #expect(ranges.values == [[TimeRange(start: .zero, duration: .positiveInfinity)], nil])
    #expect(try Pipeline.pictures(writer.path).count == 5)
  }
}

@Suite struct TwoPasses {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func input() -> AssetWriterInput {
    let input = AssetWriterInput(
      mediaType: .video,
      settings: .video(
        codec: "vp9", width: 96, height: 64, encoder: "vpx", bitRate: 60000,
        options: [PluginOption("cpu-used", "5")]))
    input.performsMultiPassEncodingIfSupported = true
    return input
  }

  @Test(.rule) func `passes are announced until none is left`() throws {
    let writer = try Writing.writer(scratch, "twice.mkv", "mkv")
    let input = input()
    #expect(!input.canPerformMultiplePasses)
    let passes = Notes<Bool>()
    let (queue, done) = (DispatchQueue(label: "passes"), DispatchSemaphore(value: 0))
    input.respondToEachPassDescription(on: queue) {
      passes.add(input.currentPassDescription != nil)
      guard input.currentPassDescription != nil else {
        input.markAsFinished()
        done.signal()
        return
      }
      let counter = Counter()
      input.requestMediaDataWhenReady(on: queue) {
        while input.isReadyForMoreMediaData {
          let number = counter.next()
          guard number < 20, let picture = try? Writing.picture(number, gray: UInt8(number * 9)),
            input.append(picture)
          else { return input.markCurrentPassAsFinished() }
        }
      }
    }
    try Writing.start(writer, [input])
    #expect(input.canPerformMultiplePasses)
    #expect(done.wait(timeout: .now() + 120) == .success)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(passes.values == [true, true, false])
    let pictures = try Pipeline.pictures(writer.path)
    #expect(pictures.count == 20)
    #expect(abs(try #require(pictures.last).brightness() - 171) < 8)
  }

  @Test func `without a handler for passes the samples are appended once`() throws {
    let writer = try Writing.writer(scratch, "once.mkv", "mkv")
    let input = input()
    try Writing.start(writer, [input])
    for number in 0..<5 { try #require(input.append(Writing.picture(number))) }
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
    #expect(try Pipeline.pictures(writer.path).count == 5)
  }

  @Test func `an input that is finished in its first pass fails the writer`() throws {
    let writer = try Writing.writer(scratch, "early.mkv", "mkv")
    let input = input()
    input.respondToEachPassDescription(on: DispatchQueue(label: "passes")) {}
    try Writing.start(writer, [input])
    try #require(input.append(Writing.picture(0)))
    input.markAsFinished()
    #expect(writer.error?.code == .invalidArgument)
    #expect(scratch.names.isEmpty)
  }
}
