import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Testing

@testable import Respool

@Suite struct WriterConfiguration {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func finish(_ writer: AssetWriter, _ inputs: [AssetWriterInput]) throws {
    try Writing.start(writer, inputs)
    try Writing.feedASecond(inputs)
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")
  }

  @Test(.rule, arguments: [true, false])
  func `a file optimized for network use has the movie box first`(isFirst: Bool) throws {
    let writer = try Writing.writer(scratch)
    #expect(!writer.shouldOptimizeForNetworkUse)
    writer.shouldOptimizeForNetworkUse = isFirst
    try finish(writer, [Writing.audioInput()])
    let boxes = try Writing.boxes(writer.path)
    let moov = try #require(boxes.firstIndex(of: "moov"))
    let mdat = try #require(boxes.firstIndex(of: "mdat"))
    #expect((moov < mdat) == isFirst)
  }

  @Test func `each track has its requested properties`() throws {
    let writer = try Writing.writer(scratch, "all.mov", "mov")
    let (video, one, two) = (Writing.videoInput(), Writing.audioInput(), Writing.audioInput())
    video.mediaTimeScale = 30000
    video.naturalSize = (192, 128)
    video.transform = DisplayMatrix(clockwiseDegrees: 90)
    one.mediaTimeScale = 600
    #expect(one.mediaTimeScale == 0)
    one.languageCode = "deu"
    two.extendedLanguageTag = "fr"
    two.preferredVolume = 0.5
    two.metadata = [MetadataItem(name: "handler_name", "Second")]
    writer.movieTimeScale = 30000
    #expect(two.canAddTrackAssociation(withTrackOf: one, type: .audioFallback))
    #expect(!two.canAddTrackAssociation(withTrackOf: video, type: .audioFallback))
    #expect(!two.canAddTrackAssociation(withTrackOf: two, type: .audioFallback))
    one.addTrackAssociation(withTrackOf: two, type: .audioFallback)
    for input in [video, one, two] { try writer.add(input) }
    let group = AssetWriterInputGroup(inputs: [one, two], defaultInput: two)
    #expect(writer.canAdd(group))
    try writer.add(group)
    #expect(!writer.canAdd(group))
    #expect(!writer.canAdd(AssetWriterInputGroup(inputs: [video, one])))
    #expect(!writer.canAdd(AssetWriterInputGroup(inputs: [Writing.audioInput()])))
    #expect((one.marksOutputTrackAsEnabled, two.marksOutputTrackAsEnabled) == (false, true))
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    video.naturalSize = (1, 1)
    writer.movieTimeScale = 1
    try Writing.feedASecond([video, one, two])
    writer.finishWritingAndWait()
    try #require(writer.status == .completed, "\(String(describing: writer.error))")

    let asset = Asset(path: writer.path, registry: Pipeline.registry)
    let tracks = try asset.tracks().map(\.formatDescription.track)
    #expect(tracks[0].timeBase == Rational(1, 30000))
    #expect(tracks[0].displayMatrix.orientation.clockwiseDegrees == 90)
    #expect(tracks[1].language == "deu")
    #expect(tracks[2].language == "fr")
    #expect(try asset.tracks().map(\.languageCode)[1...] == ["deu", "fra"])
    #expect(try asset.tracks().map(\.extendedLanguageTag)[1...] == [nil, "fr"])
    #expect(tracks.map { $0.disposition.contains(.default) } == [true, false, true])
    #expect(tracks[2].metadata.contains(MetadataEntry("handler_name", "Second")))
    #expect(try Writing.contains(writer.path, "tref"))
    #expect(try Writing.contains(writer.path, "fall"))
    let data = try Data(contentsOf: URL(filePath: writer.path))
    let header = try #require(data.range(of: Data("tkhd".utf8)))
    // Width and height are the last eight bytes of the box of 92 bytes.
    let size = data[(header.lowerBound + 80)..<(header.lowerBound + 88)]
    #expect(Array(size) == [0, 192, 0, 0, 0, 128, 0, 0])
    let movie = try #require(data.range(of: Data("mvhd".utf8)))
    let scale = data[(movie.lowerBound + 16)..<(movie.lowerBound + 20)]
    #expect(scale.reduce(0) { $0 << 8 | Int($1) } == 30000)
  }

