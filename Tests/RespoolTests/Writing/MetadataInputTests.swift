import RespoolMedia
import TestFixtures
import Testing

@testable import Respool

/// Inputs of timed metadata: accepted and rejected groups, and their durations.
@Suite struct MetadataInputs {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Writes groups with one second of video, in a session from `start` to `end`, and reads the groups back.
  private func written(
    _ groups: [TimedMetadataGroup], from start: Int = 0, to end: Int? = nil,
    container: String = "mov"
  ) throws -> [TimedMetadataGroup] {
    let writer = try Writing.writer(scratch, "groups.\(container)", container)
    let (video, input) = (Writing.videoInput(), try TimedMetadata.input())
    let adaptor = AssetWriterInputMetadataAdaptor(assetWriterInput: input)
    for input in [video, input] { try writer.add(input) }
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: Writing.time(start))
    for group in groups {
      try #require(adaptor.append(group), "\(String(describing: writer.error))")
    }
    input.markAsFinished()
    for number in start..<start + 25 { try #require(video.append(Writing.picture(number))) }
    if let end { writer.endSession(atSourceTime: Writing.time(end)) }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return try TimedMetadata.groups(writer.path)
  }

  @Test(arguments: ["mp4", "mov"])
  func `groups that follow each other round-trip`(container: String) throws {
    let groups = [
      TimedMetadata.group("a", 0, 5), TimedMetadata.group("b", 5, 10),
      TimedMetadata.group("c", 15, 10),
    ]
    #expect(try written(groups, container: container) == groups)
  }

