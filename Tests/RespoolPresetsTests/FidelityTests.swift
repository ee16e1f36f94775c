import RespoolMedia
import Testing

@testable import RespoolPresets
@testable import RespoolHost

/// Losslessness and bit depth in presets that copy every codec, when they have to encode.
@Suite struct FidelityTests {
  struct Audio: CustomTestStringConvertible {
    var codec: String
    var format = SampleFormat.s16
    var bits = 0
    var preset: String
    /// The expected codec, and text that the reported loss contains.
    ///
    /// `loss` is `nil` if nothing is lost.
    var made: String
    var loss: String?
    var testDescription: String { "\(codec) of \(bits) bits by \(preset)" }
  }

  static let audio: [Audio] = [
    .init(codec: "ape", bits: 16, preset: "remux-mkv", made: "flac"),
    .init(codec: "ape", format: .s32p, bits: 24, preset: "remux-mp4", made: "flac"),
    .init(codec: "wmalossless", format: .s32p, bits: 24, preset: "remux-mkv", made: "flac"),
    .init(codec: "tta", bits: 16, preset: "remux-mp4", made: "flac"),
    .init(codec: "alac", format: .s32p, preset: "remux-mkv-noalac", made: "flac"),
    .init(codec: "pcm_alaw", bits: 8, preset: "remux-mkv", made: "flac"),
    .init(codec: "pcm_s16be", bits: 16, preset: "remux-mp4", made: "flac"),
    .init(codec: "pcm_f32be", format: .flt, bits: 32, preset: "remux-mkv", made: "pcm_f32le"),
    .init(
      codec: "pcm_f32le", format: .flt, bits: 32, preset: "remux-mp4", made: "flac", loss: "24 bits"
    ),
    .init(
      codec: "pcm_s32le", format: .s32, bits: 32, preset: "remux-mp4", made: "flac", loss: "24 bits"
    ),
    .init(codec: "wmav2", format: .fltp, preset: "remux-mkv", made: "opus", loss: "encoded again"),
    .init(codec: "ape", bits: 16, preset: "web-720p", made: "aac"),
  ]

  /// The plugins of the fixtures, with the lossless codecs that the real ones have.
  private static let plugins: AvailablePlugins = {
    let lossless = [
      PluginFixtures.factory("AVCodec", .encoder, "flac") {
        $0.codecs = ["flac"]
        $0.sampleFormats = [.s16, .s32]
        $0.channelCounts = 1...8
        $0.channelLayouts = (1...8).map(ChannelLayout.standard)
      },
      PluginFixtures.factory("AVCodec", .encoder, "ffv1") {
        $0.codecs = ["ffv1"]
        $0.pixelFormats = [.yuv420p, .yuv422p, .yuv422p10le, .gbrp10le, .bgra]
      },
    ]
    let others = PluginFixtures.all.factories.map { factory in
      var factory = factory
      switch factory.description.name {
      case "mp4": factory.description.codecs += ["flac"]
      case "matroska": factory.description.codecs += ["pcm_s16le", "pcm_f32le", "ffv1"]
      default: break
      }
      return factory
    }
    return AvailablePlugins(others + lossless)
  }()

  private func resolve(_ preset: String, _ track: TrackDescription) throws -> ResolvedSettings {
    let name = preset.replacing("-noalac", with: "")
    return try PresetResolver.resolve(
      preset: try PackagePresets.library.preset(name), source: SourceFixtures.media(track),
      available: Self.plugins)
  }

