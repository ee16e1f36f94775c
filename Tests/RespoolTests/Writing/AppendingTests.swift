import Dispatch
import TestFixtures
import ReadingFixtures
import Foundation
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// A gate that blocks the thread that releases a frame, so that encoding takes as long as a test needs.
final class HeldFrames: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let isOpen = Atomic(false)

  /// Returns a gray frame.
  ///
  /// Releasing its memory blocks an input's thread until the gate is open.
  func picture(_ number: Int, width: Int = 96, height: Int = 64) throws -> SampleBuffer {
    let frame = try FrameFixture.flat(.yuv420p, width, height, [100, 128, 128])
    var held = frame
    held.buffer = MediaBuffer(borrowing: frame.buffer.bytes) { [self] in
      withExtendedLifetime(frame.buffer) {}
      // Blocks only the thread of an input: the test itself may hold the last reference.
      guard Self.isInputThread, !isOpen.load(ordering: .acquiring) else { return }
      semaphore.wait()
      semaphore.signal()
    }
    return SampleBuffer(
      try #require(PixelBuffer(held)), at: Writing.time(number), duration: Writing.time(1))
  }

  /// `true` if the name of the current thread is that of an input's thread.
  private static var isInputThread: Bool {
    (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) == "input\n"
  }

  func open() {
    isOpen.store(true, ordering: .releasing)
    semaphore.signal()
  }
}

/// Appending while an encoder is slow: `HeldFrames` stand for the encoder.
@Suite struct Appending {
  let scratch: Scratch
  let held = HeldFrames()

  init() throws { scratch = try Scratch() }

  private func wait(until condition: () -> Bool) {
    let end = Date(timeIntervalSinceNow: 60)
    while !condition(), Date() < end { usleep(2000) }
    #expect(condition())
  }

  @Test func `appending does not wait for the encoder, and readiness follows the queue`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    var number = 0
    while input.isReadyForMoreMediaData {
      try #require(input.append(held.picture(number)))
      number += 1
      try #require(number < 200)
    }
    // The encoder holds one frame; the others wait.
    #expect(number >= AppendQueue.countLimit && number <= AppendQueue.countLimit + 2)
    held.open()
    wait { input.isReadyForMoreMediaData }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let times = try Pipeline.pictures(writer.path).map(\.presentationTimeStamp)
    #expect(times == (0..<number).map { Writing.time($0) })
  }

  @Test func `few large frames fill an input as many small ones do`() throws {
    let writer = try Writing.writer(scratch)
    let input = AssetWriterInput(
      mediaType: .video, settings: .video(codec: "h264", width: 96, height: 64, encoder: "x264"))
    try Writing.start(writer, [input])
    var number = 0
    while input.isReadyForMoreMediaData {
      // Each frame has 12 MiB.
      try #require(input.append(held.picture(number, width: 4096, height: 2048)))
      number += 1
      try #require(number < 20)
    }
    #expect(number <= 4)
    held.open()
    writer.cancelWriting()
  }

  @Test func `a client's queue is free for canceling while samples wait`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    let (queue, counter) = (DispatchQueue(label: "client"), Counter())
    input.requestMediaDataWhenReady(on: queue) { [held] in
      while input.isReadyForMoreMediaData {
        guard let picture = try? held.picture(counter.next()), input.append(picture) else { return }
      }
    }
    wait { counter.count >= AppendQueue.countLimit }
    // The client's queue runs other blocks although the encoder is blocked.
    let progress = queue.sync { counter.count }
    #expect(progress <= AppendQueue.countLimit + 2)
    queue.sync { writer.cancelWriting() }
    #expect(writer.status == .cancelled)
    #expect(scratch.names.isEmpty)
    #expect(!input.isReadyForMoreMediaData)
    held.open()
  }

  @Test func `the block is called again after half of the queue is encoded`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    let (counter, calls, returns) = (Counter(), Counter(), Counter())
    input.requestMediaDataWhenReady(on: DispatchQueue(label: "client")) { [held] in
      _ = calls.next()
      defer { _ = returns.next() }
      while input.isReadyForMoreMediaData {
        let number = counter.next()
        guard number < 150, let picture = try? held.picture(number), input.append(picture) else {
          return input.markAsFinished()
        }
      }
    }
    // The block has returned because the input was not ready, so it has to be called again.
    wait { returns.count == 1 }
    #expect(counter.count >= AppendQueue.countLimit)
    held.open()
    wait { input.isFinished }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    #expect(try Pipeline.pictures(writer.path).count == 150)
    #expect(calls.count > 1 && calls.count < 150)
  }

  @Test func `a client that appends without asking waits, and nothing is lost`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    for number in 0..<200 { try #require(input.append(Writing.picture(number))) }
    writer.finishWritingAndWait()
    #expect(try Pipeline.pictures(writer.path).count == 200)
  }

  @Test func `appending ends when the writer is canceled`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async { [held] in
      for number in 0..<100 {
        guard let picture = try? held.picture(number), input.append(picture) else { break }
      }
      done.signal()
    }
    wait { !input.isReadyForMoreMediaData }
    #expect(done.wait(timeout: .now() + 0.1) == .timedOut)
    writer.cancelWriting()
    #expect(done.wait(timeout: .now() + 60) == .success)
    held.open()
  }

  @Test func `drawings after appending are not in the file`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    try Writing.start(writer, [input])
    let picture = try #require(PixelBuffer(width: 96, height: 64, pixelFormat: .yuv420p))
    for number in 0..<20 {
      try picture.withMutablePlane(0) { bytes, _ in
        _ = bytes.initializeMemory(as: UInt8.self, repeating: UInt8(40 + number * 8))
      }
      for plane in 1...2 {
        try picture.withMutablePlane(plane) { bytes, _ in
          _ = bytes.initializeMemory(as: UInt8.self, repeating: 128)
        }
      }
      let sample = SampleBuffer(picture, at: Writing.time(number), duration: Writing.time(1))
      try #require(input.append(sample))
    }
    writer.finishWritingAndWait()
    let shown = try Pipeline.pictures(writer.path).map { try $0.brightness() }
    for (number, brightness) in shown.enumerated() {
      #expect(abs(brightness - Double(40 + number * 8)) < 6, "\(number)")
    }
  }

  @Test func `an encoder that cannot be opened fails the writer and ends the request`() throws {
    let writer = try Writing.writer(scratch)
    let input = AssetWriterInput(
      mediaType: .video,
      settings: .video(
        codec: "h264", width: 96, height: 64, encoder: "x264",
        options: [PluginOption("profile", "no such profile")]))
    try Writing.start(writer, [input])
    let counter = Counter()
    input.requestMediaDataWhenReady(on: DispatchQueue(label: "client")) {
      while input.isReadyForMoreMediaData {
        guard let picture = try? Writing.picture(counter.next()), input.append(picture) else {
          return
        }
      }
    }
    wait { writer.status == .failed }
    #expect(writer.error != nil)
    #expect(!input.append(try Writing.picture(100_000)))
    #expect(!input.isReadyForMoreMediaData)
    #expect(scratch.names.isEmpty)
  }
}
