import PluginHost
import RespoolMedia
import Testing

@testable import ISOMedia
@testable import RespoolPlugin

/// Negative composition offsets in tables of few and of many samples.
@Suite struct CompositionOffsetTests {
  /// Returns an index of frames of 512 units, with a run of one frame in `ctts` for each offset.
  private func index(_ offsets: [Int32]) throws -> SampleIndex {
    var table = SampleTable()
    let count = UInt32(offsets.count)
    table.timeToSample = .init(runs: [.init(count: count, duration: 512)])
    table.compositionOffset = .init(runs: offsets.map { .init(count: 1, offset: $0) })
    table.syncSample = .init(sampleNumbers: [1])
    table.sampleToChunk = .init(
      runs: [.init(firstChunk: 1, samplesPerChunk: count, descriptionIndex: 1)])
    table.sampleSize = .init(sizes: [UInt32](repeating: 1, count: offsets.count))
    table.chunkOffsets = [100]
    return try SampleIndex(table, packing: nil, everySampleIsKey: false, fileSize: 1000)
  }

  /// The tables have 3 to 5 frames and are those of x264 with FFmpeg's `negative_cts_offsets`, and of phones.
  @Test(
    arguments: [
      [0, 512, -512], [0, 1024, -512, -512], [0, 1536, 0, -1024, -512], [0, 1024, 0, -512],
      [0, 80, 20, -40, -20],
    ] as [[Int32]])
  func `no frame of a short clip is presented before it is decoded`(offsets: [Int32]) throws {
    let index = try index(offsets)
    #expect(index.decodeShift == -Int64(offsets.min() ?? 0))
    let timeline = EditedTimeline(unedited: index)
    let segment = try #require(timeline.segments.first)
    for number in segment.samples {
      let shown = index.compositionTime(number) + segment.presentationShift
      #expect(index.samples[number].decodeTime + segment.decodeShift <= shown)
    }
  }

  /// Three of four frames are decoded at once, as some phones write them.
  @Test func `frames last until the next one is shown`() throws {
    var table = SampleTable()
    let groups = 5
    let count = 1 + 4 * groups
    table.timeToSample = .init(
      runs: [.init(count: 1, duration: 12_000)]
        + (0..<groups).flatMap { _ in
          [.init(count: 3, duration: 9), .init(count: 1, duration: 11_973)]
        })
    table.compositionOffset = .init(
      runs: [.init(count: 1, offset: 9018)]
        + (0..<groups).flatMap { _ in
          ([9018, 3009, 0, 5991] as [Int32]).map { .init(count: 1, offset: $0) }
        })
    table.syncSample = .init(sampleNumbers: [1])
    table.sampleToChunk = .init(
      runs: [.init(firstChunk: 1, samplesPerChunk: UInt32(count), descriptionIndex: 1)])
    table.sampleSize = .init(sizes: [UInt32](repeating: 1, count: count))
    table.chunkOffsets = [100]
    let index = try SampleIndex(table, packing: nil, everySampleIsKey: false, fileSize: 1000)
    let last = index.frameStarts.last
    let shown = index.samples.indices.filter { index.compositionTime($0) != last }
    #expect(shown.count == count - 1)
    #expect(shown.allSatisfy { index.shownDuration($0) == 3000 })
    let final = try #require(index.samples.indices.first { index.compositionTime($0) == last })
    #expect(index.compositionTime(final) + index.shownDuration(final) == index.presentationEnd)
  }

  @Test func `frames of a fragment last until the next one is shown`() throws {
    let file = MemoryFile()
    file.bytes = FragmentedMovie.pictures(offsets: [[512, 1792, 256, 512], [512, 1792, 256, 512]])
    let (_, packets) = try packets(of: file)
    // The second one is shown last: how long is known from the next fragment only.
    #expect(packets.map(\.0.duration) == [768, 512, 768, 256, 768, 512, 768, 256])
  }

  @Test func `wrong offsets after the last frame do not move decode times`() throws {
    let offsets: [Int32] = [0, 1024, -512, -512, 0, 0, -100_000, .min]
    #expect(try index(offsets).decodeShift == 512)
  }

  @Test func `fragments whose offsets are lower keep the decode order`() throws {
    let file = MemoryFile()
    file.bytes = FragmentedMovie.pictures(offsets: [[0, 0, 0], [0, 1024, -512], [0, 0, -1024]])
    let (media, packets) = try packets(of: file)
    #expect(media.tracks.first?.packetCount == 9)
    let times = packets.compactMap(\.0.dts)
    #expect(times.count == 9 && times == times.sorted() && Set(times).count == 9)
    #expect(packets.allSatisfy { ($0.0.dts ?? .max) <= ($0.0.pts ?? .min) })
  }
}
