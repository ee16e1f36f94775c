import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct SampleCursors {
  /// Returns a track whose frames are presented in another order than they are decoded.
  private func track() throws -> AssetTrack { try AssetFixture.track("pattern-h264.mp4") }

  private func first(_ track: AssetTrack) throws -> SampleCursor {
    try #require(try track.makeSampleCursorAtFirstSampleInDecodeOrder())
  }

  @Test(arguments: [
    ("pattern-h264.mp4", MediaType.video), ("pattern-h264.mp4", .audio), ("variable.mp4", .video),
    ("portrait.mov", .video), ("speech.wav", .audio),
  ])
  func `times, sizes and offsets are those of ffprobe`(name: String, type: MediaType) throws {
    let track = try AssetFixture.track(name, type)
    let text = try Writing.probe(
      Pipeline.clip(name),
      [
        "-select_streams", "\(track.index)", "-show_entries", "packet=pts,dts,size,pos,flags",
      ])
    let lines = text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
    let cursor = try first(track)
    let base = track.formatDescription.track.timeBase
    for (number, line) in lines.enumerated() {
      #expect(cursor.presentationTimeStamp.ticks(base) == Int64(line[0]))
      #expect(cursor.decodeTimeStamp.ticks(base) == Int64(line[1]))
      let place = try #require(cursor.currentSampleStorageRange)
      #expect(place.length == Int64(line[2]) && place.offset == Int64(line[3]))
      #expect(cursor.currentSampleSyncInfo.sampleIsFullSync == line[4].hasPrefix("K"))
      #expect(cursor.stepInDecodeOrder(byCount: 1) == (number + 1 < lines.count ? 1 : 0))
    }
    #expect(lines.count > 10)
  }

  @Test(.rule)
  func `a cursor is at the last sample at or before its time, or at the first one presented`()
    throws
  {
    let track = try track()
    for (time, expected) in [(0, 0), (1, 0), (39, 0), (40, 1), (45, 1), (1999, 49)] {
      let cursor = try #require(
        try track.makeSampleCursor(
          presentationTimeStamp: MediaTime(value: Int64(time), timescale: 1000)))
      #expect(cursor.presentationTimeStamp == Writing.time(expected))
    }
    for (time, expected) in [
      (MediaTime(value: -5, timescale: 1), 0), (.negativeInfinity, 0), (.positiveInfinity, 49),
    ] {
      let cursor = try #require(try track.makeSampleCursor(presentationTimeStamp: time))
      #expect(cursor.presentationTimeStamp == Writing.time(expected))
    }
    #expect(try track.makeSampleCursor(presentationTimeStamp: .invalid) == nil)
    let last = try #require(try track.makeSampleCursorAtLastSampleInDecodeOrder())
    #expect(last.stepInDecodeOrder(byCount: 1) == 0)
  }

  @Test(.rule) func `a step by a count stops at the ends and returns the steps taken`() throws {
    let cursor = try first(try track())
    for number in 1..<50 {
      #expect(cursor.stepInPresentationOrder(byCount: 1) == 1)
      #expect(cursor.presentationTimeStamp == Writing.time(number))
      #expect(cursor.currentSampleDuration == Writing.time(1))
    }
    #expect(cursor.stepInPresentationOrder(byCount: 1) == 0)
    #expect(cursor.stepInPresentationOrder(byCount: -100) == -49)
    #expect(cursor.presentationTimeStamp == .zero)
    #expect(cursor.stepInPresentationOrder(byCount: .max) == 49)
    #expect(cursor.stepInDecodeOrder(byCount: .min) < 0)
    #expect(cursor.decodeTimeStamp < .zero)
  }

  @Test(.rule) func `a step by a time snaps to samples and reports whether it was pinned`() throws {
    let cursor = try first(try track())
    func move(_ milliseconds: Int64) -> (MediaTime, Bool) {
      cursor.step(byPresentationTime: MediaTime(value: milliseconds, timescale: 1000))
    }
    #expect(move(100) == (Writing.time(2), false))
    #expect(move(-1) == (Writing.time(-1), false))
    #expect(move(-41) == (Writing.time(-1), true))
    #expect(move(1999) == (Writing.time(49), false))
    #expect(move(39) == (.zero, false))
    #expect(move(40) == (.zero, true))
    #expect(cursor.step(byPresentationTime: .invalid) == (.zero, false))
    #expect(cursor.step(byPresentationTime: .negativeInfinity) == (Writing.time(-49), true))
    #expect(cursor.step(byDecodeTime: Writing.time(3)) == (Writing.time(3), false))
    #expect(cursor.decodeTimeStamp == Writing.time(1))
    #expect(cursor.step(byDecodeTime: .positiveInfinity).wasPinned)
  }

  @Test func `copies move independently, and cursors are compared in decode order`() throws {
    let cursor = try first(try track())
    let other = cursor.copy()
    #expect(cursor.comparePositionInDecodeOrder(withPositionOf: other) == 0)
    other.stepInDecodeOrder(byCount: 1)
    #expect(cursor.decodeTimeStamp < other.decodeTimeStamp)
    #expect(cursor.comparePositionInDecodeOrder(withPositionOf: other) == -1)
    #expect(other.comparePositionInDecodeOrder(withPositionOf: cursor) == 1)
    // The second frame is presented later than some frames that are decoded after it.
    #expect(
      other.maySamplesWithLaterDecodeTimeStampsHavePresentationTimeStamps(earlierThan: other))
    #expect(
      !cursor.maySamplesWithLaterDecodeTimeStampsHavePresentationTimeStamps(earlierThan: cursor))
    other.stepInDecodeOrder(byCount: 1)
    #expect(
      other.maySamplesWithEarlierDecodeTimeStampsHavePresentationTimeStamps(laterThan: other))
    #expect(
      !cursor.maySamplesWithEarlierDecodeTimeStampsHavePresentationTimeStamps(laterThan: cursor))
  }

  @Test func `a composition track has no cursors, and an encrypted one fails`() async throws {
    let film = MutableComposition()
    let track = try #require(film.addMutableTrack(withMediaType: .video))
    #expect(!track.canProvideSampleCursors)
    #expect(try await track.loadSampleCursor(presentationTimeStamp: .zero) == nil)
    let scratch = try Scratch()
    let asset = Asset(path: try AssetFixture.encrypted(scratch), registry: Pipeline.registry)
    let error = await #expect(throws: MediaError.self) {
      try await asset.load(.tracks)[0].loadSampleCursorAtFirstSampleInDecodeOrder()
    }
    #expect(error?.code == .unsupported)
  }
}

