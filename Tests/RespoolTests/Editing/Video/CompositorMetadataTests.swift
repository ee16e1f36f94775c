import RespoolMedia
import TestFixtures
import Synchronization
import Testing

@testable import Respool

/// Timed metadata that custom compositors receive.
@Suite struct CompositorMetadataTests {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// A compositor that returns frames unchanged and records the metadata of each request.
  private final class Notes: VideoCompositing {
    let lines = Mutex<[String]>([])

    func startRequest(_ request: AsynchronousVideoCompositionRequest) {
      let told = request.sourceSampleDataTrackIDs.map { id in
        let sample = request.sourceSampleBuffer(byTrackID: id)
        let group = request.sourceTimedMetadata(byTrackID: id)
        let isSame =
          group.map { $0.timeRange.start == sample?.presentationTimeStamp } ?? false
        return isSame ? group?.items.first?.stringValue ?? "nothing" : "another sample"
      }
      let number = Int((request.compositionTime.seconds * 25).rounded())
      lines.withLock { $0.append("\(number) \(told.joined(separator: ", "))") }
      if let frame = request.sourceTrackIDs.first.flatMap(request.sourceFrame) {
        request.finish(withComposedVideoFrame: frame)
      } else {
        request.finishCancelledRequest()
      }
    }
  }

  private func asset(_ path: String) -> Asset { Asset(path: path, registry: Pipeline.registry) }

  private func number(_ asset: Asset, _ type: MediaType = .metadata) throws -> Int64 {
    try #require(try asset.tracks(withMediaType: type).first).trackID
  }

  /// Creates a composition that shows the asset unchanged, with a compositor that reads metadata.
  private func composition(
    _ asset: Asset, _ notes: Notes, named: [Int64], required: [Int64]
  ) throws -> MutableVideoComposition {
    let composition = MutableVideoComposition(try VideoComposition(propertiesOf: asset))
    composition.frameDuration = Writing.time(1)
    composition.customVideoCompositor = { notes }
    composition.sourceSampleDataTrackIDs = named
    for case let instruction as MutableVideoCompositionInstruction in composition.instructions {
      instruction.requiredSourceSampleDataTrackIDs = required
    }
    return composition
  }

  /// Reads all frames and returns the reader.
  private func read(_ asset: Asset, _ composition: VideoComposition, in range: TimeRange? = nil)
    throws -> AssetReader
  {
    let (reader, output) = try VideoFixture.reader(asset, composition, in: range)
    guard reader.startReading() else { return reader }
    while output.copyNextSampleBuffer() != nil {}
    return reader
  }

  private let whole = (0..<25).map { "\($0) \($0 < 10 ? "first" : "second")" }

  @Test(.rule)
  func `a compositor gets the timed metadata sample that applies at the time of the frame`() throws
  {
    let asset = asset(try TimedMetadata.movie(scratch))
    let (id, notes) = (try number(asset), Notes())
    let composition = try composition(asset, notes, named: [id], required: [id])
    #expect(try read(asset, composition).status == .completed)
    #expect(notes.lines.withLock { $0 } == whole)
  }

  @Test func `a part begins with the metadata that applies at its start`() throws {
    let asset = asset(try TimedMetadata.movie(scratch))
    let (id, notes) = (try number(asset), Notes())
    let composition = try composition(asset, notes, named: [id], required: [id])
    let range = TimeRange(start: Writing.time(4), duration: Writing.time(8))
    #expect(try read(asset, composition, in: range).status == .completed)
    #expect(notes.lines.withLock { $0 } == Array(whole[4..<12]))
  }

  @Test func `in a composition a compositor gets the metadata of each clip, and none in a gap`()
    throws
  {
    let source = asset(try TimedMetadata.movie(scratch))
    let places = try #require(try source.tracks(withMediaType: .metadata).first)
    let composition = MutableComposition()
    let pictures = try #require(composition.addMutableTrack(withMediaType: .video))
    try pictures.insertTimeRange(
      TimeRange(start: .zero, duration: Writing.time(25)),
      of: try #require(try source.tracks(withMediaType: .video).first), at: .zero)
    let track = try #require(composition.addMutableTrack(withMediaType: .metadata))
    for (from, to) in [(12, 0), (0, 6)] {
      try track.insertTimeRange(
        TimeRange(start: Writing.time(from), duration: Writing.time(4)), of: places,
        at: Writing.time(to))
    }
    let (id, notes) = (track.trackID, Notes())
    let rendered = try self.composition(composition, notes, named: [id], required: [id])
    #expect(try read(composition, rendered).status == .completed)
    let wanted = (0..<25).map { number in
      switch number {
      case 0..<4: "\(number) second"
      case 6..<10: "\(number) first"
      default: "\(number) "
      }
    }
    #expect(notes.lines.withLock { $0 } == wanted)
  }

  @Test(
    .rule(
      "A compositor gets metadata only of tracks that the video composition and the instruction name"
    ), arguments: [true, false])
  func `metadata requires both the composition and the instruction to name its track`(
    byComposition: Bool
  )
    throws
  {
    let asset = asset(try TimedMetadata.movie(scratch))
    let (id, notes) = (try number(asset), Notes())
    let composition = try composition(
      asset, notes, named: byComposition ? [id] : [], required: byComposition ? [] : [id])
    #expect(try read(asset, composition).status == .completed)
    #expect(notes.lines.withLock { $0 } == (0..<25).map { "\($0) " })
  }

  @Test func `the compositor of an export gets the metadata, too`() throws {
    let asset = asset(try TimedMetadata.movie(scratch))
    let (id, notes) = (try number(asset), Notes())
    let session = try ExportSession(
      asset: asset, preset: try Pipeline.preset("web-480p"), registry: Pipeline.registry, threads: 2
    )
    session.videoComposition = try composition(asset, notes, named: [id], required: [id])
    _ = try session.exportAndWait(to: scratch.path("out.mp4"))
    #expect(notes.lines.withLock { $0 } == whole)
  }

  @Test func `a track that has no metadata is rejected with its number`() throws {
    let asset = asset(try TimedMetadata.movie(scratch))
    let pictures = try number(asset, .video)
    for (id, words) in [(pictures, "not timed metadata but vide"), (99, "does not have")] {
      let composition = try composition(asset, Notes(), named: [id], required: [id])
      let reader = try read(asset, composition)
      #expect(reader.status == .failed)
      #expect(reader.error?.code == .invalidArgument)
      let message = reader.error?.message ?? ""
      #expect(message.contains("track \(id)") && message.contains(words), "\(message)")
    }
    let unknown = try composition(asset, Notes(), named: [], required: [99])
    #expect(try !unknown.isValidAndWait(for: asset))
    let unread = try composition(asset, Notes(), named: [99], required: [])
    #expect(try !unread.isValidAndWait(for: asset))
  }
}
