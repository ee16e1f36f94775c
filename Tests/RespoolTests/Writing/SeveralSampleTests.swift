import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

@Suite struct SeveralSamples {
  static let format = FormatDescription(
    videoCodec: "h264", width: 64, height: 48, timeBase: Rational(1, 25))

  /// Creates a buffer of the bytes 0, 1, 2 and so on.
  private static func buffer(
    bytes: Int = 12, count: Int, _ timings: [SampleTiming], _ sizes: [Int],
    format: FormatDescription = format
  ) throws -> SampleBuffer {
    try SampleBuffer(
      dataBuffer: MediaBuffer((0..<bytes).map { UInt8(truncatingIfNeeded: $0) }),
      formatDescription: format, numSamples: count, sampleTimings: timings, sampleSizes: sizes)
  }

  private static func timing(_ shown: Int, _ duration: Int = 1, decoded: Int? = nil) -> SampleTiming
  {
    SampleTiming(
      duration: Writing.time(duration), presentationTimeStamp: Writing.time(shown),
      decodeTimeStamp: decoded.map { Writing.time($0) } ?? .invalid)
  }

  private static func bytes(_ sample: SampleBuffer) -> [UInt8]? {
    sample.dataBuffer?.withBytes { Array($0) }
  }

  /// Returns these samples in one buffer.
  private static func packed(_ samples: ArraySlice<SampleBuffer>) throws -> SampleBuffer {
    let first = try #require(samples.first)
    let buffer = try SampleBuffer(
      dataBuffer: MediaBuffer(try samples.flatMap { try #require(bytes($0)) }),
      formatDescription: first.formatDescription, numSamples: samples.count,
      sampleTimings: samples.flatMap(\.sampleTimings),
      sampleSizes: samples.map(\.totalSampleSize))
    buffer.sampleAttachments = samples.map(\.attachments)
    return buffer
  }

  /// Passes the first video and audio tracks through a writer, and returns the samples read back.
  private static func copied(
    _ clip: String, _ container: String, pack: ([SampleBuffer]) throws -> [SampleBuffer]
  ) throws -> [SampleBuffer] {
    let scratch = try Scratch()
    let writer = try Writing.writer(scratch, "copy.\(container)", container)
    let types = [MediaType.video, .audio]
    let samples = try types.map { try Pipeline.samples(clip, $0, nil) }
    let inputs = zip(types, samples).map { type, samples in
      AssetWriterInput(
        mediaType: type, settings: nil, sourceFormatHint: samples.first?.formatDescription)
    }
    try Writing.start(writer, inputs)
    for (input, samples) in zip(inputs, samples) {
      for sample in try pack(samples) { try #require(input.append(sample)) }
      input.markAsFinished()
    }
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
    return try types.flatMap { try Pipeline.samples(writer.path, $0, nil) }
  }

  @Test(.rule("An input writes all samples of a buffer"), arguments: ["mp4", "mov", "mkv"])
  func `ten samples in a buffer are written as one by one`(container: String) throws {
    let clip = Pipeline.clip("pattern-h264.mp4")
    let alone = try Self.copied(clip, container) { $0 }
    let together = try Self.copied(clip, container) { samples in
      try stride(from: 0, to: samples.count, by: 10).map {
        try Self.packed(samples[$0..<min($0 + 10, samples.count)])
      }
    }
    #expect(alone.contains { $0.decodeTimeStamp.isValid } && alone.count > 50)
    #expect(together.map(\.timing) == alone.map(\.timing))
    #expect(together.map(\.attachments) == alone.map(\.attachments))
    #expect(together.map(Self.bytes) == alone.map(Self.bytes))
    let split = try Self.copied(clip, container) { samples in
      try Self.packed(samples[...]).singleSampleBuffers()
    }
    #expect(split.map(\.timing) == alone.map(\.timing))
    #expect(split.map(\.attachments) == alone.map(\.attachments))
    #expect(split.map(Self.bytes) == alone.map(Self.bytes))
  }

  @Test(.rule("One timing applies to samples of equal duration in presentation order"))
  func `one timing and one size apply to all samples`() throws {
    let buffer = try Self.buffer(count: 3, [Self.timing(5, 2)], [4])
    #expect(buffer.numSamples == 3)
    #expect(buffer.sampleTimings == [Self.timing(5, 2), Self.timing(7, 2), Self.timing(9, 2)])
    #expect(buffer.sampleTiming(at: 2) == Self.timing(9, 2))
    #expect(buffer.sampleTiming(at: 3) == nil && buffer.sampleTiming(at: -1) == nil)
    #expect((-1...3).map(buffer.sampleSize(at:)) == [0, 4, 4, 4, 0])
    #expect((buffer.totalSampleSize, buffer.dataBuffer?.count) == (12, 12))
    #expect(buffer.imageBuffer == nil)
  }

  @Test(.rule) func `a buffer begins with its earliest sample and has the sum of the durations`()
    throws
  {
    let timings = [
      Self.timing(2, 1, decoded: -1), Self.timing(9, 3, decoded: 0),
      Self.timing(1, 1, decoded: 1),
    ]
    let buffer = try Self.buffer(count: 3, timings, [1, 0, 5])
    #expect(buffer.sampleTimings == timings)
    #expect((0..<3).map(buffer.sampleSize(at:)) == [1, 0, 5])
    #expect((buffer.totalSampleSize, buffer.dataBuffer?.count) == (6, 12))
    #expect(buffer.presentationTimeStamp == Writing.time(1))
    #expect(buffer.decodeTimeStamp == Writing.time(-1))
    #expect(buffer.duration == Writing.time(5))
  }

  @Test func `samples may have no times, and one sample no size`() throws {
    let buffer = try Self.buffer(count: 2, [], [6])
    #expect(!buffer.presentationTimeStamp.isValid && !buffer.duration.isValid)
    #expect(buffer.sampleTimings.isEmpty && buffer.sampleTiming(at: 0) == nil)
    #expect(buffer.copy()?.numSamples == 2)
    let one = try Self.buffer(count: 1, [Self.timing(3, decoded: 2)], [])
    #expect((one.numSamples, one.sampleSize(at: 0)) == (1, 12))
    #expect(one.sampleTimings == [Self.timing(3, decoded: 2)])
    #expect(Self.bytes(try Self.buffer(count: 1, [], [2])) == [0, 1])
  }

  @Test(
    .rule,
    arguments: [
      (0, 0, []), (-1, 0, [1]), (.min, 1, []), (.max, 1, [1]), (.max, 0, [0]), (.max, 0, []),
      (2, 1, []), (3, 2, [4]), (1, 2, [4]), (3, 1, [4, 4]), (3, 1, [4, 4, 4, 4]), (3, 1, [5]),
      (3, 1, [-1]), (3, 1, [.max]), (3, 1, [.min]), (2, 1, [.max, .max]), (2, 2, [13, 0]),
      (3, 3, [6, 6, 1]), (3, 3, [12, -1, 1]), (2, 0, [0]), (1, 1, [13]), (1, 1, [-1]),
    ] as [(Int, Int, [Int])])
  func `there are no timings, one, or one for each sample, and as many sizes`(
    count: Int, timings: Int, sizes: [Int]
  ) throws {
    let error = #expect(throws: MediaError.self) {
      try Self.buffer(count: count, (0..<timings).map { Self.timing($0) }, sizes)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [
    [SampleTiming(presentationTimeStamp: .invalid)],
    [SampleTiming(duration: Writing.time(1), presentationTimeStamp: .positiveInfinity)],
    // One timing for both samples, without a duration or with a decode time.
    [SampleTiming(presentationTimeStamp: .zero)], [timing(0, 1, decoded: 0)],
    [timing(0, -1)], [timing(0), timing(1, -1)],
    [SampleTiming(duration: .indefinite, presentationTimeStamp: .zero)],
    [timing(0), SampleTiming(presentationTimeStamp: .indefinite)],
    [
      timing(0),
      SampleTiming(
        presentationTimeStamp: .zero, decodeTimeStamp: .negativeInfinity),
    ],
    [
      SampleTiming(
        duration: Writing.time(.max, 1), presentationTimeStamp: Writing.time(.max, 1))
    ],
  ])
  func `invalid times are rejected`(timings: [SampleTiming]) throws {
    let error = #expect(throws: MediaError.self) { try Self.buffer(count: 2, timings, [6]) }
    #expect(error?.code == .invalidArgument)
  }

  @Test(.rule) func `each sample of a buffer has its own attachments`() throws {
    let buffer = try Self.buffer(count: 3, [Self.timing(0)], [4])
    #expect(buffer.sampleAttachments.map(\.isSync) == [true, true, true])
    buffer.sampleAttachments[1].isSync = false
    buffer.sampleAttachments[1].dependsOnOthers = true
    buffer.sampleAttachments[2].custom = ["note": "last"]
    buffer.sampleAttachments[2].trimDurationAtEnd = Writing.time(1)
    #expect(buffer.sampleAttachments.map(\.isSync) == [true, false, true])
    #expect(buffer.sampleAttachments.map(\.dependsOnOthers) == [false, true, false])
    #expect(buffer.sampleAttachments.map(\.custom.count) == [0, 0, 1])
    #expect(buffer.outputDuration == Writing.time(2))
    buffer.attachments.doNotDisplay = true
    #expect(buffer.sampleAttachments.map(\.doNotDisplay) == [true, false, false])
    let said = buffer.sampleAttachments
    buffer.sampleAttachments = []
    buffer.sampleAttachments = [SampleBuffer.Attachments()]
    #expect(buffer.sampleAttachments == said)
    #expect(buffer.singleSampleBuffers().map(\.attachments) == said)
    #expect(buffer.copy()?.sampleAttachments == said)

    let picture = try Writing.picture(0)
    picture.sampleAttachments[0].custom = ["note": "one"]
    #expect(picture.attachments.custom == ["note": "one"])
  }

  @Test(.rule) func `single sample buffers share the data of the buffer`() throws {
    let memory = MediaBuffer((0..<12).map { UInt8($0) })
    let released = Counter()
    func buffer() throws -> SampleBuffer {
      let lent = MediaBuffer(borrowing: memory.bytes) { [memory] in
        withExtendedLifetime(memory) { _ = released.next() }
      }
      return try SampleBuffer(
        dataBuffer: lent, formatDescription: Self.format, numSamples: 3,
        sampleTimings: [Self.timing(4)], sampleSizes: [3, 4, 5])
    }
    let whole = try buffer()
    var parts = whole.singleSampleBuffers()
    #expect(parts.map(Self.bytes) == [[0, 1, 2], [3, 4, 5, 6], [7, 8, 9, 10, 11]])
    #expect(
      parts.map(\.dataBuffer?.bytes.baseAddress)
        == [0, 3, 7].map { memory.bytes.baseAddress?.advanced(by: $0) })
    #expect(parts.map(\.timing) == [Self.timing(4), Self.timing(5), Self.timing(6)])
    #expect(parts.allSatisfy { $0.formatDescription === Self.format && $0.numSamples == 1 })
    parts[0].attachments.isSync = false
    parts[1].invalidate()
    #expect(whole.sampleAttachments.allSatisfy(\.isSync) && whole.sampleSize(at: 1) == 4)
    whole.invalidate()
    #expect((whole.numSamples, whole.totalSampleSize) == (0, 0))
    #expect(whole.dataBuffer == nil && whole.sampleTimings.isEmpty && whole.copy() == nil)
    #expect(whole.sampleAttachments.isEmpty && whole.singleSampleBuffers().isEmpty)
    #expect(Self.bytes(parts[2]) == [7, 8, 9, 10, 11])
    #expect(released.count == 0)
    parts = []
    #expect(released.count == 1)

    let picture = try Writing.picture(0)
    #expect(picture.singleSampleBuffers().first === picture)
  }

  @Test func `several samples are copied and moved together`() throws {
    let whole = try Self.buffer(count: 3, [Self.timing(4)], [3, 4, 5])
    let copy = try #require(whole.copy())
    #expect(Self.bytes(copy) == Self.bytes(whole) && copy.sampleTimings == whole.sampleTimings)
    #expect(copy.dataBuffer?.bytes.baseAddress != whole.dataBuffer?.bytes.baseAddress)
    #expect((0..<3).map(copy.sampleSize(at:)) == [3, 4, 5])
    let start = SampleTiming(presentationTimeStamp: Writing.time(9))
    let moved = try #require(whole.withTiming(start))
    #expect(moved.sampleTimings == [Self.timing(9), Self.timing(10), Self.timing(11)])
    #expect(moved.dataBuffer === whole.dataBuffer)
    #expect(whole.withTiming(Self.timing(0, 2))?.duration == Writing.time(6))
    // One new timing does not determine the duration of each sample.
    let uneven = try Self.buffer(count: 2, [Self.timing(0, 1), Self.timing(1, 2)], [6])
    #expect(uneven.withTiming(start) == nil)
  }

  @Test func `an encoding input accepts no compressed samples, and no input an invalid buffer`()
    throws
  {
    let scratch = try Scratch()
    let buffer = try Self.buffer(count: 3, [Self.timing(0)], [4])
    let encoding = try Writing.writer(scratch, "encoded.mp4")
    let input = Writing.videoInput()
    try Writing.start(encoding, [input])
    #expect(!input.append(buffer))
    #expect(encoding.error?.code == .invalidArgument)
    buffer.invalidate()
    let writer = try Writing.writer(scratch, "copy.mkv", "mkv")
    let copying = AssetWriterInput(
      mediaType: .video, settings: nil, sourceFormatHint: Self.format)
    try Writing.start(writer, [copying])
    #expect(!copying.append(buffer))
    #expect(writer.error?.message.contains("invalidated") == true)
  }
}