@Suite struct SampleGenerating {
  private func bytes(_ samples: [SampleBuffer]) -> [[UInt8]?] {
    samples.map { $0.dataBuffer?.withBytes { Array($0) } }
  }

  private func expectSame(_ made: [SampleBuffer], _ read: some Sequence<SampleBuffer>) {
    let read = Array(read)
    #expect(made.map(\.presentationTimeStamp) == read.map(\.presentationTimeStamp))
    #expect(made.map(\.decodeTimeStamp) == read.map(\.decodeTimeStamp))
    #expect(made.map(\.duration) == read.map(\.duration))
    #expect(made.map(\.attachments) == read.map(\.attachments))
    #expect(bytes(made) == bytes(read))
  }

  /// Tracks whose packets are ranges of the file, and tracks whose packets a demuxer assembles.
  static let tracks: [(String, MediaType)] = [
    ("pattern-h264.mp4", .video), ("pattern-h264.mp4", .audio), ("speech.wav", .audio),
    ("speech-opus.opus", .audio), ("pattern-flac.mkv", .video), ("pattern-vp9.webm", .video),
    ("speech-mp3.mp3", .audio),
  ]

  @Test(arguments: tracks)
  func `samples are those of a reader, from any position`(name: String, type: MediaType)
    throws
  {
    let track = try AssetFixture.track(name, type)
    let asset = try #require(track.asset)
    let read = try Pipeline.samples(of: asset, type, nil)
    let cursor = try #require(try track.makeSampleCursorAtFirstSampleInDecodeOrder())
    let generator = SampleBufferGenerator(asset: asset)
    let request = SampleBufferRequest(start: cursor)
    request.direction = .forward
    request.maxSampleCount = read.count + 5
    expectSame(try generator.makeSampleBuffers(for: request), read)
    // Forward from the middle, then in reverse.
    let middle = read.count / 2
    #expect(cursor.stepInDecodeOrder(byCount: Int64(middle)) == Int64(middle))
    request.maxSampleCount = 3
    expectSame(try generator.makeSampleBuffers(for: request), read[middle..<middle + 3])
    request.direction = .reverse
    expectSame(
      try generator.makeSampleBuffers(for: request),
      [read[middle], read[middle - 1], read[middle - 2]])
    // A new generator, which has read nothing yet, begins at the same sample.
    expectSame(
      [try SampleBufferGenerator(asset: asset).makeSampleBuffer(for: request)], [read[middle]])
  }