  @Test(arguments: audio)
  func `audio is encoded without loss if the source is lossless`(_ known: Audio) throws {
    let source = SourceFixtures.audio(44100, .stereo, codec: known.codec) {
      ($0.sampleFormat, $0.bitsPerSample) = (known.format, known.bits)
    }
    let settings = try resolve(known.preset, source)
    let made = try ResolutionTests.audio(settings)
    #expect(made.codec == known.made)
    #expect(made.sampleRate == 44100 || known.loss != nil)
    let losses = settings.decisions.compactMap(\.loss)
    #expect(losses.count == (known.loss == nil ? 0 : 1), "\(losses)")
    if let loss = known.loss { #expect(losses.first?.contains(loss) == true) }
    // Only lossy codecs get a bit rate.
    #expect((made.bitRate == nil) == (made.codec != "opus" && made.codec != "aac"))
  }

  @Test(arguments: ["remux-mkv", "remux-mp4"])
  func `10-bit HDR stays 10-bit HDR`(preset: String) throws {
    let hlg = ColorDescription(primaries: 9, transfer: 18, matrix: 9, range: .limited)
    let source = SourceFixtures.video(720, 1280, codec: "vc1") {
      ($0.pixelFormat, $0.color) = (.yuv420p10le, hlg)
    }
    let settings = try resolve(preset, source)
    let video = try ResolutionTests.video(settings)
    #expect(video.codec == "h264" && video.pixelFormat == .yuv420p10le && video.color == hlg)
    let losses = settings.decisions.compactMap(\.loss)
    #expect(losses.count == 1 && losses[0].contains("encoded again as h264"))
  }

  @Test func `video that is deeper than H-264 allows becomes VP9 or FFV1`() throws {
    let source = SourceFixtures.video(640, 360, codec: "vc1") { $0.pixelFormat = .yuv422p10le }
    #expect(try ResolutionTests.video(resolve("remux-mkv", source)).codec == "ffv1")
    // No codec of the fixtures keeps 12 bits in MP4, so the loss is reported.
    let deep = SourceFixtures.video(640, 360, codec: "vc1") { $0.pixelFormat = .yuv420p12le }
    let losses = try resolve("remux-mp4", deep).decisions.compactMap(\.loss)
    #expect(losses.contains { $0.contains("bit depth") })
  }

  @Test func `lossless video stays lossless`() throws {
    let source = SourceFixtures.video(640, 360, codec: "huffyuv") {
      ($0.pixelFormat, $0.color.range) = (.yuv422p, .full)
    }
    let matroska = try resolve("remux-mkv", source)
    let ffv1 = try ResolutionTests.video(matroska)
    #expect(ffv1.codec == "ffv1" && ffv1.pixelFormat == .yuv422p && ffv1.color.range == .full)
    #expect(matroska.decisions.allSatisfy { $0.loss == nil })
    let h264 = try ResolutionTests.video(resolve("remux-mp4", source))
    #expect(h264.codec == "h264" && h264.options.contains(PluginOption("qp", "0")))
    #expect(h264.quality == nil && h264.pixelFormat == .yuv422p)
  }

  @Test(
    arguments: [
      ("hevc-2160p", [1, 0, 0x10, 0x2D, 0x40], 3840, nil),
      ("hevc-2160p", [1, 0, 0x0E, 0x37, 0x60], 3840, "profile 7 has another base layer"),
      ("hevc-2160p", [1, 0], 3840, "its configuration record is not valid"),
      ("hevc-2160p", [1, 0, 0x10, 0x2D, 0x40], 7680, "it describes frames of another size"),
      ("av1-balanced-2160p", [1, 0, 0x10, 0x2D, 0x40], 3840, "cannot keep it"),
    ] as [(String, [UInt8], Int, String?)])
  func `Dolby Vision is kept where its data fits the frames`(
    preset: String, record: [UInt8], width: Int, reason: String?
  ) throws {
    let source = SourceFixtures.video(width, width * 9 / 16, codec: "prores") {
      ($0.pixelFormat, $0.sideData) = (.yuv420p10le, [SideData("dvvC", record)])
      $0.color.transfer = H273.Transfer.hlg
      $0.color.primaries = H273.Primaries.bt2020
    }
    let settings = try PresetResolver.resolve(
      preset: PackagePresets.library.preset(preset), source: SourceFixtures.media(source),
      available: PluginFixtures.ofPackage)
    #expect(try ResolutionTests.video(settings).keepsDolbyVision == (reason == nil))
    let losses = settings.decisions.compactMap(\.loss).filter { $0.contains("Dolby Vision") }
    #expect(losses.count == (reason == nil ? 0 : 1))
    if let reason { #expect(losses.first?.contains(reason) == true, "\(losses)") }
  }

  @Test func `layers that only pass-through keeps are named`() throws {
    let source = SourceFixtures.video(1920, 1080, codec: "hevc") {
      $0.sideData = [SideData("dvcC", [1, 0]), SideData("lhvC", [0])]
    }
    let losses = try resolve("web-720p", source).decisions.compactMap(\.loss)
    #expect(losses.contains { $0.contains("Dolby Vision") })
    #expect(losses.contains { $0.contains("second view") })
    let copied = try resolve("remux-mp4", source)
    #expect(copied.decisions.allSatisfy { $0.loss == nil })
  }

  @Test func `tone mapping is named`() throws {
    let source = SourceFixtures.video(1920, 1080, codec: "hevc") {
      ($0.pixelFormat, $0.color) = (
        .yuv420p10le, ColorDescription(primaries: 9, transfer: 16, matrix: 9, range: .limited)
      )
    }
    let losses = try resolve("web-720p", source).decisions.compactMap(\.loss)
    #expect(losses.count == 1 && losses[0].contains("tones are mapped"), "\(losses)")
  }

  @Test func `a limit of the preset takes precedence over losslessness`() throws {
    var preset = try PackagePresets.library.preset("remux-mkv")
    preset.audio?.channels = 1
    let source = SourceFixtures.audio(44100, .stereo, codec: "ape") { $0.bitsPerSample = 16 }
    let settings = try PresetResolver.resolve(
      preset: preset, source: SourceFixtures.media(source), available: Self.plugins)
    #expect(try ResolutionTests.audio(settings).codec == "opus")
  }
}
