import Foundation
import RespoolMedia
import Testing

@testable import Respool

/// The examples of the documentation pages, line for line, so that each is compiled and run.
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

  @Test func assets() async throws {
    let path = Pipeline.clip("portrait.mov")
    let asset = Asset(path: path, registry: registry)
    let (duration, tracks) = try await asset.load(.duration, .tracks)
    for track in tracks where track.mediaType == .video {
      print(duration.seconds, track.naturalSize, track.preferredTransform.orientation)
    }

    #expect(tracks.contains { $0.mediaType == .video })
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
    writer.finishWriting()
    if let error = writer.error { throw error }

    #expect(try Pipeline.samples(path, .video, nil).count == pictures.count)
  }

  @Test func editing() throws {
    let first = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: registry)
    let second = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    let oneSecond = TimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
    let film = MutableComposition()
    try film.insertTimeRange(oneSecond, of: first, at: .zero)
    try film.insertTimeRange(oneSecond, of: second, at: .invalid)

    let quieter = MutableAudioMixInputParameters(
      track: try film.tracks(withMediaType: .audio)[0])
    try quieter.setVolumeRamp(fromStartVolume: 1, toEndVolume: 0.2, timeRange: oneSecond)
    let mix = AudioMix(inputParameters: [quieter])

    let look = MutableVideoComposition(try VideoComposition(propertiesOf: film))
    look.overlays = [
      Overlay(.text(OverlayText("Respool", size: 24)), position: OverlayPosition(.bottomRight))
    ]

    #expect(film.duration() == MediaTime(value: 2, timescale: 1))
    #expect(mix.inputParameters.count == 1)
    #expect(look.instructions.count >= 1)
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

  @Test func fileTypes() async throws {
    let film = Asset(path: Pipeline.clip("clap-and-flash.mp4"), registry: registry)
    let copy = try ExportSession(
      asset: film, presetName: "AVAssetExportPresetPassthrough", registry: registry)
    let types = try await copy.compatibleFileTypes
    if types.contains("matroska") { copy.outputFileType = "matroska" }
    copy.audioTrackGroupHandling = .preserveAlternateTracks
    copy.shouldOptimizeForNetworkUse = true
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
      path: scratch.path("a.mov"), container: assistant.outputFileType, registry: registry)
    #expect(writer.canAdd(video) && writer.canAdd(audio))
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

/// The pages themselves.
@Suite struct DocumentationTests {
  private static let catalogue = PluginWorkshop.package
    .appending(path: "Sources/Respool/Respool.docc")

  private static var pages: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: catalogue.path)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted()
  }

  private func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: true)
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }

  @Test func `there is a page for each part`() {
    #expect(
      Self.pages == [
        "Assets.md", "Editing.md", "Export.md", "Metadata.md", "OutputSettings.md", "Reading.md",
        "Respool.md", "Samples.md", "Time.md", "Waveforms.md", "Writing.md",
      ])
  }

  @Test(arguments: DocumentationTests.pages)
  func `every example is compiled`(page: String) throws {
    let text = try String(contentsOf: Self.catalogue.appending(path: page), encoding: .utf8)
    let compiled = lines(
      try String(
        contentsOf: PluginWorkshop.package.appending(
          path: "Tests/RespoolTests/Guide/DocumentationExamples.swift"), encoding: .utf8))
    let parts = text.components(separatedBy: "```")
    let examples = stride(from: 1, to: parts.count, by: 2).map { parts[$0] }
    if page != "Respool.md" { #expect(!examples.isEmpty) }
    for example in examples where example.hasPrefix("swift") {
      let wanted = lines(example.dropFirst("swift".count))
      let found = compiled.indices.contains { compiled[$0...].starts(with: wanted) }
      #expect(found, "\(page): \(wanted.first ?? "")")
    }
  }

  @Test func `every page is linked`() throws {
    let root = try String(
      contentsOf: Self.catalogue.appending(path: "Respool.md"), encoding: .utf8)
    for page in Self.pages where page != "Respool.md" {
      #expect(root.contains("<doc:\(page.dropLast(3))>"), "\(page)")
    }
  }
}
