import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

@Suite struct Samples {
  @Test func `audio is converted from arrays to arrays, interleaved and planar`() throws {
    let planar: [[Int16]] = [[1, -2, 3, 32767], [-32768, 5, -6, 7]]
    let interleaved: [Int16] = [1, -32768, -2, 5, 3, -6, 32767, 7]
    let start = MediaTime(value: 3, timescale: 10)
    let one = try #require(
      SampleBuffer(
        interleaved: interleaved, channelLayout: .stereo, sampleRate: 8000, at: start))
    let two = try #require(SampleBuffer(planar: planar, sampleRate: 8000, at: start))
    for sample in [one, two] {
      #expect(sample.planar(as: Int16.self) == planar)
      #expect(sample.interleaved(as: Int16.self) == interleaved)
      #expect(sample.interleaved(as: Float.self) == nil)
      #expect(sample.numSamples == 4)
      #expect(sample.presentationTimeStamp == start)
      #expect(sample.duration == MediaTime(value: 4, timescale: 8000))
      #expect((sample.totalSampleSize, sample.sampleSize(at: 3)) == (16, 4))
      #expect(sample.sampleSize(at: 4) == 0)
    }
    #expect(one.formatDescription.track.sampleFormat == .s16)
    #expect(two.formatDescription.track.sampleFormat == .s16p)
    #expect(two.formatDescription.channelLayout == .stereo)
  }

  @Test func `a sample's pixel buffer is one object, and drawings are part of the sample`() throws {
    let path = Pipeline.clip("pattern-h264.mp4")
    let sample = try #require(try Pipeline.pictures(path).first)
    let picture = try #require(sample.imageBuffer)
    #expect(sample.imageBuffer === picture)
    _ = try picture.withMutablePlane(0) { memory, _ in
      memory.initializeMemory(as: UInt8.self, repeating: 201)
    }
    picture.attachments.custom["note"] = "drawn"
    var attachments = picture.attachments
    attachments.color = ColorDescription(
      primaries: 9, transfer: 16, matrix: 9, range: .limited)
    picture.attachments = attachments
    #expect(try sample.brightness() == 201)
    #expect(sample.frame?.color.primaries == 9)
    #expect(sample.imageBuffer?.attachments.custom == ["note": "drawn"])
    // The next reader of the file returns the original frame.
    #expect(try Pipeline.pictures(path).first?.brightness() != 201)

    let later = try #require(
      sample.withTiming(SampleTiming(presentationTimeStamp: MediaTime(value: 5, timescale: 1))))
    #expect(later.imageBuffer === picture && later.frame?.pts != sample.frame?.pts)
    let copy = try #require(sample.copy())
    #expect(copy.imageBuffer !== picture)
    #expect(copy.imageBuffer?.attachments == picture.attachments)
    _ = try picture.withMutablePlane(0) { memory, _ in
      memory.initializeMemory(as: UInt8.self, repeating: 7)
    }
    #expect(try (copy.brightness(), later.brightness()) == (201, 7))

    let made = SampleBuffer(picture, at: .zero)
    #expect(made.imageBuffer === picture)
    made.invalidate()
    #expect(made.imageBuffer == nil)
  }

  @Test func `arrays of unequal length are not audio`() {
    #expect(
      SampleBuffer(
        interleaved: [1, 2, 3] as [Float], channelLayout: .stereo, sampleRate: 8000, at: .zero)
        == nil)
    #expect(
      SampleBuffer(planar: [[1], [1, 2]] as [[Float]], sampleRate: 8000, at: .zero) == nil)
    #expect(SampleBuffer(planar: [] as [[Float]], sampleRate: 8000, at: .zero) == nil)
    #expect(
      SampleBuffer(
        interleaved: [] as [Float], channelLayout: .mono, sampleRate: 8000, at: .zero) == nil)
  }

  @Test func `every sample of a block has its time`() throws {
    let sample = try Writing.tone(96000, 100)
    #expect(sample.sampleTimings.count == 1)
    let last = try #require(sample.sampleTiming(at: 99))
    #expect(last.presentationTimeStamp == MediaTime(value: 96099, timescale: 48000))
    #expect(last.duration == MediaTime(value: 1, timescale: 48000))
    #expect(!last.decodeTimeStamp.isValid)
    #expect(sample.sampleTiming(at: 100) == nil)
    #expect(sample.sampleTiming(at: -1) == nil)
  }

  @Test func `copies with other times share the media`() throws {
    let sample = try Writing.picture(3)
    let moved = try #require(
      sample.withTiming(SampleTiming(presentationTimeStamp: Writing.time(9))))
    #expect(moved.presentationTimeStamp == Writing.time(9))
    #expect(moved.duration == Writing.time(1))
    #expect(moved.frame?.pts == 9)
    #expect(moved.frame?.planes[0].base == sample.frame?.planes[0].base)
    let copy = try #require(sample.copy())
    #expect(copy.frame?.planes[0].base != sample.frame?.planes[0].base)
    #expect(try copy.brightness() == sample.brightness())
  }

  @Test func `an invalidated sample has no media and keeps its times`() throws {
    let pool = try PixelBufferPool(
      attributes: PixelBufferAttributes(pixelFormat: .yuv420p, width: 32, height: 32))
    let sample = SampleBuffer(try pool.makePixelBuffer(), at: Writing.time(1))
    #expect(throws: MediaError.self) { try pool.makePixelBuffer(allocationThreshold: 1) }
    sample.invalidate()
    sample.invalidate()
    #expect(!sample.isValid)
    #expect(sample.imageBuffer == nil)
    #expect(sample.dataBuffer == nil)
    #expect((sample.numSamples, sample.totalSampleSize) == (0, 0))
    #expect(sample.presentationTimeStamp == Writing.time(1))
    #expect(sample.copy() == nil)
    #expect(sample.sampleTimings.isEmpty)
    // The memory has been returned to the pool.
    #expect(throws: Never.self) { try pool.makePixelBuffer(allocationThreshold: 1) }
  }

  @Test func `a writer uses the attachments of a packet`() throws {
    let unit = Rational(1, 48000)
    let packet = Packet(
      track: 0, pts: 0, dts: 0, duration: 1024, flags: .key, payload: .bytes(MediaBuffer([1])))
    let format = FormatDescription(audioCodec: "aac", sampleRate: 48000, channelLayout: .stereo)
    let sample = SampleBuffer(.packet(packet), format: format, timeBase: unit)
    #expect(sample.attachments.isSync)
    #expect(sample.attachments.dependsOnOthers == false)
    var attachments = sample.attachments
    attachments.isSync = false
    attachments.doNotDisplay = true
    attachments.trimDurationAtStart = MediaTime(value: 1, timescale: 100)
    attachments.trimDurationAtEnd = MediaTime(value: 100, timescale: 48000)
    attachments.custom = ["note": "kept"]
    sample.attachments = attachments
    let changed = try #require(sample.packet)
    #expect(changed.flags == .discard)
    #expect((changed.trimStart, changed.trimEnd) == (480, 100))
    #expect(sample.attachments.custom == ["note": "kept"])
    #expect(sample.attachments.dependsOnOthers == false)
    #expect(sample.outputPresentationTimeStamp == MediaTime(value: 480, timescale: 48000))
    #expect(sample.outputDuration == MediaTime(value: 1024 - 580, timescale: 48000))
  }

  @Test func `attachments of a frame stay with its sample`() throws {
    let picture = try #require(PixelBuffer(width: 64, height: 48, pixelFormat: .yuv420p))
    #expect(picture.attachments == PixelBuffer.Attachments())
    var attachments = PixelBuffer.Attachments()
    attachments.color = .bt709
    attachments.pixelAspectRatio = Rational(4, 3)
    attachments.cleanAperture = CleanAperture(width: 60, height: 44, verticalOffset: -1)
    attachments.custom = ["number": "7"]
    picture.attachments = attachments
    let other = try #require(PixelBuffer(width: 64, height: 48, pixelFormat: .rgb24))
    picture.propagateAttachments(to: other)
    #expect(other.attachments == attachments)
    let sample = SampleBuffer(picture, at: .zero)
    let extensions = sample.formatDescription.extensions
    #expect(extensions.color == .bt709)
    #expect(extensions.pixelAspectRatio == Rational(4, 3))
    #expect(extensions.cleanAperture == attachments.cleanAperture)
    #expect(sample.imageBuffer?.attachments.cleanAperture == attachments.cleanAperture)
  }

  @Test func `planes have their sizes`() throws {
    let picture = try #require(PixelBuffer(width: 65, height: 33, pixelFormat: .yuv420p))
    #expect(picture.planeCount == 3)
    #expect((0..<4).map { picture.width(ofPlane: $0) } == [65, 33, 33, 0])
    #expect((0..<4).map { picture.height(ofPlane: $0) } == [33, 17, 17, 0])
    #expect((0..<3).allSatisfy { picture.bytesPerRow(ofPlane: $0) % 64 == 0 })
    #expect(throws: MediaError.self) { try picture.withPlane(3) { _, _ in } }
  }

  @Test func `writing copies shared memory`() throws {
    let frame = try FrameFixture.flat(.gray, 16, 16, [9])
    let shared = try #require(PixelBuffer(frame))
    try shared.withMutablePlane(0) { bytes, _ in bytes[0] = 200 }
    #expect(frame.planes[0].base.load(as: UInt8.self) == 9)
    let first = try shared.withPlane(0) { bytes, _ in bytes[0] }
    #expect(first == 200)
    // Memory that is not shared is not copied again.
    let place = try shared.withPlane(0) { bytes, _ in bytes.baseAddress }
    try shared.withMutablePlane(0) { bytes, _ in #expect(bytes.baseAddress == place) }
  }

  @Test func `a pool reuses memory and stops at the threshold`() throws {
    let attributes = PixelBufferAttributes(pixelFormat: .nv12, width: 40, height: 30)
    let pool = try PixelBufferPool(attributes: attributes, minimumBufferCount: 2)
    #expect(pool.bufferCount == 2)
    var lent = try (0..<3).map { _ in try pool.makePixelBuffer() }
    #expect(pool.bufferCount == 3)
    #expect(lent.allSatisfy { ($0.width, $0.height, $0.pixelFormat) == (40, 30, .nv12) })
    let places = try lent.map { try $0.withPlane(1) { bytes, _ in bytes.baseAddress } }
    #expect(Set(places).count == 3)
    let error = #expect(throws: MediaError.self) {
      try pool.makePixelBuffer(allocationThreshold: 3)
    }
    #expect(error?.code == .limitExceeded)
    lent = []
    pool.flush()
    #expect(pool.bufferCount == 2)
    let again = try pool.makePixelBuffer(allocationThreshold: 1)
    let place = try again.withPlane(1) { bytes, _ in bytes.baseAddress }
    #expect(places.contains(place))
    for wrong in [
      PixelBufferAttributes(pixelFormat: .none, width: 40, height: 30),
      PixelBufferAttributes(pixelFormat: .nv12, width: 0, height: 30),
    ] {
      #expect(throws: MediaError.self) { try PixelBufferPool(attributes: wrong) }
    }
  }

  @Test func `frames outlive their pool`() throws {
    var pool: PixelBufferPool? = try PixelBufferPool(
      attributes: PixelBufferAttributes(pixelFormat: .gray, width: 8, height: 8))
    let picture = try #require(try pool?.makePixelBuffer())
    pool = nil
    try picture.withMutablePlane(0) { bytes, _ in bytes[7] = 3 }
    #expect(try picture.withPlane(0) { bytes, _ in bytes[7] } == 3)
  }

  @Test func `sizes of a format follow its pixel aspect ratio and clean aperture`() {
    var extensions = FormatDescription.Extensions()
    extensions.pixelAspectRatio = Rational(16, 11)
    extensions.cleanAperture = CleanAperture(width: 704, height: 572, horizontalOffset: 2)
    let format = FormatDescription(
      videoCodec: "h264", width: 720, height: 576, extensions: extensions)
    #expect(format.mediaType == .video)
    #expect(format.dimensions == (720, 576))
    #expect(format.presentationDimensions() == (1024, 572))
    #expect(format.presentationDimensions(usesPixelAspectRatio: false) == (704, 572))
    #expect(
      format.presentationDimensions(usesPixelAspectRatio: false, usesCleanAperture: false)
        == (720, 576))
    #expect(format.cleanApertureRectangle == (10, 2, 704, 572))
    #expect(format.withExtensions(.init()).extensions == .init())
    #expect(format.withExtensions(extensions) == format)
  }

  @Test(arguments: [
    "704/1 480/1 0/1 0/1", "1/0 2/1 3/1 4/1", "1/1 2/1 3/1", "-4/1 2/1 0/1 0/1", "x", "",
  ])
  func `the text of a clean aperture round-trips or is invalid`(text: String) {
    let aperture = CleanAperture(text)
    #expect((aperture == nil) == (text != "704/1 480/1 0/1 0/1"))
    #expect(aperture == nil || aperture?.description == text)
  }
}
