import RespoolMedia
import Testing

@testable import RespoolPresets
@testable import RespoolHost

/// Settings that the package's presets resolve to for sources of every size.
@Suite struct ResolutionTests {
  static func resolve(
    _ preset: String, _ source: MediaDescription, deinterlace: Preset.Deinterlace = .auto,
    available: AvailablePlugins = PluginFixtures.all
  ) throws -> ResolvedSettings {
    var preset = try PackagePresets.library.preset(preset, available: available)
    preset.video?.deinterlace = deinterlace
    return try PresetResolver.resolve(preset: preset, source: source, available: available)
  }

  static func resolve(
    yaml: String, _ source: MediaDescription, available: AvailablePlugins = PluginFixtures.all
  ) throws -> ResolvedSettings {
    let folder = try PresetFolder(["p.yaml": yaml])
    return try PresetResolver.resolve(
      preset: try folder.library.preset("p", available: available), source: source,
      available: available)
  }

  static func video(_ settings: ResolvedSettings) throws -> VideoConversion {
    try #require(
      settings.tracks.lazy.compactMap { track -> VideoConversion? in
        if case .convertVideo(let video) = track.action { video } else { nil }
      }.first)
  }

  static func audio(_ settings: ResolvedSettings) throws -> AudioConversion {
    try #require(
      settings.tracks.lazy.compactMap { track -> AudioConversion? in
        if case .convertAudio(let audio) = track.action { audio } else { nil }
      }.first)
  }

  // MARK: Size

  @Test(
    arguments: [
      (320, 240, nil, 1, 3), (640, 480, nil, 3, 6), (1280, 720, 299, 1, 6), (1280, 720, 300, 3, 6),
      (720, 1280, 20, 1, 6), (320, 240, 20, 1, 3), (1920, 1080, 20, 3, 3), (1920, 1088, 20, 8, 8),
      (3840, 2160, 7200, 8, 8), (Int.max, 2, 20, 8, 8),
    ] as [(Int, Int, Int64?, Int, Int)])
  func `threads of an encoder do not depend on the machine`(
    width: Int, height: Int, seconds: Int64?, ofMany: Int, alone: Int
  ) throws {
    let duration = seconds.map { $0 * 1_000_000_000 }
    for (isOneOfMany, threads) in [(true, ofMany), (false, alone)] {
      #expect(
        VideoResolver.machineIndependentThreads(
          width: width, height: height, duration: duration, isOneOfMany: isOneOfMany) == threads)
    }
  }

  @Test func `a landscape frame fits the box`() throws {
    let video = try Self.video(
      Self.resolve("web-720p", SourceFixtures.media(SourceFixtures.video(1920, 1080))))
    #expect((video.width, video.height) == (1280, 720))
    #expect(video.sampleAspect == Rational(1, 1))
    #expect(video.encoder.description.name == "x264")
    #expect(video.quality == 21)
    #expect(video.pixelFormat == .yuv420p)
    #expect(video.rotation == .keepMatrix(.identity))
    #expect(video.threads == 6)
  }

  @Test func `a small frame is not enlarged`() throws {
    let source = SourceFixtures.media(SourceFixtures.video(320, 240))
    let video = try Self.video(Self.resolve("web-720p", source))
    #expect((video.width, video.height) == (320, 240))
    let yaml = "container: mp4\nvideo: {codec: h264, size: 1280x720, upscale: true}\n"
    let enlarged = try Self.video(Self.resolve(yaml: yaml, source))
    #expect((enlarged.width, enlarged.height) == (960, 720))
  }

  @Test func `an upright phone clip rotates the box and keeps its matrix in MP4`() throws {
    let matrix = DisplayMatrix(clockwiseDegrees: 90)
    let source = SourceFixtures.media(
      SourceFixtures.video(1920, 1080) { $0.displayMatrix = matrix })
    let video = try Self.video(Self.resolve("web-720p", source))
    #expect((video.width, video.height) == (1280, 720))
    #expect(video.rotation == .keepMatrix(matrix))
  }

  @Test func `an upright phone clip is rotated for WebM`() throws {
    let source = SourceFixtures.media(
      SourceFixtures.video(1920, 1080) {
        $0.displayMatrix = DisplayMatrix(clockwiseDegrees: 90)
        $0.sampleAspect = Rational(1, 1)
      })
    let video = try Self.video(Self.resolve("webm-720p", source))
    #expect((video.width, video.height) == (720, 1280))
    #expect(video.rotation == .rotatePixels(.init(clockwiseDegrees: 90)))
    #expect(video.color == .unspecified)
  }

  @Test func `a portrait frame rotates the box too`() throws {
    let source = SourceFixtures.media(SourceFixtures.video(1080, 1920))
    let video = try Self.video(Self.resolve("web-720p", source))
    #expect((video.width, video.height) == (720, 1280))
  }

  @Test func `pixels keep their aspect ratio unless the frame is scaled`() throws {
    let source = SourceFixtures.media(
      SourceFixtures.video(1440, 1080) { $0.sampleAspect = Rational(4, 3) })
    let kept = try Self.video(Self.resolve("web-1080p", source))
    #expect((kept.width, kept.height) == (1440, 1080))
    #expect(kept.sampleAspect == Rational(4, 3))
    let scaled = try Self.video(Self.resolve("web-720p", source))
    #expect((scaled.width, scaled.height) == (1280, 720))
    #expect(scaled.sampleAspect == Rational(1, 1))
  }

  @Test func `pixels of a rotated frame change their aspect ratio`() throws {
    let source = SourceFixtures.media(
      SourceFixtures.video(720, 576) {
        $0.sampleAspect = Rational(16, 11)
        $0.displayMatrix = DisplayMatrix(clockwiseDegrees: 270)
      })
    let video = try Self.video(Self.resolve("webm-1080p", source))
    #expect((video.width, video.height) == (576, 720))
    #expect(video.sampleAspect == Rational(11, 16))
  }

  @Test(arguments: [
    (641, 481, 640, 480), (1, 1, 2, 2), (1919, 1079, 1280, 720), (4096, 2, 1280, 2),
    (3, 4001, 2, 1280), (1280, 720, 1280, 720), (1281, 720, 1280, 720), (2000, 2000, 720, 720),
  ])
  func `sides are even and within the box`(width: Int, height: Int, newWidth: Int, newHeight: Int)
    throws
  {
    let video = try Self.video(
      Self.resolve("web-720p", SourceFixtures.media(SourceFixtures.video(width, height))))
    #expect((video.width, video.height) == (newWidth, newHeight))
  }

  @Test func `a frame without a size is an error`() {
    #expect(throws: MediaError.self) {
      try Self.resolve("web-720p", SourceFixtures.media(SourceFixtures.video(0, 0)))
    }
  }

  @Test(arguments: [
    (320, 240, 30.0, "1.3"), (854, 480, 30, "3.1"), (1280, 720, 30, "3.1"), (1280, 720, 60, "3.2"),
    (1920, 1080, 30, "4"), (1920, 1080, 60, "4.2"), (3840, 2160, 30, "5.1"),
    (3840, 2160, 60, "5.2"), (7680, 4320, 60, "6.1"), (176, 144, 15, "1"),
  ])
  func `the lowest level is found`(width: Int, height: Int, rate: Double, level: String) {
    #expect(H264Level.lowest(width: width, height: height, frameRate: rate)?.name == level)
  }

  // MARK: Formats and color

  @Test func `an HDR source keeps its colors with ten bits if the codec supports them`() throws {
    let hdr = ColorDescription(primaries: 9, transfer: 16, matrix: 9, range: .limited)
    let source = SourceFixtures.media(
      SourceFixtures.video(3840, 2160, codec: "hevc") {
        $0.pixelFormat = .yuv420p10le
        $0.color = hdr
        $0.frameRate = Rational(60000, 1001)
      })
    let webm = try Self.resolve("webm-1080p", source)
    #expect(try Self.video(webm).pixelFormat == .yuv420p10le)
    #expect(try Self.video(webm).color == hdr)
    #expect(webm.warnings == [])
    let mp4 = try Self.resolve("web-1080p", source)
    #expect(try Self.video(mp4).pixelFormat == .yuv420p)
    #expect(try Self.video(mp4).color == .bt709)
    #expect(mp4.warnings.map(\.setting.description) == ["video.color"])
    #expect(mp4.decisions.first { $0.setting.description == "video.color" }?.value == "BT.709")
    let shallow = SourceFixtures.media(
      SourceFixtures.video(1920, 1080, codec: "mpeg4") { $0.color = hdr })
    let same = try Self.resolve("web-1080p", shallow)
    #expect(try Self.video(same).color == hdr)
    #expect(same.warnings.map(\.setting.description) == ["video.color"])
    #expect(mp4.decisions.first { $0.setting.description == "video.level" }?.value == "4.2")
  }

  @Test func `full range and RGB become limited YUV`() throws {
    let full = SourceFixtures.video(640, 480, codec: "mjpeg") { $0.color.range = .full }
    #expect(
      try Self.video(Self.resolve("web-480p", SourceFixtures.media(full))).color.range == .limited)
    let rgb = SourceFixtures.video(640, 480, codec: "gif") { $0.pixelFormat = .bgra }
    let video = try Self.video(Self.resolve("web-480p", SourceFixtures.media(rgb)))
    #expect(video.pixelFormat == .yuv420p)
    #expect(video.color.matrix == 6)
    let decisions = try Self.resolve("web-480p", SourceFixtures.media(rgb)).decisions
    #expect(
      decisions.first { $0.setting.description == "video.color.matrix" }?.value == "smpte170m")
    #expect(video.color.range == .limited)
  }

  @Test func `an unstated matrix is written if players would guess another`() throws {
    let large = SourceFixtures.media(SourceFixtures.video(1920, 1080))
    #expect(try Self.video(Self.resolve("web-480p", large)).color.matrix == 1)
    #expect(try Self.video(Self.resolve("web-720p", large)).color.matrix == 2)
  }

  @Test(arguments: [
    (PixelFormat.yuv420p, PixelFormat.yuv420p), (.yuv422p10le, .yuv422p10le), (.nv12, .yuv420p),
    (.yuv444p, .yuv444p), (.yuv420p12le, .yuv420p10le), (.gray, .gray), (.rgb24, .yuv444p),
    (.none, .yuv420p),
  ])
  func `the nearest pixel format is used`(source: PixelFormat, target: PixelFormat) throws {
    let encoder = PluginFixtures.factory("T", .encoder, "t") {
      $0.codecs = ["hevc"]
      $0.pixelFormats = [
        .yuv420p, .yuv422p, .yuv444p, .yuv420p10le, .yuv422p10le, .gray,
      ]
    }
    let available = AvailablePlugins(PluginFixtures.muxers + [encoder])
    let video = try Self.video(
      Self.resolve(
        yaml: "container: mkv\nvideo: {codec: hevc}\n",
        SourceFixtures.media(SourceFixtures.video(64, 64) { $0.pixelFormat = source }),
        available: available))
    #expect(video.pixelFormat == target)
  }

  @Test func `a frame rate is a limit`() throws {
    func resolve(_ rate: Rational, _ base: Rational = .unknown) throws -> VideoConversion {
      let track = SourceFixtures.video(64, 64) {
        $0.frameRate = rate
        $0.baseFrameRate = base
      }
      return try Self.video(
        Self.resolve(
          yaml: "container: mp4\nvideo: {codec: h264, frameRate: 29.97}\n",
          SourceFixtures.media(track)))
    }
    #expect(try resolve(Rational(25, 1)).maximumFrameRate == nil)
    #expect(try resolve(Rational(25, 1)).frameRate == Rational(25, 1))
    #expect(try resolve(Rational(60, 1)).maximumFrameRate == Rational(30000, 1001))
    #expect(try resolve(Rational(60, 1)).frameRate == Rational(30000, 1001))
    #expect(try resolve(Rational(25, 1), Rational(90, 1)).frameRate == Rational(25, 1))
    #expect(try resolve(Rational(25, 1), Rational(90, 1)).maximumFrameRate == Rational(30000, 1001))
    #expect(try resolve(.unknown).maximumFrameRate == Rational(30000, 1001))
  }

  // MARK: Audio

  @Test(arguments: [
    (44100, 2, 44100, "stereo", 320_000), (48000, 6, 48000, "stereo", 320_000),
    (96000, 2, 48000, "stereo", 320_000), (88200, 2, 48000, "stereo", 320_000),
    (22050, 1, 22050, "mono", 192_000),
  ])
  func `MP3 gets a sample rate and a layout that it has`(
    rate: Int, channels: Int, newRate: Int, layout: String, bitRate: Int64
  ) throws {
    let source = SourceFixtures.media(
      SourceFixtures.audio(rate, .standard(channels), codec: "flac"))
    let audio = try Self.audio(Self.resolve("mp3-320k", source))
    #expect(audio.sampleRate == newRate)
    #expect(audio.channelLayout.description == layout)
    #expect(audio.bitRate == bitRate)
    #expect(try Self.audio(Self.resolve("mp3-v2", source)).quality == 2)
  }

  @Test func `MP3 is copied by presets for MP3`() throws {
    let source = SourceFixtures.media(SourceFixtures.audio(44100, .stereo))
    for preset in ["mp3-320k", "mp3-v2"] {
      #expect(try Self.resolve(preset, source).tracks.map(\.action) == [.passThrough])
    }
  }

  @Test(arguments: [
    ("web-720p", 22050, 1, 44100, "mono", 96_000), ("web-720p", 44100, 2, 44100, "stereo", 160_000),
    ("web-720p", 48000, 6, 48000, "stereo", 160_000),
    ("web-720p", 11025, 2, 44100, "stereo", 160_000),
    ("web-720p", 8000, 1, 32000, "mono", 96_000),
    ("web-720p", 192_000, 2, 96000, "stereo", 160_000),
    ("opus-128k", 44100, 2, 48000, "stereo", 128_000),
    ("opus-128k", 48000, 6, 48000, "5.1", 320_000),
    ("opus-128k", 22050, 1, 24000, "mono", 80_000), ("aac-160k", 48000, 6, 48000, "5.1", 400_000),
    ("aac-160k", 48000, 8, 48000, "5.1", 400_000),
  ])
  func `audio gets a sample rate, a layout and its share of the bit rate`(
    preset: String, rate: Int, channels: Int, newRate: Int, layout: String, bitRate: Int64
  ) throws {
    let source = SourceFixtures.media(SourceFixtures.audio(rate, .standard(channels)))
    let audio = try Self.audio(Self.resolve(preset, source))
    #expect(audio.sampleRate == newRate)
    #expect(audio.channelLayout.description == layout)
    #expect(audio.bitRate == bitRate)
  }

  @Test(arguments: [
    ("bitrate: 48k, channels: 1", 1, Int64(48_000)), ("bitrate: 48k, channels: 1", 2, 48_000),
    ("bitrate: 48k", 1, 32_000), ("bitrate: 128k, channels: 2", 2, 128_000),
    ("bitrate: 128k, channels: 2", 1, 80_000), ("bitrate: 400k, channels: 6", 6, 400_000),
    ("bitrate: 400k, channels: 6", 2, 160_000),
  ])
  func `a bit rate is for the channels that the preset states`(
    keys: String, channels: Int, bitRate: Int64
  ) throws {
    let folder = try PresetFolder(["p.yaml": "container: ogg\naudio: {codec: opus, \(keys)}\n"])
    let settings = try PresetResolver.resolve(
      preset: folder.library.preset("p"),
      source: SourceFixtures.media(SourceFixtures.audio(48000, .standard(channels))),
      available: PluginFixtures.all)
    #expect(try Self.audio(settings).bitRate == bitRate)
  }

  @Test func `a layout that the encoder does not support becomes the nearest one`() throws {
    let side = ChannelLayout(mask: 0x60F)
    let audio = try Self.audio(
      Self.resolve("aac-160k", SourceFixtures.media(SourceFixtures.audio(48000, side))))
    #expect(audio.channelLayout == ChannelLayout(mask: 0x3F))
  }

  @Test(arguments: [
    ("mp3", SampleFormat.fltp, 0, "pcm_s16le"), ("flac", .s32, 24, "pcm_s24le"),
    ("flac", .s16, 16, "pcm_s16le"), ("pcm_s16be", .s16, 16, "pcm_s16le"),
    ("pcm_s24be", .s32, 24, "pcm_s24le"), ("pcm_f32be", .flt, 32, "pcm_f32le"),
    ("pcm_s8", .u8, 8, "pcm_u8"),
  ])
  func `PCM is as deep as the source`(codec: String, format: SampleFormat, bits: Int, made: String)
    throws
  {
    let source = SourceFixtures.media(
      SourceFixtures.audio(44100, .stereo, codec: codec) {
        $0.sampleFormat = format
        $0.bitsPerSample = bits
      })
    let audio = try Self.audio(Self.resolve("wav", source))
    #expect(audio.codec == made)
    #expect(audio.encoder.description.name == made)
    // AIFF has the other byte order, and copies audio that has it. The plugin of the fixture has no 8 bits for it.
    guard !codec.hasSuffix("be") else { return }
    let other = try Self.audio(Self.resolve("aiff", source)).codec
    #expect(other == (made == "pcm_u8" ? "pcm_s16be" : made.dropLast(2) + "be"))
  }
}
