import RespoolMedia
import Testing

@testable import ISOMedia

/// Edit lists applied to tables of samples.
@Suite struct EditedTimelineTests {
  /// Returns an index of twelve frames of 10 units with negative composition offsets.
  ///
  /// The frames of each group of three are decoded in the reverse of presentation order. `keys` are the numbers of
  /// the sync samples.
  private func index(keys: [UInt32]) throws -> SampleIndex {
    var table = SampleTable()
    table.timeToSample = .init(runs: [.init(count: 12, duration: 10)])
    table.compositionOffset = .init(
      runs: (0..<12).map { .init(count: 1, offset: [-10, -30, -50][$0 % 3]) })
    table.syncSample = .init(sampleNumbers: keys)
    table.sampleToChunk = .init(
      runs: [.init(firstChunk: 1, samplesPerChunk: 12, descriptionIndex: 1)])
    table.sampleSize = .init(sizes: [UInt32](repeating: 1, count: 12))
    table.chunkOffsets = [100]
    return try SampleIndex(table, packing: nil, everySampleIsKey: false, fileSize: 1000)
  }

  /// Returns the presentation times of the frames in ascending order.
  private func shown(_ timeline: EditedTimeline, _ index: SampleIndex) -> [Int64] {
    timeline.segments.flatMap { segment in
      segment.samples.map { index.compositionTime($0) }.filter { segment.shown.contains($0) }.map {
        $0 + segment.presentationShift
      }
    }.sorted()
  }

  @Test(arguments: [[1, 7], [7]] as [[UInt32]])
  func `the first frame is shown at the start of its edit`(keys: [UInt32]) throws {
    let index = try index(keys: keys)
    let edit = MediaEdit(duration: 60, mediaStart: index.compositionTime(2) + 15)
    let timeline = EditedTimeline(index, edits: [edit], kind: .video, oneSecond: 100)
    #expect(shown(timeline, index) == [0, 10, 20, 30, 40, 50])
  }

  @Test func `frames of later edits have the times of the standard`() throws {
    let index = try index(keys: [1, 7])
    // Frames start at multiples of ten. The last edit begins in the middle of a frame.
    let first = index.compositionTime(2)
    let edits = [
      MediaEdit(duration: 30, mediaStart: first), MediaEdit(duration: 20, mediaStart: nil),
      MediaEdit(duration: 25, mediaStart: first + 55),
    ]
    let timeline = EditedTimeline(index, edits: edits, kind: .video, oneSecond: 100)
    #expect(shown(timeline, index) == [0, 10, 20, 55, 65])
    let cut = index.compositionTime(2) + 50
    #expect(timeline.segments.map(\.cutPicture) == [nil, cut..<cut + 10])
  }

  @Test func `an edit within the only packet of a track shows it, however short the edit is`()
    throws
  {
    var table = SampleTable()
    // One packet of Opus: 312 units of priming, and 240 of audio.
    table.timeToSample = .init(runs: [.init(count: 1, duration: 552)])
    table.sampleToChunk = .init(
      runs: [.init(firstChunk: 1, samplesPerChunk: 1, descriptionIndex: 1)])
    table.sampleSize = .init(sizes: [1])
    table.chunkOffsets = [100]
    let index = try SampleIndex(table, packing: nil, everySampleIsKey: true, fileSize: 1000)
    let edit = MediaEdit(duration: 240, mediaStart: 312)
    let timeline = EditedTimeline(index, edits: [edit], kind: .audio, oneSecond: 48000)
    #expect(timeline.segments.map(\.samples) == [0..<1])
    #expect(timeline.segments.map(\.trimsStart) == [true] && timeline.priming == 312)
  }
}
