import Dispatch
import TestFixtures
import ReadingFixtures
import Foundation
import RespoolMedia
import Synchronization
import Testing

@testable import Respool

/// A reader and a writer, with a queue for each track.
// Sendable: each output is used only on the queue of its track; all other properties are thread-safe.
private final class Conversion: @unchecked Sendable {
  let reader: AssetReader
  let writer: AssetWriter
  private let pairs: [(output: AssetReaderTrackOutput, input: AssetWriterInput)]
  private let isCancelled = Atomic(false)
  /// Called with the number of every sample, on the queue of its track.
  private let progress: @Sendable (Int) -> Void

  init(
    from path: String, to writer: AssetWriter, progress: @escaping @Sendable (Int) -> Void
  ) throws {
    let asset = Asset(path: path, registry: Pipeline.registry)
    reader = try AssetReader(asset: asset)
    self.writer = writer
    self.progress = progress
    var pairs: [(AssetReaderTrackOutput, AssetWriterInput)] = []
    for track in try asset.tracks() {
      let isVideo = track.mediaType == .video
      let output = AssetReaderTrackOutput(track: track, settings: isVideo ? .video() : .audio())
      let input = isVideo ? Writing.videoInput() : Writing.audioInput()
      try reader.add(output)
      try writer.add(input)
      pairs.append((output, input))
    }
    self.pairs = pairs
  }

  /// Starts the conversion and calls `completion` once.
  ///
  /// The call is synchronous if reading or writing does not start. Otherwise it comes on a global queue or a queue
  /// of the writer. The argument is `nil` if there is no error.
  func start(completion: @escaping @Sendable (MediaError?) -> Void) {
    guard reader.startReading(), writer.startWriting() else {
      return completion(reader.error ?? writer.error)
    }
    writer.startSession(atSourceTime: .zero)
    let done = DispatchGroup()
    for (index, pair) in pairs.enumerated() {
      done.enter()
      let input = pair.input
      let counter = Counter()
      input.requestMediaDataWhenReady(on: DispatchQueue(label: "track \(index)")) { [self] in
        while input.isReadyForMoreMediaData {
          progress(counter.next())
          if !isCancelled.load(ordering: .acquiring),
            let sample = pairs[index].output.copyNextSampleBuffer(), input.append(sample)
          {
            continue
          }
          input.markAsFinished()
          return done.leave()
        }
      }
    }
    done.notify(queue: .global()) { [self] in
      if isCancelled.load(ordering: .acquiring) || reader.status == .failed {
        reader.cancelReading()
        writer.cancelWriting()
        return completion(reader.error)
      }
      writer.finishWriting { completion(self.writer.error) }
    }
  }

  func cancel() { isCancelled.store(true, ordering: .releasing) }
}

@Suite struct PairGuide {
  let scratch: Scratch
  let clip = Pipeline.clip("pattern-h264.mp4")

  init() throws { scratch = try Scratch() }

  private func run(_ conversion: Conversion) async -> MediaError? {
    await withCheckedContinuation { continuation in
      conversion.start { continuation.resume(returning: $0) }
    }
  }

  @Test func `a movie is read and written with a queue for each track`() async throws {
    let writer = try Writing.writer(scratch)
    let conversion = try Conversion(from: clip, to: writer) { _ in }
    #expect(await run(conversion) == nil)
    #expect(conversion.reader.status == .completed)
    #expect(writer.status == .completed)
    let pictures = try Pipeline.pictures(writer.path)
    #expect(
      pictures.map(\.presentationTimeStamp)
        == (try Pipeline.pictures(clip)).map(\.presentationTimeStamp))
    #expect(try Pipeline.sound(writer.path).count == Pipeline.sound(clip).count)
  }

  @Test func `canceling half-way leaves nothing`() async throws {
    let writer = try Writing.writer(scratch)
    let later = Mutex<Conversion?>(nil)
    let conversion = try Conversion(from: clip, to: writer) { number in
      if number == 20 { later.withLock { $0 }?.cancel() }
    }
    later.withLock { $0 = conversion }
    #expect(await run(conversion) == nil)
    later.withLock { $0 = nil }
    #expect(writer.status == .cancelled)
    #expect(conversion.reader.status == .cancelled)
    #expect(scratch.names.isEmpty)
  }
}
