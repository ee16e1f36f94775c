import RespoolMedia
import Testing

@testable import ISOMedia

@Suite struct BoxTests {
  /// Expects that a box is parsed and written without changes, and that every truncated payload throws.
  private func roundTrip<B: Box>(_ value: B, canBeCut: Bool = false) throws {
    let bytes = value.bytes
    var reader = ByteReader(bytes)
    let box = try #require(try reader.nextBox())
    #expect(box.type == B.type)
    #expect(reader.isAtEnd)
    var payload = box.payload
    let back = try B(from: &payload)
    #expect(back == value)
    #expect(back.bytes == bytes)
    guard !canBeCut else { return }
    for count in 0..<bytes.count - 8 {
      #expect(throws: MediaError.self, "\(B.type) cut to \(count) bytes") {
        var cut = ByteReader(bytes[8..<8 + count])
        _ = try B(from: &cut)
      }
    }
  }

  /// `mdhd` stores the terminological code of ISO 639-2 for every form of the source's code.
  @Test(arguments: [
    ("ger", "deu"), ("deu", "deu"), ("de-CH", "deu"), ("fr", "fra"), ("tlh", "tlh"), ("x", "und"),
    ("", "und"),
  ])
  func `languages have the terminological code`(tag: String, code: String) {
    let written = MediaHeaderBox.code(ofLanguage: tag)
    let undetermined = MediaHeaderBox.undetermined
    #expect(
      code == "und" ? written == undetermined : MediaHeaderBox.language(ofCode: written) == code)
  }

  @Test func `headers round-trip`() throws {
    var movie = MovieHeaderBox(timeScale: 1000, duration: 5000, nextTrackID: 3)
    try roundTrip(movie)
    movie.duration = 1 << 40
    movie.creationTime = 77
    try roundTrip(movie)
    var track = TrackHeaderBox(trackID: 2, duration: 5000)
    track.matrix = DisplayMatrix(clockwiseDegrees: 90)
    track.width = 640 << 16
    try roundTrip(track)
    track.duration = 1 << 33
    try roundTrip(track)
    var media = MediaHeaderBox(timeScale: 48000, duration: 1 << 34)
    media.languageCode = MediaHeaderBox.code(ofLanguage: "deu")
    try roundTrip(media)
    #expect(media.language == "deu")
  }

  @Test func `roles round-trip`() throws {
    let kind = KindBox(scheme: "urn:mpeg:dash:role:2011", value: "commentary")
    try roundTrip(kind)
    #expect(kind.disposition == .commentary)
    #expect(KindBox.roles(of: [.commentary, .default]) == [kind])
    #expect(KindBox(scheme: "urn:x", value: "commentary").disposition == [])
    try roundTrip(KindBox(scheme: "", value: ""))
  }

  @Test func `unknown durations stay unknown`() throws {
    let bytes = MediaHeaderBox(timeScale: 600, duration: .max).bytes
    var payload = ByteReader(bytes[8...])
    #expect(try MediaHeaderBox(from: &payload).duration == .max)
  }

  @Test func `tables round-trip`() throws {
    try roundTrip(
      TimeToSampleBox(runs: [.init(count: 3, duration: 1024), .init(count: 1, duration: 7)]))
    try roundTrip(
      CompositionOffsetBox(runs: [.init(count: 1, offset: -512), .init(count: 9, offset: 1024)]))
    try roundTrip(SyncSampleBox(sampleNumbers: [1, 30, 61]))
    try roundTrip(
      SampleToChunkBox(runs: [.init(firstChunk: 1, samplesPerChunk: 5, descriptionIndex: 1)]))
    try roundTrip(SampleSizeBox(sizes: [10, 20, 30]))
    try roundTrip(SampleSizeBox(sizes: [10, 10, 10]))
    try roundTrip(ChunkOffsetBox(offsets: [48, 4000]))
    try roundTrip(LargeChunkOffsetBox(offsets: [48, 1 << 40]))
    try roundTrip(
      EditListBox(entries: [.init(duration: 9, mediaTime: -1), .init(duration: 90, mediaTime: 5)]))
    try roundTrip(EditListBox(entries: [.init(duration: 1 << 40, mediaTime: 1 << 36)]))
  }

  @Test func `fragment boxes round-trip`() throws {
    try roundTrip(TrackExtendsBox(trackID: 4))
    try roundTrip(MovieExtendsHeaderBox(duration: 1 << 40))
    try roundTrip(MovieFragmentHeaderBox(sequenceNumber: 9))
    try roundTrip(
      TrackFragmentRandomAccessBox(
        trackID: 2,
        entries: [.init(time: 5, offset: 1 << 33, trackNumber: 1, runNumber: 2, sampleNumber: 3)]))
    try roundTrip(
      CleanApertureBox(
        aperture: CleanAperture(width: 704, height: 480, horizontalOffset: -3, verticalOffset: 2)))
    var header = TrackFragmentHeaderBox(trackID: 1)
    header.otherFlags = TrackFragmentHeaderBox.baseIsMovieFragment
    header.duration = 1024
    header.flags = 0x1_0000
    try roundTrip(header)
    try roundTrip(TrackFragmentDecodeTimeBox(decodeTime: 90))
    try roundTrip(TrackFragmentDecodeTimeBox(decodeTime: 1 << 40))
    var run = TrackRunBox(
      fields: [.size, .compositionOffset],
      samples: [.init(size: 5, compositionOffset: -3), .init(size: 6, compositionOffset: 8)])
    run.dataOffset = 120
    run.firstSampleFlags = 0x200_0000
    try roundTrip(run)
  }

  @Test func `a run of more samples than fit in memory exceeds a limit`() throws {
    // Version and flags 0, the count, and no field for any sample: the defaults of the fragment apply.
    func run(_ count: UInt32) throws(MediaError) -> TrackRunBox {
      let bytes = [0, count].flatMap { word in
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
      }
      var reader = ByteReader(bytes)
      return try TrackRunBox(from: &reader)
    }
    #expect(
      try run(UInt32(TrackRunBox.maximumFieldlessSamples)).samples.count
        == TrackRunBox.maximumFieldlessSamples)
    let error = #expect(throws: MediaError.self) {
      _ = try run(UInt32(TrackRunBox.maximumFieldlessSamples) + 1)
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func `sample descriptions round-trip`() throws {
    var stream = ElementaryStreamBox(objectType: 0x40, streamType: 5)
    stream.decoderSpecific = [0x11, 0x90]
    stream.averageBitRate = 128_000
    try roundTrip(stream, canBeCut: true)
    try roundTrip(
      ColorBox(kind: .nclx(isFullRange: true), primaries: 9, transfer: 16, matrix: 9),
      canBeCut: true)
    try roundTrip(ColorBox(kind: .nclc, primaries: 1, transfer: 1, matrix: 1))
    try roundTrip(PixelAspectBox(horizontalSpacing: 4, verticalSpacing: 3))
    try roundTrip(BitRateBox(maximum: 2, average: 1))
    try roundTrip(FieldBox(fieldCount: 2, detail: 9))
    try roundTrip(
      FileTypeBox(majorBrand: "isom", minorVersion: 512, compatibleBrands: ["isom", "mp41"]),
      canBeCut: true)
    try roundTrip(HandlerBox(handlerType: "vide", name: "Pictures"), canBeCut: true)
    try roundTrip(
      ChapterListBox(chapters: [.init(start: 0, title: "One"), .init(start: 5, title: "Zwölf")]))
    try roundTrip(
      TrackReferenceBox(references: [.init(type: "chap", trackIDs: [3, 4])]), canBeCut: true)
  }

  @Test func `compact sizes are read`() throws {
    var four = ByteReader([0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 3, 0x12, 0x30] as [UInt8])
    #expect(try SampleSizeBox(compactFrom: &four).sizes == [1, 2, 3])
    var odd = ByteReader([0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0] as [UInt8])
    #expect(throws: MediaError.self) { _ = try SampleSizeBox(compactFrom: &odd) }
  }

  @Test func `a table cannot claim more entries than it has bytes`() throws {
    let claims: [UInt8] = [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1]
    #expect(throws: MediaError.self) {
      var reader = ByteReader(claims)
      _ = try TimeToSampleBox(from: &reader)
    }
    #expect(throws: MediaError.self) {
      var reader = ByteReader(claims)
      _ = try EditListBox(from: &reader)
    }
  }
}
