import Foundation
import TestFixtures
import ReadingFixtures
import RespoolMedia
import Synchronization
import Testing

@testable import Respool
@testable import RespoolWaveform

/// Results of the examples in the documentation pages.
///
/// `TopLevelPrograms` compiles the examples themselves.
@Suite struct DocumentationExamples {
  let scratch: Scratch
  let registry = Pipeline.registry

  init() throws { scratch = try Scratch() }

  @Test func time() {
    let start = MediaTime(value: 1001, timescale: 30000)
    let range = TimeRange(start: start, duration: MediaTime(seconds: 2, preferredTimescale: 600))
    let middle = range.start + range.duration.multiplied(by: 1, dividedBy: 2)
    let inFrames = middle.convertScale(25, method: .roundTowardZero)

    #expect(inFrames == MediaTime(value: 25, timescale: 25))
    #expect(range.containsTime(middle))
  }

  @Test func samples() throws {
    let pool = try PixelBufferPool(
      attributes: PixelBufferAttributes(pixelFormat: .yuv420p, width: 320, height: 180))
    let picture = try pool.makePixelBuffer()
    let sample = SampleBuffer(picture, at: .zero, duration: MediaTime(value: 1, timescale: 25))

    #expect(sample.imageBuffer?.width == 320)
    #expect(sample.duration.seconds == 0.04)
  }

  @Test func severalSamples() throws {
    let second = MediaTime(value: 1, timescale: 1)
    let lines = try SampleBuffer(
      dataBuffer: MediaBuffer("onetwo".utf8),
      formatDescription: FormatDescription(subtitles: "subrip"), numSamples: 2,
      sampleTimings: [SampleTiming(duration: second, presentationTimeStamp: .zero)],
      sampleSizes: [3])

    #expect(lines.singleSampleBuffers().map(\.presentationTimeStamp) == [.zero, second])
  }

  @Test func assets() async throws {
    let path = Pipeline.clip("portrait.mov")
    let asset = Asset(path: path, registry: registry)
    let (duration, tracks) = try await asset.load(.duration, .tracks)
    for track in tracks where track.mediaType == .video {
      print(duration.seconds, track.naturalSize, track.preferredTransform.orientation)
    }

    let recording = Asset(
      path: Pipeline.clip("portrait.mov"), registry: registry, prefersPreciseDurationAndTiming: true
    )
    print(try await recording.load(.duration).seconds)

    #expect(tracks.contains { $0.mediaType == .video })
    #expect(try await recording.load(.duration) >= duration)
  }

  @Test func reading() throws {
    let asset = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    var count = 0
    let reader = try AssetReader(asset: asset)
    let track = try asset.tracks(withMediaType: .audio)[0]
    let output = AssetReaderTrackOutput(
      track: track, settings: .audio(sampleFormat: .s16, sampleRate: 44100))
    try reader.add(output)
    guard reader.startReading() else { throw reader.error ?? MediaError(.internal, "?") }
    while let sample = output.copyNextSampleBuffer() {
      count += sample.numSamples
    }
    if reader.status == .failed, let error = reader.error { throw error }

    #expect(count == 2 * 44100)
  }

  @Test func providers() async throws {
    let film = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
    let reader = try AssetReader(asset: film)
    let track = try await film.loadTracks(withMediaType: .video)[0]
    let output = AssetReaderTrackOutput(track: track, settings: .video())
    let provider = try reader.outputProvider(for: output)
    try reader.start()
    var count = 0
    while let picture = try await provider.next() {
      count += picture.numSamples
    }

    #expect(count == 50 && reader.status == .completed)
  }

  @Test func randomAccess() async throws {
    let film = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
    let reader = try AssetReader(asset: film)
    let track = try await film.loadTracks(withMediaType: .video)[0]
    let output = AssetReaderTrackOutput(track: track, settings: .video())
    let (provider, access) = try reader.outputProviderWithRandomAccess(for: output)
    try reader.start()
    while try await provider.next() != nil {}

    let middle = TimeRange(
      start: MediaTime(value: 1, timescale: 2), duration: MediaTime(value: 1, timescale: 1))
    try access.resetForReading(timeRanges: [middle])
    var count = 0
    while try await provider.next() != nil { count += 1 }
    access.markConfigurationAsFinal()

    // The range includes the frame that is shown when the range begins.
    #expect(count == 26 && reader.status == .completed)
  }