  @Test func `a cover is found in every position`() throws {
    let scratch = try Scratch()
    let picture = try Data(contentsOf: URL(filePath: Pipeline.clip("still.png")))
    // FLAC's picture block, as Ogg's comments contain it (RFC 9639 8.8).
    var block = Data([0, 0, 0, 3, 0, 0, 0, 9]) + Data("image/png".utf8) + Data(count: 20)
    block += withUnsafeBytes(of: UInt32(picture.count).bigEndian) { Data($0) } + picture
    let path = scratch.path("cover.ogg")
    try PluginWorkshop.run(
      "ffmpeg",
      ["-v", "error", "-i", Pipeline.clip("speech-opus.opus"), "-c", "copy"]
        + ["-metadata", "METADATA_BLOCK_PICTURE=\(block.base64EncodedString())", path])
    let asset = Asset(path: path, registry: Pipeline.registry)
    let track = try #require(try asset.tracks().first { $0.mediaType == .video })
    let cursor = try #require(try track.makeSampleCursorAtFirstSampleInDecodeOrder())
    let generator = SampleBufferGenerator(asset: asset)
    for _ in 0..<2 {
      let sample = try generator.makeSampleBuffer(for: SampleBufferRequest(start: cursor))
      #expect(sample.dataBuffer?.withBytes { Data($0) } == picture)
    }
  }

  @Test(
    .rule("A request without a direction is for one sample, whatever its limits"),
    .rule("The limit of a request is the last sample that may be made"))
  func `a request ends at its limit or count`() async throws {
    let track = try AssetFixture.track("pattern-h264.mp4")
    let asset = try #require(track.asset)
    let cursor = try #require(
      try await track.loadSampleCursor(presentationTimeStamp: Writing.time(10)))
    let generator = SampleBufferGenerator(asset: asset)
    let request = SampleBufferRequest(start: cursor)
    #expect(request.direction == .none && request.mode == .immediate)
    #expect(try await generator.loadSampleBuffers(for: request).count == 1)
    request.direction = .forward
    #expect(try await generator.loadSampleBuffers(for: request).count == 1)
    request.preferredMinSampleCount = 4
    #expect(try await generator.loadSampleBuffers(for: request).count == 4)
    let limit = cursor.copy()
    limit.stepInDecodeOrder(byCount: 6)
    request.limitCursor = limit
    #expect(try await generator.loadSampleBuffers(for: request).count == 7)
    request.maxSampleCount = 2
    #expect(try await generator.loadSampleBuffers(for: request).count == 2)
    // A limit in the opposite direction leaves no samples.
    request.direction = .reverse
    #expect(try await generator.loadSampleBuffers(for: request).isEmpty)
    request.direction = .none
    request.maxSampleCount = 3
    #expect(try await generator.loadSampleBuffers(for: request).count == 1)
    let sample = try await generator.loadSampleBuffer(for: request)
    #expect(sample.presentationTimeStamp == Writing.time(10))
  }

  @Test func `cursors of other assets and tracks are rejected`() throws {
    let track = try AssetFixture.track("pattern-h264.mp4")
    let cursor = try #require(try track.makeSampleCursorAtFirstSampleInDecodeOrder())
    let stranger = SampleBufferGenerator(asset: AssetFixture.asset("pattern-h264.mp4"))
    #expect(throws: MediaError.self) {
      try stranger.makeSampleBuffer(for: SampleBufferRequest(start: cursor))
    }
    let sound = try #require(
      try AssetFixture.track("pattern-h264.mp4", .audio)
        .makeSampleCursorAtFirstSampleInDecodeOrder())
    let request = SampleBufferRequest(start: cursor)
    (request.direction, request.limitCursor) = (.forward, sound)
    let generator = SampleBufferGenerator(asset: try #require(track.asset))
    #expect(throws: MediaError.self) { try generator.makeSampleBuffers(for: request) }
  }
}