  @Test func `gaps between groups are empty`() throws {
    #expect(
      try written([TimedMetadata.group("a", 0, 5), TimedMetadata.group("b", 15, 10)]) == [
        TimedMetadata.group("a", 0, 5), TimedMetadata.group(nil, 5, 10),
        TimedMetadata.group("b", 15, 10),
      ])
  }

  @Test(.rule("A group without a duration lasts until the next one"))
  func `a group without a duration lasts until the next one, which may be empty`() throws {
    #expect(
      try written([
        TimedMetadata.group("a", 0, nil), TimedMetadata.group(nil, 5, nil),
        TimedMetadata.group("b", 15, nil),
      ]) == [
        TimedMetadata.group("a", 0, 5), TimedMetadata.group(nil, 5, 10),
        TimedMetadata.group("b", 15, 10),
      ])
  }

  @Test(.rule) func `the last group without a duration lasts until the session's end`() throws {
    #expect(
      try written([TimedMetadata.group("a", 0, nil)], to: 40) == [TimedMetadata.group("a", 0, 40)])
  }

  @Test(.rule) func `groups are written at their times minus the session's start`() throws {
    #expect(
      try written([TimedMetadata.group("a", 60, 5), TimedMetadata.group("b", 65, 10)], from: 50)
        == [TimedMetadata.group("a", 10, 5), TimedMetadata.group("b", 15, 10)])
  }

  @Test func `a group from before the session begins with the session`() throws {
    #expect(
      try written([TimedMetadata.group("a", 40, nil)], from: 50)
        == [TimedMetadata.group("a", 0, 25)])
  }

  @Test func `a group that lasts beyond the session is cut at its end`() throws {
    #expect(
      try written([TimedMetadata.group("a", 0, 100)], to: 10) == [TimedMetadata.group("a", 0, 10)])
  }

  @Test func `a group of zero duration ends at once`() throws {
    let groups = try written([TimedMetadata.group("a", 0, 0), TimedMetadata.group("b", 5, 10)])
    #expect(groups.map { $0.items.first?.stringValue } == ["a", nil, "b"])
    #expect(try #require(groups.first).timeRange.duration < MediaTime(value: 1, timescale: 1000))
  }

  @Test func `times with large time scales are kept`() throws {
    let milliseconds = { MediaTime(value: $0, timescale: 1000) }
    let groups = [(0, 333), (333, 334), (667, 333)].map { start, duration in
      TimedMetadataGroup(
        items: TimedMetadata.group("\(start)", 0, 1).items,
        timeRange: TimeRange(
          start: milliseconds(Int64(start)), duration: milliseconds(Int64(duration))))
    }
    #expect(try written(groups) == groups)
  }

  @Test(.rule("An item that the format hint lacks is an error"))
  func `an item that the format hint lacks fails the writer`() throws {
    let writer = try Writing.writer(scratch, "wrong.mov", "mov")
    let input = try TimedMetadata.input()
    let adaptor = AssetWriterInputMetadataAdaptor(assetWriterInput: input)
    try Writing.start(writer, [input])
    let title = MetadataIdentifier(key: "com.apple.quicktime.title", keySpace: .quickTimeMetadata)
    #expect(!adaptor.append(TimedMetadata.group("x", 0, 5, title)))
    #expect(writer.status == .failed)
    let error = try #require(writer.error)
    #expect(error.code == .invalidArgument)
    #expect(error.message.contains(title.rawValue))
    #expect(error.message.contains(TimedMetadata.place.rawValue))
    #expect(scratch.names.isEmpty)
  }

  @Test(
    .rule("An input of metadata requires a format hint with keys"),
    arguments: [("mp4", true), ("mov", true), ("m4a", false), ("matroska", false)])
  func `an input of metadata requires a format hint with keys, and a container for them`(
    container: String, isTaken: Bool
  ) throws {
    let writer = try Writing.writer(scratch, "a.\(container)", container)
    #expect(writer.canAdd(try TimedMetadata.input()) == isTaken)
    #expect(!writer.canAdd(AssetWriterInput(mediaType: .metadata, settings: nil)))
    let picture = FormatDescription(videoCodec: "h264", width: 16, height: 16)
    #expect(
      !writer.canAdd(
        AssetWriterInput(mediaType: .metadata, settings: nil, sourceFormatHint: picture)))
  }

  @Test func `an adaptor of an input without a hint fails its writer`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    let adaptor = AssetWriterInputMetadataAdaptor(assetWriterInput: input)
    try Writing.start(writer, [input])
    #expect(!adaptor.append(TimedMetadata.group("a", 0, 5)))
    #expect(writer.status == .failed)
  }

  @Test func `groups are written in fragments`() throws {
    let writer = try Writing.writer(scratch)
    writer.movieFragmentInterval = MediaTime(value: 1, timescale: 5)
    let (video, input) = (Writing.videoInput(), try TimedMetadata.input())
    let adaptor = AssetWriterInputMetadataAdaptor(assetWriterInput: input)
    try Writing.start(writer, [video, input])
    for number in 0..<25 {
      try #require(video.append(Writing.picture(number)))
      if number % 10 == 0 {
        try #require(adaptor.append(TimedMetadata.group("\(number)", number, 5)))
      }
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    let told = try TimedMetadata.groups(writer.path)
    #expect(told.map { $0.items.first?.stringValue } == ["0", nil, "10", nil, "20"])
    #expect(told.map(\.timeRange.start.seconds) == [0, 0.2, 0.4, 0.6, 0.8])
  }

  @Test(.rule) func `a metadata receiver appends groups as the sample receiver does samples`()
    async throws
  {
    let writer = try Writing.writer(scratch, "task.mov", "mov")
    let receiver = try writer.inputMetadataReceiver(for: try TimedMetadata.input())
    try writer.start()
    #expect(try !receiver.appendImmediately(TimedMetadata.group("a", 0, 5)))
    writer.startSession(atSourceTime: .zero)
    try await receiver.append(TimedMetadata.group("a", 0, 5))
    #expect(try receiver.appendImmediately(TimedMetadata.group("b", 5, 5)))
    receiver.finish()
    await writer.finishWriting()

    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    let reader = try AssetReader(asset: asset)
    let provider = try reader.outputMetadataProvider(
      for: AssetReaderTrackOutput(track: try asset.tracks()[0], settings: nil))
    await #expect(throws: MediaError.self) { try await provider.next() }
    try reader.start()
    var groups: [TimedMetadataGroup] = []
    while let group = try await provider.next() { groups.append(group) }
    #expect(groups == [TimedMetadata.group("a", 0, 5), TimedMetadata.group("b", 5, 5)])
    #expect(reader.status == .completed)
  }

  @Test func `a task that appends an item that the hint lacks gets the error`() async throws {
    let writer = try Writing.writer(scratch, "task.mov", "mov")
    let receiver = try writer.inputMetadataReceiver(for: try TimedMetadata.input())
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    let other = MetadataIdentifier(key: "org.example.other", keySpace: .quickTimeMetadata)
    let error = await #expect(throws: MediaError.self) {
      try await receiver.append(TimedMetadata.group("a", 0, 5, other))
    }
    #expect(error?.code == .invalidArgument)
    #expect(writer.status == .failed)
  }
}