  @Test func cursors() async throws {
    let film = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
    let track = try await film.loadTracks(withMediaType: .video)[0]
    let oneSecond = MediaTime(value: 1, timescale: 1)
    guard let cursor = try await track.loadSampleCursor(presentationTimeStamp: oneSecond)
    else { throw MediaError(.malformed, "?") }
    while !cursor.currentSampleSyncInfo.sampleIsFullSync,
      cursor.stepInDecodeOrder(byCount: -1) != 0
    {}
    let request = SampleBufferRequest(start: cursor)
    request.direction = .forward
    request.maxSampleCount = 10
    let samples = try await SampleBufferGenerator(asset: film).loadSampleBuffers(for: request)

    #expect(samples.count == 10 && samples[0].attachments.isSync)
  }

  @Test func receivers() async throws {
    let path = scratch.path("grey.mp4")
    let writer = try AssetWriter(path: path, container: "mp4", registry: registry)
    let input = AssetWriterInput(
      mediaType: .video, settings: .video(codec: "h264", width: 320, height: 180))
    let receiver = try writer.inputPixelBufferReceiver(
      for: input,
      pixelBufferAttributes: PixelBufferAttributes(pixelFormat: .gray, width: 320, height: 180))
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    for number in 0..<25 {
      guard let picture = try receiver.pixelBufferPool?.makePixelBuffer() else { break }
      try await receiver.append(picture, with: MediaTime(value: Int64(number), timescale: 25))
    }
    receiver.finish()
    await writer.finishWriting()

    #expect(try Pipeline.samples(path, .video, nil).count == 25)
  }

  @Test func passes() async throws {
    let film = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
    let reader = try AssetReader(asset: film)
    let track = try await film.loadTracks(withMediaType: .video)[0]
    let (provider, access) = try reader.outputProviderWithRandomAccess(
      for: AssetReaderTrackOutput(track: track, settings: .video()))
    let writer = try AssetWriter(
      path: scratch.path("film.webm"), container: "webm", registry: registry)
    let (receiver, controller) = try writer.inputReceiverRequestingMultiPass(
      for: AssetWriterInput(
        mediaType: .video,
        settings: .video(codec: "vp9", width: 160, height: 90, bitRate: 100_000)))
    try reader.start()
    try writer.start()
    writer.startSession(atSourceTime: .zero)
    guard let passes = controller.passDescriptions else { throw MediaError(.unsupported, "?") }
    var isFirst = true
    for await pass in passes {
      if !isFirst { try access.resetForReading(timeRanges: pass.sourceTimeRanges) }
      isFirst = false
      while let picture = try await provider.next() { try await receiver.append(picture) }
    }
    receiver.finish()
    access.markConfigurationAsFinal()
    await writer.finishWriting()

    #expect(writer.status == .completed && reader.status == .completed)
  }

  @Test func writing() throws {
    let path = scratch.path("film.mp4")
    let pictures = try Pipeline.samples(
      of: Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry), .video, .video())
    let writer = try AssetWriter(path: path, container: "mp4", registry: registry)
    let input = AssetWriterInput(
      mediaType: .video, settings: .video(codec: "h264", width: 320, height: 180))
    try writer.add(input)
    guard writer.startWriting() else { throw writer.error ?? MediaError(.internal, "?") }
    writer.startSession(atSourceTime: .zero)
    for picture in pictures {
      if !input.append(picture) { break }
    }
    writer.finishWritingAndWait()
    if let error = writer.error { throw error }

