import RespoolMedia
import Testing

@testable import Respool

/// Presets by AVFoundation's names, and the assistant with a writer.
@Suite struct OutputSettingsTests {
  let scratch: Scratch
  let registry = Pipeline.registry
  let clip = Asset(path: Pipeline.clip("pattern-h264.mp4"), registry: Pipeline.registry)

  init() throws { scratch = try Scratch() }

  private func picture(_ width: Int, _ height: Int) -> FormatDescription {
    var track = TrackDescription(kind: .video, codec: "rawvideo", timeBase: Rational(1, 600))
    (track.width, track.height) = (width, height)
    return FormatDescription(track)
  }

  @Test func `presets without an encoder are absent and say why`() throws {
    let there = OutputSettingsAssistant.availableOutputSettingsPresets(in: registry)
    #expect(
      there == [.size640x480, .size960x540, .size1280x720, .size1920x1080, .size3840x2160])
    let hevc = OutputSettingsAssistant.Preset(rawValue: "AVOutputSettingsPresetHEVC1920x1080")
    #expect(OutputSettingsAssistant(preset: hevc, registry: registry) == nil)
    #expect(hevc.unavailability(in: registry)?.contains("HEVC") == true)
    let none = OutputSettingsAssistant.Preset(rawValue: "AVOutputSettingsPresetNone")
    #expect(none.unavailability(in: registry) == "there is no preset AVOutputSettingsPresetNone")
  }

  @Test(arguments: [
    (1920, 1080, 1280, 720), (720, 1280, 720, 1280), (640, 360, 640, 360), (2000, 500, 1280, 320),
    (333, 251, 332, 250),
  ])
  func `pictures fit and are never larger than the source`(
    width: Int, height: Int, newWidth: Int, newHeight: Int
  ) throws {
    let assistant = try #require(
      OutputSettingsAssistant(preset: .size1280x720, registry: registry))
    assistant.sourceVideoFormat = picture(width, height)
    let settings = try #require(assistant.videoSettings.video)
    #expect(settings.codec == "h264")
    #expect(settings.width == newWidth && settings.height == newHeight)
    #expect((settings.bitRate ?? 0) > 0)
  }

  @Test func `durations have their defaults`() throws {
    let assistant = try #require(
      OutputSettingsAssistant(preset: .size640x480, registry: registry))
    #expect(assistant.sourceVideoAverageFrameDuration == MediaTime(value: 1, timescale: 30))
    #expect(assistant.sourceVideoMinFrameDuration == MediaTime(value: 1, timescale: 30))
    assistant.sourceVideoAverageFrameDuration = MediaTime(value: 1, timescale: 50)
    #expect(assistant.sourceVideoMinFrameDuration == MediaTime(value: 1, timescale: 50))
    assistant.sourceVideoAverageFrameDuration = .invalid
    #expect(assistant.sourceVideoAverageFrameDuration == MediaTime(value: 1, timescale: 30))
  }

  @Test func `the writer accepts the settings as they are`() throws {
    let assistant = try #require(
      OutputSettingsAssistant(preset: .size640x480, registry: registry))
    let track = try #require(try clip.tracks(withMediaType: .video).first)
    assistant.sourceVideoFormat = track.formatDescription
    assistant.sourceVideoAverageFrameDuration = track.minFrameDuration
    let path = scratch.path("out.mov")
    let writer = try AssetWriter(
      path: path, container: assistant.outputFileType, registry: registry)
    let input = AssetWriterInput(mediaType: .video, settings: assistant.videoSettings)
    let sound = AssetWriterInput(mediaType: .audio, settings: assistant.audioSettings)
    #expect(writer.canAdd(input) && writer.canAdd(sound))
    try writer.add(input)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    let samples = try Pipeline.samples(of: clip, .video, .video())
    for sample in samples { try #require(input.append(sample)) }
    writer.finishWriting()
    #expect(writer.status == .completed)
    let made = try Pipeline.samples(path, .video, .video())
    #expect(made.count == samples.count)
    #expect(made.first?.imageBuffer?.width == samples.first?.imageBuffer?.width)
  }

  @Test func `export presets by name make what they say`() throws {
    let there = ExportPreset.available(in: registry)
    #expect(there.contains(.size1280x720) && there.contains(.passthrough))
    #expect(!there.contains { $0.rawValue.contains("HEVC") || $0.rawValue.contains("ProRes") })
    #expect(ExportPreset(rawValue: "mine").unavailability(in: registry) != nil)
    #expect(throws: MediaError.self) {
      try ExportSession(asset: clip, presetName: "mine", registry: registry)
    }
    let speech = Asset(path: Pipeline.clip("speech.wav"), registry: registry)
    #expect(try ExportPreset.compatible(with: speech, in: registry).contains(.m4a))
    let session = try ExportSession(
      asset: speech, presetName: "AVAssetExportPresetAppleM4A", registry: registry)
    _ = try session.export(to: scratch.path("out.m4a"), progress: nil)
    let made = try Asset(path: scratch.path("out.m4a"), registry: registry).tracks()
    #expect(made.map(\.formatDescription.codec) == ["aac"])
    let copy = try ExportSession(
      asset: clip, presetName: "AVAssetExportPresetPassthrough", container: "mp4",
      registry: registry)
    #expect(try copy.export(to: scratch.path("copy.mp4"), progress: nil).isCopy)
  }
}