  @Test func `a track that is requested first is first`() throws {
    let writer = try Writing.writer(scratch)
    let (video, audio) = (Writing.videoInput(), Writing.audioInput())
    audio.mediaDataLocation = .beforeMainMediaDataNotInterleaved
    try finish(writer, [video, audio])
    let lines = try Writing.probe(writer.path, ["-show_entries", "packet=stream_index,pos"])
    let places = lines.split(separator: "\n").compactMap { line -> (Int, Int)? in
      let parts = line.split(separator: ",").compactMap { Int($0) }
      return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
    let sound = places.filter { $0.0 == 1 }.map(\.1)
    let pictures = places.filter { $0.0 == 0 }.map(\.1)
    #expect((sound.count, pictures.count) == (48, 25) || sound.count == 49)
    let (end, start) = (try #require(sound.max()), try #require(pictures.min()))
    #expect(end < start)
    #expect(try Pipeline.sound(writer.path).count == 48000)
  }

  @Test func `a preferred chunk is as long as requested`() throws {
    func chunks(_ seconds: MediaTime) throws -> Int {
      let writer = try Writing.writer(scratch, "chunk-\(seconds.value).mov", "mov")
      let input = Writing.linearInput()
      input.preferredMediaChunkDuration = seconds
      try finish(writer, [input])
      let data = try Data(contentsOf: URL(filePath: writer.path))
      let box = try #require(data.range(of: Data("stco".utf8)))
      return data[(box.upperBound + 4)..<(box.upperBound + 8)].reduce(0) { $0 << 8 | Int($1) }
    }
    #expect(try chunks(.invalid) == 2)
    // A chunk ends with the packet that reaches the preferred duration.
    #expect((6...10).contains(try chunks(MediaTime(value: 1, timescale: 10))))
  }

  @Test(.rule)
  func `the directory for temporary files exists when writing starts, and stays empty`() throws {
    let writer = try Writing.writer(scratch)
    let folder = scratch.path("temporary")
    writer.directoryForTemporaryFiles = folder
    try writer.add(Writing.audioInput())
    #expect(!writer.startWriting())
    #expect(writer.status == .failed)
    #expect(writer.error?.file == folder)
    #expect(scratch.names.isEmpty)

    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let second = try Writing.writer(scratch)
    second.directoryForTemporaryFiles = folder
    second.shouldOptimizeForNetworkUse = true
    try finish(second, [Writing.audioInput()])
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
  }

  @Test(.rule) func `settings are checked against the file type`() throws {
    let writer = try Writing.writer(scratch, "x.wav", "wav")
    let sound = AssetWriterInput.Settings.audio(
      codec: "pcm_s16le", sampleRate: 48000, channelLayout: .mono)
    #expect(writer.canApply(settings: sound, for: .audio))
    #expect(!writer.canApply(settings: sound, for: .video))
    #expect(!writer.canApply(settings: .video(codec: "h264", width: 2, height: 2), for: .video))
    #expect(writer.canApply(settings: nil, for: .audio))
    #expect(!writer.canApply(settings: nil, for: .video))
    #expect(writer.availableMediaTypes == [.audio])
    let movie = try Writing.writer(scratch)
    #expect(movie.availableMediaTypes == [.video, .audio, .subtitle, .metadata])
    let aperture = CleanAperture(width: 97, height: 64)
    #expect(!movie.canAdd(Writing.videoInput(aperture: aperture)))
    #expect(
      !movie.canApply(
        settings: .audio(codec: "aac", sampleRate: 0, channelLayout: .mono), for: .audio))
  }

  @Test(.rule) func `the completion handler is called after success and failure`() async throws {
    for fails in [false, true] {
      let writer = try Writing.writer(scratch, "handler-\(fails).wav", "wav")
      let input = Writing.linearInput()
      try Writing.start(writer, [input])
      if !fails { try #require(input.append(Writing.tone(0))) }
      await withCheckedContinuation { continuation in
        writer.finishWriting { continuation.resume() }
      }
      #expect(writer.status == (fails ? .failed : .completed))
      #expect((writer.error == nil) == !fails)
      // A second call has no effect.
      await writer.finishWriting()
      #expect(writer.status == (fails ? .failed : .completed))
    }
    #expect(scratch.names == ["handler-false.wav"])
  }

  @Test func `trimmed audio is cut to the sample`() throws {
    let writer = try Writing.writer(scratch, "trim.wav", "wav")
    let input = Writing.linearInput()
    try Writing.start(writer, [input])
    let sample = try Writing.tone(0, 48000)
    sample.attachments.trimDurationAtStart = MediaTime(value: 1, timescale: 4)
    sample.attachments.trimDurationAtEnd = MediaTime(value: 1, timescale: 2)
    try #require(input.append(sample))
    let gone = try Writing.tone(48000, 100)
    gone.attachments.trimDurationAtStart = MediaTime(value: 1, timescale: 1)
    #expect(input.append(gone))
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
    // WAV has no timestamps, so the remaining audio begins at the start of the file.
    let sound = try Pipeline.sound(writer.path)
    #expect(sound.count == 12000 || sound.count == 24000)
  }

  @Test func `an invalid sample fails the writer`() throws {
    let writer = try Writing.writer(scratch, "invalid.wav", "wav")
    let input = Writing.linearInput()
    try Writing.start(writer, [input])
    let sample = try Writing.tone(0)
    sample.invalidate()
    #expect(!input.append(sample))
    #expect(writer.error?.code == .invalidArgument)
    #expect(scratch.names.isEmpty)
  }

  @Test func `only the adaptor's own state determines whether it has a pool`() throws {
    let writer = try Writing.writer(scratch)
    let input = Writing.videoInput()
    let attributes = PixelBufferAttributes(pixelFormat: .rgb24, width: 96, height: 64)
    let adaptor = AssetWriterInputPixelBufferAdaptor(
      assetWriterInput: input, sourcePixelBufferAttributes: attributes)
    let without = AssetWriterInputPixelBufferAdaptor(assetWriterInput: input)
    try writer.add(input)
    #expect(adaptor.pixelBufferPool == nil)
    try #require(writer.startWriting())
    #expect(adaptor.pixelBufferPool?.attributes == attributes)
    #expect(without.pixelBufferPool == nil)
    writer.cancelWriting()
    #expect(adaptor.pixelBufferPool == nil)
  }
}
