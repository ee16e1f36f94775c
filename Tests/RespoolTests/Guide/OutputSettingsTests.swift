import RespoolMedia
import TestFixtures
import ReadingFixtures
import Testing

@testable import Respool

/// Presets with AVFoundation's names, and the assistant used with a writer.
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

  @Test(.rule("There is no assistant for a preset that is not available"))
  func `presets without an encoder are absent and have a reason`() throws {
    let there = OutputSettingsAssistant.availableOutputSettingsPresets(in: registry)
    #expect(
      there == [.size640x480, .size960x540, .size1280x720, .size1920x1080, .size3840x2160])
    let hevc = OutputSettingsAssistant.Preset(rawValue: "AVOutputSettingsPresetHEVC1920x1080")
    #expect(OutputSettingsAssistant(preset: hevc, registry: registry) == nil)
    #expect(hevc.unavailability(in: registry)?.contains("HEVC") == true)
    let none = OutputSettingsAssistant.Preset(rawValue: "AVOutputSettingsPresetNone")
    #expect(none.unavailability(in: registry) == "there is no preset AVOutputSettingsPresetNone")
  }

  @Test(
    .rule,
    arguments: [
      (1920, 1080, 1280, 720), (720, 1280, 720, 1280), (640, 360, 640, 360), (2000, 500, 1280, 320),
      (333, 251, 332, 250),
    ])
  func `frames are not larger than the source or the preset's size`(
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

  @Test(
    .rule("The average frame duration is 1/30 s unless set, the minimum is the average unless set"))
  func `the average frame duration has a default, and the minimum is the average by default`()
    throws
  {
    let assistant = try #require(
      OutputSettingsAssistant(preset: .size640x480, registry: registry))
    #expect(assistant.sourceVideoAverageFrameDuration == MediaTime(value: 1, timescale: 30))
    #expect(assistant.sourceVideoMinFrameDuration == MediaTime(value: 1, timescale: 30))
    assistant.sourceVideoAverageFrameDuration = MediaTime(value: 1, timescale: 50)
    #expect(assistant.sourceVideoMinFrameDuration == MediaTime(value: 1, timescale: 50))
    assistant.sourceVideoMinFrameDuration = MediaTime(value: 1, timescale: 60)
    #expect(assistant.sourceVideoMinFrameDuration == MediaTime(value: 1, timescale: 60))
    assistant.sourceVideoMinFrameDuration = .zero
    #expect(assistant.sourceVideoMinFrameDuration == MediaTime(value: 1, timescale: 50))
    assistant.sourceVideoAverageFrameDuration = .invalid
    #expect(assistant.sourceVideoAverageFrameDuration == MediaTime(value: 1, timescale: 30))
  }

  @Test(.rule("The settings are for the highest frame rate of the source"))
  func `the shortest frame determines the level`() throws {
    let assistant = try #require(
      OutputSettingsAssistant(preset: .size1280x720, registry: registry))
    func level() -> String? {
      assistant.videoSettings.video?.options.first { $0.name == "level" }?.value
    }
    // A frame has 3,600 macroblocks (ITU-T H.264, table A-1).
    #expect(level() == "3.1")
    assistant.sourceVideoMinFrameDuration = MediaTime(value: 1, timescale: 60)
    #expect(level() == "3.2")
    assistant.sourceVideoMinFrameDuration = MediaTime(value: 1, timescale: 120)
    #expect(level() == "4.2")
    assistant.sourceVideoMinFrameDuration = .invalid
    #expect(level() == "3.1")
  }

  @Test(
    .rule("The audio settings follow the format of the source"),
    arguments: [
      (44100, ChannelLayout.mono, 44100, ChannelLayout.mono),
      (22050, .stereo, 44100, .stereo), (96000, .stereo, 48000, .stereo),
      (48000, ChannelLayout(mask: 0x3F), 48000, ChannelLayout(mask: 0x3F)),
    ])
  func `audio settings follow the source's sample rate and channels`(
    rate: Int, layout: ChannelLayout, newRate: Int, newLayout: ChannelLayout
  ) throws {
    let assistant = try #require(
      OutputSettingsAssistant(preset: .size640x480, registry: registry))
    #expect(assistant.sourceAudioFormat == nil)
    var track = TrackDescription(kind: .audio, codec: "pcm", timeBase: Rational(1, 48000))
    (track.sampleRate, track.channelLayout) = (rate, layout)
    assistant.sourceAudioFormat = FormatDescription(track)
    #expect(assistant.sourceAudioFormat == FormatDescription(track))
    let sound = try #require(assistant.audioSettings.audio)
    #expect(sound.codec == "aac")
    #expect(sound.sampleRate == newRate && sound.channelLayout == newLayout)
  }

  @Test(.rule("The states of sessions, readers and writers have the documented values"))
  func `states and media types have the documented values`() {
    #expect(
      [AssetWriter.Status.unknown, .writing, .completed, .failed, .cancelled].map(\.rawValue)
        == [0, 1, 2, 3, 4])
    #expect(
      [AssetReader.Status.unknown, .reading, .completed, .failed, .cancelled].map(\.rawValue)
        == [0, 1, 2, 3, 4])
    #expect(
      [ExportSession.Status.unknown, .waiting, .exporting, .completed, .failed, .cancelled]
        .map(\.rawValue) == [0, 1, 2, 3, 4, 5])
    #expect(
      [MediaType.text, .closedCaption, .timecode, .muxed, .depthData, .auxiliaryPicture]
        .map(\.rawValue) == ["text", "clcp", "tmcd", "muxx", "dpth", "auxv"])
  }

  @Test(arguments: [
    (ExportPreset.m4vCellular, UInt8(66)), (.m4viPod, 66), (.m4vWiFi, 66), (.m4v480pSD, 77),
    (.m4vAppleTV, 77), (.m4v720pHD, 100), (.m4v1080pHD, 100),
  ])
  func `presets for devices make M4V with a profile that the devices support`(
    preset: ExportPreset, profile: UInt8
  ) throws {
    #expect(ExportPreset.available(in: registry).contains(preset))
    let session = try ExportSession(
      asset: clip, presetName: preset.rawValue, registry: registry)
    #expect(try session.supportedFileTypes() == ["m4v"])
    let path = scratch.path("out.m4v")
    _ = try session.exportAndWait(to: path, progress: nil)
    let tracks = try Asset(path: path, registry: registry).tracks()
    #expect(Set(tracks.map(\.formatDescription.codec)) == ["h264", "aac"])
    #expect(tracks.first?.formatDescription.track.extradata.dropFirst().first == profile)
    #expect(try Writing.contains(path, "ftypM4V "))
  }

  @Test(.rule) func `a writer accepts the settings unchanged`() throws {
    let assistant = try #require(
      OutputSettingsAssistant(preset: .size640x480, registry: registry))
    let track = try #require(try clip.tracks(withMediaType: .video).first)
    assistant.sourceVideoFormat = track.formatDescription
    assistant.sourceVideoAverageFrameDuration = track.minFrameDuration
    // The source audio format is not set. The default is 44,100 Hz, stereo.
    let path = scratch.path("out.mov")
    let writer = try AssetWriter(
      path: path, fileType: assistant.outputFileType, registry: registry)
    let input = AssetWriterInput(mediaType: .video, settings: assistant.videoSettings)
    let sound = AssetWriterInput(mediaType: .audio, settings: assistant.audioSettings)
    #expect(writer.canAdd(input) && writer.canAdd(sound))
    try writer.add(input)
    try writer.add(sound)
    try #require(writer.startWriting())
    writer.startSession(atSourceTime: .zero)
    let samples = try Pipeline.samples(of: clip, .video, .video())
    for sample in samples { try #require(input.append(sample)) }
    input.markAsFinished()
    for sample in try Pipeline.samples(of: clip, .audio, .audio(sampleFormat: .fltp)) {
      try #require(sound.append(sample))
    }
    writer.finishWritingAndWait()
    #expect(writer.status == .completed)
    let made = try Pipeline.samples(path, .video, .video())
    #expect(made.count == samples.count)
    #expect(made.first?.imageBuffer?.width == samples.first?.imageBuffer?.width)
    let heard = try Writing.track(path, .audio)
    #expect(heard.codec == "aac" && heard.sampleRate == 44100)
  }

  @Test(.rule("There is no session for an unknown preset"))
  func `export presets are available by name`() throws {
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
    _ = try session.exportAndWait(to: scratch.path("out.m4a"), progress: nil)
    let made = try Asset(path: scratch.path("out.m4a"), registry: registry).tracks()
    #expect(made.map(\.formatDescription.codec) == ["aac"])
    let copy = try ExportSession(
      asset: clip, presetName: "AVAssetExportPresetPassthrough", container: "mp4",
      registry: registry)
    #expect(try copy.exportAndWait(to: scratch.path("copy.mp4"), progress: nil).isCopy)
  }
}