@Suite struct SampleReferences {
  private func references(_ asset: Asset, _ type: MediaType) throws -> (AssetReader, [SampleBuffer])
  {
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderSampleReferenceOutput(
      track: try #require(try asset.tracks(withMediaType: type).first))
    try reader.add(output)
    try #require(reader.startReading())
    var samples: [SampleBuffer] = []
    while let sample = output.copyNextSampleBuffer() { samples.append(sample) }
    return (reader, samples)
  }

  @Test(
    .rule,
    arguments: [
      ("pattern-h264.mp4", MediaType.video), ("portrait.mov", .audio), ("speech.wav", .audio),
    ])
  func `sample references have no data, but the file and the byte offset`(
    name: String, type: MediaType
  ) throws {
    let asset = AssetFixture.asset(name)
    let read = try Pipeline.samples(of: asset, type, nil)
    let (reader, samples) = try references(asset, type)
    #expect(reader.status == .completed && samples.count == read.count)
    let file = try Data(contentsOf: URL(filePath: Pipeline.clip(name)))
    for (sample, stored) in zip(samples, read) {
      #expect(sample.dataBuffer == nil && sample.imageBuffer == nil)
      #expect(sample.presentationTimeStamp == stored.presentationTimeStamp)
      let reference = try #require(sample.attachments.sampleReference)
      #expect(reference.path == Pipeline.clip(name))
      let start = Int(reference.byteOffset)
      let bytes = stored.dataBuffer?.withBytes { Data($0) }
      #expect(file[start..<start + sample.totalSampleSize] == bytes)
    }
  }

  @Test func `samples of a composition state the file of each clip, at the composition's times`()
    throws
  {
    let film = MutableComposition()
    let picture = try #require(film.addMutableTrack(withMediaType: .video))
    let second = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    for name in ["clap-and-flash.mp4", "pattern-h264.mp4"] {
      try picture.insertTimeRange(second, of: AssetFixture.track(name), at: .invalid)
    }
    let (reader, samples) = try references(film, .video)
    #expect(reader.status == .completed)
    let paths = samples.map { $0.attachments.sampleReference?.path }
    let change = try #require(paths.firstIndex(of: Pipeline.clip("pattern-h264.mp4")))
    #expect(paths[..<change].allSatisfy { $0 == Pipeline.clip("clap-and-flash.mp4") })
    #expect(paths[change...].allSatisfy { $0 == paths[change] })
    #expect(change >= 25 && samples[change].presentationTimeStamp == second.end)
  }

  @Test func `samples that span pages have no offset`() throws {
    let (reader, samples) = try references(AssetFixture.asset("speech-opus.opus"), .audio)
    #expect(samples.isEmpty)
    #expect(reader.status == .failed && reader.error?.code == .unsupported)
  }

  @Test func `a writer of MP4 rejects samples without data`() throws {
    let (_, samples) = try references(AssetFixture.asset("pattern-h264.mp4"), .video)
    let scratch = try Scratch()
    let writer = try Writing.writer(scratch)
    let input = AssetWriterInput(
      mediaType: .video, settings: nil, sourceFormatHint: samples[0].formatDescription)
    try Writing.start(writer, [input])
    #expect(!input.append(samples[0]))
    #expect(writer.error?.code == .unsupported)
    #expect(writer.error?.message.contains("mov does") == true)
  }
}
