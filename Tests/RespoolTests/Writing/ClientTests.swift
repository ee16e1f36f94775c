import Dispatch
import TestFixtures
import ReadingFixtures
import Foundation
import RespoolMedia
import Testing

@testable import Respool

/// Clients that feed a writer as Apple's sample code does.
@Suite struct Clients {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let seconds = 8

  private func inputs() -> [AssetWriterInput] { [Writing.videoInput(), Writing.audioInput()] }

  /// Returns the sample of an input with this number.
  ///
  /// `nil` after the last one.
  private static func sample(_ input: AssetWriterInput, _ number: Int) -> SampleBuffer? {
    guard number < seconds * 25 else { return nil }
    return input.mediaType == .video
      ? try? Writing.picture(number, gray: UInt8(number % 200)) : try? Writing.tone(number * 1920)
  }

  private func check(_ writer: AssetWriter) throws -> Data {
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(try Pipeline.pictures(writer.path).count == Self.seconds * 25)
    #expect(try Pipeline.sound(writer.path).count == Self.seconds * 48000)
    return try Data(contentsOf: URL(filePath: writer.path))
  }

  private func request(
    _ input: AssetWriterInput, on queue: DispatchQueue, _ done: DispatchGroup,
    mostAtOnce: Int = .max
  ) {
    let counter = Counter()
    done.enter()
    input.requestMediaDataWhenReady(on: queue) {
      var left = mostAtOnce
      while input.isReadyForMoreMediaData, left > 0 {
        left -= 1
        guard let sample = Self.sample(input, counter.next()), input.append(sample) else {
          input.markAsFinished()
          return done.leave()
        }
      }
    }
  }

  @Test func `the file is the same however a client feeds its inputs`() async throws {
    var files: [String: Data] = [:]

    // A queue for each input.
    var writer = try Writing.writer(scratch, "queues.mp4")
    var inputs = inputs()
    try Writing.start(writer, inputs)
    var done = DispatchGroup()
    for (number, input) in inputs.enumerated() {
      request(input, on: DispatchQueue(label: "input \(number)"), done)
    }
    await finished(done)
    await writer.finishWriting()
    files["queues"] = try check(writer)

    // One queue for all inputs.
    writer = try Writing.writer(scratch, "queue.mp4")
    inputs = self.inputs()
    try Writing.start(writer, inputs)
    done = DispatchGroup()
    let queue = DispatchQueue(label: "inputs")
    for input in inputs { request(input, on: queue, done) }
    await finished(done)
    await writer.finishWriting()
    files["queue"] = try check(writer)

    // One sample for each call.
    writer = try Writing.writer(scratch, "single.mp4")
    inputs = self.inputs()
    try Writing.start(writer, inputs)
    done = DispatchGroup()
    for input in inputs {
      request(input, on: DispatchQueue(label: "input"), done, mostAtOnce: 1)
    }
    await finished(done)
    await writer.finishWriting()
    files["single"] = try check(writer)

    // A task for each input.
    writer = try Writing.writer(scratch, "tasks.mp4")
    inputs = self.inputs()
    let receivers = try inputs.map { ($0, try writer.inputReceiver(for: $0)) }
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (input, receiver) in receivers {
        group.addTask {
          var number = 0
          while let sample = Self.sample(input, number) {
            try await receiver.append(sample)
            number += 1
          }
          receiver.finish()
        }
      }
      try await group.waitForAll()
    }
    await writer.finishWriting()
    files["tasks"] = try check(writer)

    for (name, file) in files { #expect(file == files["queues"], "\(name)") }
    #expect(try polled("polled.mp4", atOnce: 1) == files["queues"])
  }

  private func finished(_ group: DispatchGroup) async {
    await withCheckedContinuation { continuation in
      group.notify(queue: .global()) { continuation.resume() }
    }
  }

  /// Feeds all inputs from one thread, which polls them for readiness.
  private func polled(_ name: String, atOnce: Int) throws -> Data {
    let writer = try Writing.writer(scratch, name)
    let inputs = inputs()
    try Writing.start(writer, inputs)
    var next = inputs.map { _ in 0 }
    while !inputs.allSatisfy(\.isFinished) {
      for (place, input) in inputs.enumerated() where !input.isFinished {
        for _ in 0..<atOnce {
          guard let sample = Self.sample(input, next[place]) else {
            input.markAsFinished()
            break
          }
          while !input.isReadyForMoreMediaData {
            try #require(writer.status == .writing)
            usleep(1000)
          }
          try #require(input.append(sample))
          next[place] += 1
        }
      }
    }
    writer.finishWritingAndWait()
    return try check(writer)
  }

  @Test func `a thread that feeds in large portions is delayed once`() throws {
    // Four seconds for one input, then four for the other.
    let start = Date()
    _ = try polled("portions.mp4", atOnce: 100)
    #expect(Date().timeIntervalSince(start) < 30)
  }

  @Test func `an input that is ahead waits for the other`() throws {
    let writer = try Writing.writer(scratch)
    let inputs = inputs()
    try Writing.start(writer, inputs)
    var number = 0
    while number < 100 {
      // The other input gets a little audio, so that the writer takes it into account.
      try #require(inputs[1].append(Writing.tone(number * 40, 40)))
      inputs[0].pipeline?.queue.waitUntilIdle()
      guard inputs[0].isReadyForMoreMediaData else { break }
      try #require(inputs[0].append(Writing.picture(number)))
      number += 1
    }
    #expect(number >= 50 && number < 60, "two seconds ahead: \(number)")
    #expect(inputs[1].isReadyForMoreMediaData)
    writer.cancelWriting()
  }

  /// A first presentation time of zero may have any time scale.
  @Test(
    arguments: [
      (MediaTime.zero, Int32(24), false), (MediaTime(value: 0, timescale: 600), 30000, false),
      (.zero, 24, true), (.zero, 30000, true), (MediaTime(value: 0, timescale: 90000), 25, false),
    ], ["mp4", "mov"])
  func `a first time of zero says nothing about the time base`(
    first: (MediaTime, scale: Int32, hasDuration: Bool), container: String
  ) throws {
    let writer = try Writing.writer(scratch, "zero.\(container)", container)
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    let frame: Int64 = first.scale == 30000 ? 1001 : 1
    func time(_ number: Int) -> MediaTime {
      number == 0 ? first.0 : MediaTime(value: Int64(number) * frame, timescale: first.scale)
    }
    for number in 0..<48 {
      let picture = try #require(try Writing.picture(0).imageBuffer)
      let duration =
        first.hasDuration ? MediaTime(value: frame, timescale: first.scale) : .invalid
      try #require(input.append(SampleBuffer(picture, at: time(number), duration: duration)))
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let shown = try Pipeline.pictures(writer.path)
    #expect(shown.map(\.presentationTimeStamp) == (0..<48).map(time))
    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    #expect(try asset.duration() == MediaTime(value: 48 * frame, timescale: first.scale))
    let rate = try Writing.probe(
      writer.path, ["-select_streams", "v", "-show_entries", "stream=avg_frame_rate"])
    #expect(rate.hasPrefix("\(first.scale)/\(frame)"), "\(rate)")
  }

  @Test func `a single frame at zero has a time base`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    let picture = try #require(try Writing.picture(0).imageBuffer)
    try #require(input.append(SampleBuffer(picture, at: .zero)))
    writer.finishWritingAndWait()
    #expect(try Pipeline.pictures(writer.path).map(\.presentationTimeStamp) == [.zero])
  }
}