    #expect(try Pipeline.samples(path, .video, nil).count == pictures.count)
  }

  @Test func segments() throws {
    final class SegmentFolder: AssetWriterDelegate {
      let folder: String
      private let count = Mutex(0)

      init(_ folder: String) { self.folder = folder }

      func assetWriter(
        _ writer: AssetWriter, didOutputSegmentData segmentData: [UInt8],
        segmentType: AssetSegmentType
      ) {
        let number = count.withLock { count in
          defer { count += 1 }
          return count
        }
        let name = segmentType == .initialization ? "header.mp4" : "segment\(number).m4s"
        let path = folder + "/" + name
        try? Data(segmentData).write(to: URL(filePath: path))
      }
    }

    let folder = SegmentFolder(scratch.path("stream"))
    let writer = try AssetWriter(container: "mp4", registry: registry)
    writer.delegate = folder
    writer.outputFileTypeProfile = .mpeg4AppleHLS
    writer.preferredOutputSegmentInterval = MediaTime(value: 6, timescale: 1)
    writer.initialSegmentStartTime = MediaTime(value: 10, timescale: 1)

    try FileManager.default.createDirectory(
      atPath: folder.folder, withIntermediateDirectories: true)
    let input = Writing.audioInput()
    try writer.add(input)
    #expect(writer.startWriting())
    writer.startSession(atSourceTime: writer.initialSegmentStartTime)
    for number in 0..<200 { #expect(input.append(try Writing.tone(480_000 + number * 1920))) }
    writer.finishWritingAndWait()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.folder).sorted()
        == ["header.mp4", "segment1.m4s", "segment2.m4s"])
  }

  @Test func editing() async throws {
    let first = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
    let second = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    let oneSecond = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    let film = MutableComposition()
    try await film.insertTimeRange(oneSecond, of: first, at: .zero)
    try await film.insertTimeRange(oneSecond, of: second, at: .invalid)

    let quieter = MutableAudioMixInputParameters(
      track: try film.tracks(withMediaType: .audio)[0])
    try quieter.setVolumeRamp(fromStartVolume: 1, toEndVolume: 0.2, timeRange: oneSecond)
    let mix = AudioMix(inputParameters: [quieter])

    let look = try await MutableVideoComposition.videoComposition(withPropertiesOf: film)
    look.overlays = [
      Overlay(.text(OverlayText("Respool", size: 24)), position: OverlayPosition(.bottomRight))
    ]

    let soft = MutableAudioMixInputParameters(track: try film.tracks(withMediaType: .audio)[0])
    soft.audioTimePitchAlgorithm = .varispeed
    soft.audioTapProcessor = { block in
      // Soft clipping.
      block.channels = block.channels.map { channel in channel.map { $0 / (1 + abs($0)) } }
    }

    let cut = MutableComposition()
    let source = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    try await cut.insertTimeRange(oneSecond, of: source, at: .zero)
    try await cut.insertTimeRange(oneSecond, of: source, at: .zero)
    let copying = try ExportSession(
      asset: cut, presetName: "AVAssetExportPresetPassthrough", container: "mov", registry: registry
    )
    let joined = try await copying.export(to: scratch.path("joined.mov"))
    print(joined.isCopy)

    #expect(joined.isCopy)
    #expect(film.duration() == MediaTime(value: 2, timescale: 1))
    #expect(mix.inputParameters.count == 1 && soft.audioTapProcessor != nil)
    #expect(look.instructions.count >= 1)
  }

  @Test func layers() throws {
    let first = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
    let second = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    let oneSecond = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    let scene = MutableComposition()
    guard let inset = scene.addMutableTrack(withMediaType: .video),
      let ground = scene.addMutableTrack(withMediaType: .video)
    else { throw MediaError(.internal, "?") }
    try inset.insertTimeRange(oneSecond, of: second.tracks(withMediaType: .video)[0], at: .zero)
    try ground.insertTimeRange(oneSecond, of: first.tracks(withMediaType: .video)[0], at: .zero)

    // The inset grows to the size of the layer below, is cropped, and fades out.
    let top = MutableVideoCompositionLayerInstruction(assetTrack: inset)
    try top.setTransformRamp(
      fromStart: .identity, toEnd: Transform(scaleX: 2, y: 2), timeRange: oneSecond)
    try top.setCropRectangleRamp(
      fromStartCropRectangle: Rectangle(x: 0, y: 0, width: 160, height: 90),
      toEndCropRectangle: Rectangle(x: 40, y: 20, width: 80, height: 50), timeRange: oneSecond)
    try top.setOpacityRamp(fromStartOpacity: 1, toEndOpacity: 0, timeRange: oneSecond)
    let bottom = MutableVideoCompositionLayerInstruction(assetTrack: ground)

    let layered = MutableVideoComposition(try VideoComposition(propertiesOf: scene))
    layered.instructions = [
      MutableVideoCompositionInstruction(timeRange: oneSecond, layerInstructions: [top, bottom])
    ]
    let mark = Overlay.Content.image(path: Pipeline.clip("still.png"))
    layered.overlays = [
      Overlay(mark, position: OverlayPosition(.topRight), width: .fraction(0.1), opacity: 0.6)
    ]

    #expect(try layered.isValidAndWait(for: scene))
    let (made, plain) = (try composed(scene, layered), try composed(first, nil))
    try #require(made.count == 25)
    // The ground layer is visible below the inset of the first frame and beside the watermark.
    #expect(made[0][0, 150] == plain[0][0, 150] && made[0][319, 150] == plain[0][319, 150])
    #expect(made[0].mean(x: 0..<160, y: 0..<90) != plain[0].mean(x: 0..<160, y: 0..<90))
    #expect(made[0].mean(x: 290..<320, y: 0..<10) != plain[0].mean(x: 290..<320, y: 0..<10))
  }

  @Test func compositors() throws {
    let first = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
    final class Negative: VideoCompositing, DefaultInitializable {
      var sourcePixelFormats: [PixelFormat] { [.gray] }
      var requiredPixelFormatsForRenderContext: [PixelFormat] { [.gray] }

      func startRequest(_ request: AsynchronousVideoCompositionRequest) {
        guard let id = request.sourceTrackIDs.first,
          let source = request.sourceFrame(byTrackID: id),
          let picture = request.renderContext.newPixelBuffer()
        else { return request.finish(with: MediaError(.internal, "no picture")) }
        try? source.withPlane(0) { from, fromRow in
          try picture.withPlane(0) { to, toRow in
            for y in 0..<min(source.height, picture.height) {
              for x in 0..<min(source.width, picture.width) {
                to[y * toRow + x] = 255 - from[y * fromRow + x]
              }
            }
          }
        }
        request.finish(withComposedVideoFrame: picture)
      }
    }

    let negative = MutableVideoComposition(try VideoComposition(propertiesOf: first))
    negative.customVideoCompositorClass = Negative.self

    let (made, plain) = (try composed(first, negative), try composed(first, nil))
    try #require(made.count == 50 && plain.count == 50)
    // Black is 16 and white 235.
    let inverted = VideoFixture.Plane(
      width: 320, height: 180, samples: plain[7].samples.map { 251 - $0 })
    #expect(made[7].distance(to: inverted) < 2)
    #expect(plain[7].distance(to: inverted) > 20)
  }

  @Test func compositorsOfPlaces() throws {
    let travel = Asset(path: try TimedMetadata.movie(scratch), registry: registry)

    let places = try travel.tracks(withMediaType: .metadata).map(\.trackID)
    let located = MutableVideoComposition(try VideoComposition(propertiesOf: travel))
    located.sourceSampleDataTrackIDs = places
    for case let instruction as MutableVideoCompositionInstruction in located.instructions {
      instruction.requiredSourceSampleDataTrackIDs = places
    }

    final class Names: VideoCompositing {
      let seen = Mutex<Set<String>>([])
      func startRequest(_ request: AsynchronousVideoCompositionRequest) {
        for id in request.sourceSampleDataTrackIDs {
          let place = request.sourceTimedMetadata(byTrackID: id)?.items.first?.stringValue
          seen.withLock { _ = $0.insert(place ?? "none") }
        }
        guard let picture = request.renderContext.newPixelBuffer() else { return }
        request.finish(withComposedVideoFrame: picture)
      }
    }
    let names = Names()
    located.customVideoCompositor = { names }
    #expect(try composed(travel, located).count == 25)
    #expect(names.seen.withLock { $0 } == ["first", "second"])
  }

  /// Returns the luma planes of an asset's composed frames.
  ///
  /// The default composition of the asset is used if `composition` is `nil`.
  private func composed(_ asset: Asset, _ composition: VideoComposition?) throws
    -> [VideoFixture.Plane]
  {
    let reader = try AssetReader(asset: asset)
    let output = AssetReaderVideoCompositionOutput(
      videoTracks: try asset.tracks(withMediaType: .video), pixelFormat: .yuv420p)
    output.videoComposition = try composition ?? VideoComposition(propertiesOf: asset)
    try reader.add(output)
    try #require(reader.startReading(), "\(String(describing: reader.error))")
    var pictures: [VideoFixture.Plane] = []
    while let sample = output.copyNextSampleBuffer() {
      pictures.append(try VideoFixture.plane(try #require(sample.imageBuffer), 0))
    }
    try #require(reader.status == .completed, "\(String(describing: reader.error))")
    return pictures
  }

  @Test func images() async throws {
    let portrait = Asset(path: Pipeline.clip("portrait.mov"), registry: registry)
    var generator = try AssetImageGenerator(asset: portrait)
    generator.appliesPreferredTrackTransform = true
    generator.maximumSize = VideoDimensions(width: 90, height: 0)
    let poster = try await generator.image(at: MediaTime(value: 1, timescale: 2))
    print(poster.actualTime.seconds, poster.image.width, poster.image.height)
    try Data(PNGWriter.bytes(poster.image)).write(to: URL(filePath: scratch.path("poster.png")))

    #expect((poster.image.width, poster.image.height) == (90, 160))
    #expect(scratch.names == ["poster.png"])
  }

  @Test func commands() async throws {
    var edits = EditOptions()
    edits.start = MediaTime(value: 1, timescale: 2)
    edits.end = MediaTime(value: 3, timescale: 2)
    edits.fadeIn = MediaTime(value: 1, timescale: 5)
    edits.volume = 0.5
    edits.caption = EditOptions.Caption("At sea")
    let talk = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    let small = try PresetLibrary.standard.preset("web-480p")
    let quote = try edits.makeSession(for: talk, preset: small, registry: registry)
    _ = try await quote.export(to: scratch.path("quote.mp4"))

    let clips = ["pattern-h264.mp4", "clap-and-flash.mp4"].map {
      Asset(path: Pipeline.clip($0), registry: registry)
    }
    let joined = try ClipSequence(clips, crossfade: MediaTime(value: 1, timescale: 2))
    let session = try ExportSession(
      asset: joined.composition, preset: small, registry: registry)
    session.videoComposition = joined.videoComposition
    session.audioMix = joined.audioMix
    _ = try await session.export(to: scratch.path("film.mp4"))

    func seconds(_ name: String) throws -> Double {
      try Asset(path: scratch.path(name), registry: registry).duration().seconds
    }
    #expect(abs(try seconds("quote.mp4") - 1) < 0.05)
    #expect(abs(try seconds("film.mp4") - 3.5) < 0.05)
  }

  @Test func export() async throws {
    let film = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    let path = scratch.path("part.mp4")
    let session = try ExportSession(
      asset: film, presetName: "AVAssetExportPreset1280x720", registry: registry)
    session.timeRange = TimeRange(
      start: MediaTime(value: 1, timescale: 2), duration: MediaTime(value: 1, timescale: 1))
    let report = try await session.export(to: path)
    print(report.duration, report.losses)

    #expect(abs(report.duration - 1) < 0.05)
  }

  @Test func program() async throws {
    let plugins = PluginRegistry()
    let talk = Asset(path: Pipeline.clip("speech.wav"), registry: plugins)
    let opus = try PresetLibrary.standard.preset("opus-128k")
    let conversion = try ExportSession(asset: talk, preset: opus, registry: plugins)
    let written = try await conversion.export(to: scratch.path("talk.opus"))
    print(written.duration)

    #expect(written.duration == 2.5)
  }

  @Test func resuming() async throws {
    let film = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    try FileManager.default.createDirectory(
      atPath: scratch.path("holiday-film"), withIntermediateDirectories: false)
    let long = try ExportSession(
      asset: film, presetName: "AVAssetExportPreset1280x720", registry: registry)
    long.directoryForTemporaryFiles = scratch.path("holiday-film")
    switch await long.configureForResumableExport() {
    case .resumable(let isResuming): print(isResuming ? "going on" : "from the start")
    case .notResumable(let reason): print("cannot be interrupted:", reason.rawValue)
    }
    _ = try await long.export(to: scratch.path("holiday.mp4"))

    #expect(scratch.names == ["holiday-film", "holiday.mp4"])
  }

  @Test func metadata() async throws {
    let song = Asset(path: Pipeline.clip("speech-opus.opus"), registry: registry)
    let items = try await song.load(.commonMetadata)
    let software = MetadataItem.metadataItems(
      from: items, filteredByIdentifier: .commonIdentifierSoftware)
    for item in software { print(item.identifier?.rawValue ?? "", item.stringValue ?? "") }

    let film = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    let shared = try ExportSession(
      asset: film, presetName: "AVAssetExportPresetPassthrough", container: "mp4",
      registry: registry)
    shared.metadataItemFilter = .forSharing()
    _ = try await shared.export(to: scratch.path("shared.mp4"))

    #expect(software.allSatisfy { $0.keySpace == .vorbisComment })
    #expect(scratch.names == ["shared.mp4"])
  }

  @Test func timedMetadata() throws {
    let place = MetadataIdentifier.quickTimeMetadataLocationISO6709
    let pictures = AssetWriterInput(
      mediaType: .video, settings: .video(codec: "h264", width: 96, height: 64))
    let places = AssetWriterInput(
      mediaType: .metadata, settings: nil,
      sourceFormatHint: try FormatDescription(metadataSpecifications: [
        MetadataSpecification(identifier: place, dataType: .utf8)
      ]))
    places.addTrackAssociation(withTrackOf: pictures, type: .metadataReferent)
    let adaptor = AssetWriterInputMetadataAdaptor(assetWriterInput: places)
    let writer = try AssetWriter(
      path: scratch.path("walk.mov"), container: "mov", registry: registry)
    try writer.add(pictures)
    try writer.add(places)
    guard writer.startWriting() else { throw writer.error ?? MediaError(.internal, "?") }
    writer.startSession(atSourceTime: .zero)
    for number in Int64(0)..<50 {
      if number % 25 == 0 {
        let here = MetadataItem(identifier: place, value: .string("+48.137\(number)+011.5754/"))
        let fromNow = TimeRange(start: MediaTime(value: number, timescale: 25), duration: .invalid)
        adaptor.append(TimedMetadataGroup(items: [here], timeRange: fromNow))
      }
      pictures.append(try Writing.picture(Int(number)))
    }
    writer.finishWritingAndWait()

    let walk = Asset(path: scratch.path("walk.mov"), registry: registry)
    let reader = try AssetReader(asset: walk)
    let output = AssetReaderTrackOutput(
      track: try walk.tracks(withMediaType: .metadata)[0], settings: nil)
    let groups = AssetReaderOutputMetadataAdaptor(assetReaderTrackOutput: output)
    try reader.add(output)
    guard reader.startReading() else { throw reader.error ?? MediaError(.internal, "?") }
    var seconds: [Double] = []
    while let group = groups.nextTimedMetadataGroup() {
      seconds.append(group.timeRange.start.seconds)
      print(group.timeRange.duration.seconds, group.items[0].stringValue ?? "")
    }

    let chapters = try walk.chapterMetadataGroups(bestMatchingPreferredLanguages: ["de", "en"])
    for chapter in chapters {
      print(chapter.items[0].stringValue ?? "", chapter.timeRange.start.seconds)
    }

    #expect(seconds == [0, 1] && chapters.isEmpty)
    #expect(writer.status == .completed && reader.status == .completed)
  }

  @Test func fileTypes() async throws {
    let film = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    let copy = try ExportSession(
      asset: film, presetName: "AVAssetExportPresetPassthrough", registry: registry)
    let types = try await copy.compatibleFileTypes
    if types.contains("matroska") { copy.outputFileType = "matroska" }
    copy.audioTrackGroupHandling = .preserveAlternateTracks
    copy.shouldOptimizeForNetworkUse = true
    copy.audioTimePitchAlgorithm = .varispeed
    print(types, try copy.prepare().container)

    #expect(try copy.prepare().container == "matroska")
  }

  @Test func settings() throws {
    let source = try Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
      .tracks(withMediaType: .video)[0].formatDescription
    guard let assistant = OutputSettingsAssistant(preset: .size1280x720, registry: registry)
    else { return }
    assistant.sourceVideoFormat = source
    let video = AssetWriterInput(mediaType: .video, settings: assistant.videoSettings)
    let audio = AssetWriterInput(mediaType: .audio, settings: assistant.audioSettings)

    let writer = try AssetWriter(
      path: scratch.path("a.mov"), fileType: assistant.outputFileType, registry: registry)
    #expect(writer.canAdd(video) && writer.canAdd(audio))

    let square = VideoOutputSettings(
      codec: "h264", width: 1080, height: 1080, scalingMode: .resizeAspect, color: .bt709)
    let input = AssetWriterInput(mediaType: .video, settings: .video(square))

    #expect(writer.canAdd(input))
  }

  @Test func captions() async throws {
    let path = scratch.path("captions.mp4")
    try await writeCaptions(path)
    let asset = Asset(path: path, registry: registry)
    let reader = try AssetReader(asset: asset)
    let track = try asset.tracks(withMediaType: .subtitle)[0]
    let provider = try reader.outputCaptionProvider(
      for: AssetReaderTrackOutput(track: track, settings: nil))
    try reader.start()
    while let group = try await provider.next() {
      for caption in provider.captionsNotPresentInPreviousGroups(in: group) {
        print(caption.timeRange.start.seconds, caption.text)
      }
    }

    let groups = try Captions.groups(path)
    #expect(groups.flatMap(\.captions).map(\.text) == ["What a day!"])
    let caption = try #require(groups.first?.captions.first)
    let day = try #require(caption.text.firstRange(of: "day"))
    #expect(caption.fontStyle(at: day.lowerBound) == (.italic, day))
  }

  private func writeCaptions(_ path: String) async throws {
    var caption = Caption(
      "What a day!", timeRange: TimeRange(start: .zero, duration: MediaTime(value: 2, timescale: 1))
    )
    if let day = caption.text.firstRange(of: "day") { caption.setFontStyle(.italic, in: day) }

    let writer = try AssetWriter(path: path, container: "mp4", registry: registry)
    let input = AssetWriterInput(
      mediaType: .subtitle, settings: nil,
      sourceFormatHint: FormatDescription(subtitles: "mov_text"))
    try writer.add(input)
    guard writer.startWriting() else { throw writer.error ?? MediaError(.internal, "?") }
    writer.startSession(atSourceTime: .zero)
    AssetWriterInputCaptionAdaptor(assetWriterInput: input).append(caption)
    await writer.finishWriting()

    if let error = writer.error { throw error }
  }

  @Test func waveforms() throws {
    let asset = Asset(path: Pipeline.clip("speech.wav"), registry: registry)
    let waveform = try WaveformReader(
      asset: asset, settings: .init(resolution: .bins(1800))
    ).read()
    let png = try WaveformRenderer(width: 1800, height: 280).png(waveform)

    #expect(waveform.binCount == 1800)
    #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]))
  }
}

/// Completeness of the documentation pages and of their links.
@Suite struct DocumentationTests {
  static let catalogue = PluginWorkshop.package
    .appending(path: "Sources/Respool/Respool.docc")

  static var pages: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: catalogue.path)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted()
  }

  @Test func `there is a page for each part`() {
    #expect(
      Self.pages == [
        "Assets.md", "Commands.md", "Editing.md", "Export.md", "Metadata.md", "OutputSettings.md",
        "Plugins.md", "Presets.md",
        "Reading.md",
        "Respool.md", "Samples.md", "Time.md", "Writing.md",
      ])
  }

  @Test func `every page is linked`() throws {
    let root = try String(
      contentsOf: Self.catalogue.appending(path: "Respool.md"), encoding: .utf8)
    for page in Self.pages where page != "Respool.md" {
      #expect(root.contains("<doc:\(page.dropLast(3))>"), "\(page)")
    }
  }
}
