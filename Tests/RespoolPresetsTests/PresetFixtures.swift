import RespoolMedia

@testable import RespoolPresets
@testable import RespoolHost

/// Plugins that exist only as descriptions.
enum PluginFixtures {
  static let all = available(muxers + encoders + filters)

  /// Plugins with all that the package's presets name.
  static let ofPackage = available((muxers + encoders).map(whole) + filters + furtherOnes)

  /// Returns the factory with what only presets of the package use.
  private static func whole(_ factory: AvailablePlugins.Factory) -> AvailablePlugins.Factory {
    var factory = factory
    switch factory.description.name {
    case "mp4": factory.description.codecs += ["av1", "alac"]
    case "x264":
      factory.description.options += [
        .init("x264-params", .text, help: "more"),
        .init("maxrate", .int(0...1 << 40), help: "rate"),
        .init("bufsize", .int(0...1 << 40), help: "bits"),
      ]
    default: break
    }
    return factory
  }

  private static func available(_ factories: [AvailablePlugins.Factory]) -> AvailablePlugins {
    AvailablePlugins(
      ranked: RankedFactories(
        factories + [
          factory("AVCodec", .decoder, "avcodec") { $0.flags = [.anyCodec] }
        ]), refusal: { _, _ in nil },
      settingsProblem: { _, _ in nil },
      filterProblem: { factory, options in
        let isWrong =
          factory.description.name == "crop" && options.contains { $0.value == "nonsense" }
        return isWrong ? "w is \"nonsense\", which crop does not accept" : nil
      },
      filtered: { (factory, settings) throws(MediaError) in
        var track = settings.track
        switch factory.description.name {
        case "bwdif":
          track.timeBase = Rational(1, track.timeBase.denominator * 2)
          if settings[option: "mode"] != "send_frame" {
            track.frameRate = Rational(track.frameRate.numerator * 2, track.frameRate.denominator)
          }
          track.fieldOrder = .progressive
        case "crop":
          guard settings[option: "w"] != "nonsense" else {
            throw MediaError(.invalidArgument, "w is \"nonsense\", which crop does not accept")
          }
          track.width = settings[option: "w"].flatMap { Int($0) } ?? track.width
          track.height = settings[option: "h"].flatMap { Int($0) } ?? track.height
        case "loudnorm": (track.sampleRate, track.sampleFormat) = (192_000, .dbl)
        default: break
        }
        return track
      })
  }

  static let filters: [AvailablePlugins.Factory] = [
    filter("bwdif", .video) {
      $0.flags = .changesTimes
      $0.options = [
        .init("mode", .choice(["send_frame", "send_field"]), default: "send_field", help: "mode"),
        .init("deint", .choice(["all", "interlaced"]), default: "all", help: "frames"),
      ]
      $0.pixelFormats = [.yuv420p, .yuv420p10le]
    },
    filter("hqdn3d", .video) {
      $0.options = [.init("luma_spatial", .number(0...100), help: "strength")]
      $0.pixelFormats = [.yuv420p, .yuv420p10le]
    },
    filter("eq", .video) { $0.pixelFormats = [.yuv420p] },
    filter("crop", .video) {
      $0.options = ["w", "h", "x", "y"].map { .init($0, .text, help: "pixels") }
      $0.pixelFormats = [.yuv420p, .yuv420p10le]
    },
    filter("ass", .video) { $0.pixelFormats = [.rgba] },
    filter("cropdetect", .video) {
      $0.flags = .measuresOnly
      $0.pixelFormats = [.yuv420p]
    },
    filter("loudnorm", .audio) {
      $0.options = [.init("i", .number(-70...(-5)), help: "target")]
      $0.sampleFormats = [.dbl]
      $0.sampleRates = [192_000]
    },
  ]

  private static func filter(
    _ name: String, _ media: Frame.Kind, _ describe: (inout FactoryDescription) -> Void
  ) -> AvailablePlugins.Factory {
    factory("AVFilter", .filter, name) {
      $0.filteredMedia = media
      describe(&$0)
    }
  }

  static let muxers: [AvailablePlugins.Factory] = [
    factory("ISOMedia", .muxer, "mp4") {
      $0.aliases = ["mov,mp4,m4a,3gp,3g2,mj2"]
      $0.extensions = ["mp4", "m4a", "m4v"]
      $0.codecs = ["h264", "hevc", "vp9", "aac", "opus", "mp3", "ac3", "mjpeg", "mov_text"]
      $0.flags = [.keepsRotation, .keepsChapters, .variableFrameRate, .hidesPictures]
      $0.options = [.init("faststart", .bool, default: "true", help: "moov first")]
    },
    factory("Matroska", .muxer, "webm") {
      $0.extensions = ["webm"]
      $0.codecs = ["vp8", "vp9", "av1", "opus", "vorbis"]
      $0.flags = [.keepsChapters, .variableFrameRate]
    },
    factory("Matroska", .muxer, "matroska") {
      $0.extensions = ["mkv", "mka"]
      $0.codecs = [
        "h264", "hevc", "vp9", "aac", "opus", "flac", "mp3", "subrip", "mjpeg", "ttf", "ffv1",
      ]
      $0.flags = [.keepsChapters, .variableFrameRate]
    },
    factory("MPEGAudio", .muxer, "mp3") {
      $0.extensions = ["mp3"]
      $0.codecs = ["mp3", "mjpeg", "png"]
      $0.channelCounts = 1...2
      $0.flags = [.keepsChapters]
    },
    factory("Ogg", .muxer, "ogg") {
      $0.extensions = ["opus", "ogg"]
      $0.codecs = ["opus", "vorbis", "flac"]
    },
    factory("FLAC", .muxer, "flac") {
      $0.extensions = ["flac"]
      $0.codecs = ["flac", "mjpeg", "png"]
      $0.flags = [.keepsChapters]
    },
    factory("Wave", .muxer, "wav") {
      $0.extensions = ["wav"]
      $0.codecs = ["pcm_s16le", "pcm_s24le", "pcm_f32le", "pcm_u8"]
    },
    factory("Wave", .muxer, "w64") {
      $0.extensions = ["w64"]
      $0.codecs = ["pcm_s16le", "pcm_s24le", "pcm_f32le", "pcm_u8"]
    },
    factory("AIFF", .muxer, "aiff") {
      $0.extensions = ["aiff", "aif"]
      $0.codecs = ["pcm_s16be", "pcm_s24be", "pcm_f32be", "mjpeg", "png"]
      $0.flags = [.keepsChapters]
    },
    factory("CAF", .muxer, "caf") {
      $0.extensions = ["caf"]
      $0.codecs = ["pcm_s16le", "pcm_s24le", "pcm_f32le", "pcm_s8", "alac"]
      $0.flags = [.keepsChapters]
    },
    factory("AIFF", .muxer, "aifc") {
      $0.extensions = ["aifc"]
      $0.codecs = ["pcm_s16be", "pcm_s24be", "pcm_f32be", "mjpeg", "png"]
      $0.flags = [.keepsChapters]
    },
  ]

  static let encoders: [AvailablePlugins.Factory] =
    [
      factory("X264", .encoder, "x264") {
        $0.codecs = ["h264"]
        $0.flags = [.threadsChangeOutput]
        $0.pixelFormats = [.yuv420p, .yuv422p, .yuv444p, .yuv420p10le, .gray]
        $0.rateControl = RateControl(
          .video, quality: .init(0...51, isLowerBetter: true, usual: 23))
        $0.options = [
          .init(
            "preset", .choice(["veryfast", "fast", "medium", "slow"]), default: "medium",
            help: "speed"),
          .init("keyint", .int(1...1000), help: "most frames between key frames"),
          .init("profile", .choice(["main", "high"]), help: "profile"),
          .init("bframes", .int(0...16), help: "B pictures"),
          .init("qcomp", .number(0...1), help: "curve"),
          .init("mbtree", .bool, help: "tree"),
        ]
      },
      factory("VPX", .encoder, "vpx") {
        $0.codecs = ["vp8", "vp9"]
        $0.pixelFormats = [.yuv420p, .yuv444p, .yuv420p10le]
        $0.rateControl = RateControl(
          .video, quality: .init(0...63, step: 1, isLowerBetter: true, usual: 32))
        $0.options = [
          .init("cpu-used", .int(-16...16), help: "speed"),
          .init("row-mt", .bool, help: "rows"),
          .init("tile-columns", .int(0...6), help: "tiles"),
        ]
      },
      factory("AVCodec", .encoder, "avcodec-aac") {
        $0.codecs = ["aac"]
        $0.sampleFormats = [.fltp]
        $0.sampleRates = [96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 8000]
        $0.channelLayouts = [.mono, .stereo, ChannelLayout(mask: 0x37), ChannelLayout(mask: 0x3F)]
        $0.channelCounts = 1...6
        $0.rateControl = RateControl(.audio, bitRates: 1000...4_608_000)
      },
      factory("LAME", .encoder, "lame") {
        $0.codecs = ["mp3"]
        $0.sampleFormats = [.fltp, .s32p, .s16p]
        $0.sampleRates = [48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000]
        $0.channelLayouts = [.stereo, .mono]
        $0.channelCounts = 1...2
        $0.rateControl = RateControl(
          .audio, quality: .init(0...9.999, isLowerBetter: true, usual: 2),
          bitRates: 8000...320_000)
        $0.options = [.init("scale", .number(0...16), default: "1", help: "factor")]
      },
      factory("FLAC", .encoder, "flac") {
        $0.codecs = ["flac"]
        $0.sampleFormats = [.s16, .s32]
        $0.channelCounts = 1...8
        $0.rateControl = RateControl(.audio)
        $0.options = [.init("compression-level", .int(0...8), default: "5", help: "size")]
      },
      factory("Vorbis", .encoder, "vorbis") {
        $0.codecs = ["vorbis"]
        $0.sampleFormats = [.fltp]
        $0.channelCounts = 1...8
        $0.rateControl = RateControl(
          .audio, quality: .init(0...10, isLowerBetter: false, usual: 3))
      },
      factory("Opus", .encoder, "opus") {
        $0.codecs = ["opus"]
        $0.sampleFormats = [.s16, .flt]
        $0.sampleRates = [48000, 24000, 16000, 12000, 8000]
        $0.channelCounts = 1...8
      },
    ]
    + [
      "pcm_s16le", "pcm_s24le", "pcm_f32le", "pcm_u8", "pcm_s16be", "pcm_s24be", "pcm_f32be",
    ].map { codec in
      factory("PCM", .encoder, codec) {
        $0.codecs = [codec]
        $0.sampleFormats =
          codec.hasPrefix("pcm_f32")
          ? [.flt] : codec == "pcm_u8" ? [.u8] : [codec.hasPrefix("pcm_s16") ? .s16 : .s32]
        $0.channelCounts = 1...64
      }
    }

  private static func stills(
    _ name: String, _ codec: String, _ flags: FactoryDescription.Flags = []
  ) -> AvailablePlugins.Factory {
    factory("Images", .muxer, name) {
      $0.extensions = name == "jpeg" ? ["jpg", "jpeg"] : [name]
      $0.codecs = [codec]
      $0.flags = flags.union(.writesStills)
    }
  }

  private static let furtherOnes: [AvailablePlugins.Factory] = [
    stills("jpeg", "mjpeg", .keepsRotation), stills("avif", "av1", .keepsRotation),
    stills("heic", "hevc", .keepsRotation), stills("webp", "webp"), stills("jpegxl", "jpegxl"),
    stills("png", "png"),
    factory("ADTS", .muxer, "adts") {
      $0.aliases = ["aac"]
      $0.extensions = ["aac", "adts"]
      $0.codecs = ["aac"]
    },
    factory("Subtitles", .muxer, "srt") {
      $0.extensions = ["srt"]
      $0.codecs = ["subrip"]
    },
    factory("AVFormat", .muxer, "mpegts") {
      $0.extensions = ["ts"]
      $0.codecs = ["h264", "hevc", "mpeg2video", "aac", "mp3", "ac3", "opus", "hdmv_pgs_subtitle"]
      $0.flags = [.variableFrameRate, .presentsDelay]
    },
    factory("AVCodec", .encoder, "mjpeg") {
      $0.codecs = ["mjpeg"]
      $0.pixelFormats = [.yuv420p, .yuv422p, .yuv444p]
      $0.rateControl = RateControl(.video, quality: .init(2...31, isLowerBetter: true, usual: 3))
    },
    factory("AVCodec", .encoder, "libaom") {
      $0.tier = .fallback
      $0.codecs = ["av1"]
      $0.pixelFormats = [.yuv420p, .yuv444p, .yuv420p10le, .yuv444p10le, .gray]
      $0.rateControl = RateControl(.video, quality: .init(0...63, isLowerBetter: true, usual: 22))
    },
    factory("AVCodec", .encoder, "libwebp") {
      $0.codecs = ["webp"]
      $0.pixelFormats = [.yuv420p, .yuva420p, .bgra]
      $0.rateControl = RateControl(.video, quality: .init(0...100, isLowerBetter: false, usual: 80))
    },
    factory("Images", .encoder, "libjxl") {
      $0.codecs = ["jpegxl"]
      $0.pixelFormats = [.rgb24, .rgba, .gray]
      $0.rateControl = RateControl(.video, quality: .init(0...15, isLowerBetter: true, usual: 1))
    },
    factory("AVCodec", .encoder, "png") {
      $0.codecs = ["png"]
      $0.pixelFormats = [.rgb24, .rgba, .rgb48be, .gray]
      $0.rateControl = RateControl(.video)
    },
    factory("ISOMedia", .muxer, "mov") {
      $0.extensions = ["mov"]
      $0.codecs = [
        "h264", "hevc", "prores", "dnxhd", "aac", "mp3", "ac3", "pcm_s16le", "pcm_s24le", "mjpeg",
      ]
      $0.flags = [.keepsRotation, .keepsChapters, .variableFrameRate, .hidesPictures]
    },
    factory("AVCodec", .encoder, "prores_ks") {
      $0.codecs = ["prores"]
      $0.pixelFormats = [.yuv422p10le, .yuv444p10le]
      $0.options = [
        .init(
          "profile", .choice(["auto", "proxy", "lt", "hq", "4444"]), default: "auto",
          help: "profile")
      ]
    },
    factory("AVCodec", .encoder, "dnxhr") {
      $0.codecs = ["dnxhd"]
      $0.pixelFormats = [.yuv422p, .yuv422p10le]
      $0.options = [
        .init("profile", .choice(["auto", "lb", "sq", "hqx"]), default: "auto", help: "profile")
      ]
    },
    factory("AVCodec", .encoder, "alac") {
      $0.codecs = ["alac"]
      $0.sampleFormats = [.s16p, .s32p]
      $0.channelCounts = 1...8
    },
    factory("AVCodec", .encoder, "ffv1") {
      $0.codecs = ["ffv1"]
      $0.pixelFormats = [.yuv420p, .yuv422p, .yuv420p10le]
      $0.options = [.init("level", .choice(["0", "1", "3"]), default: "3", help: "version")]
    },
    factory("X265", .encoder, "x265") {
      $0.codecs = ["hevc"]
      $0.flags = [.threadsChangeOutput, .keepsDolbyVision]
      $0.pixelFormats = [.yuv420p, .yuv422p, .yuv444p, .yuv420p10le, .gray]
      $0.rateControl = RateControl(.video, quality: .init(0...51, isLowerBetter: true, usual: 28))
      $0.options = [
        .init(
          "preset", .choice(["veryfast", "fast", "medium", "slow"]), default: "medium",
          help: "speed"),
        .init("x265-params", .text, help: "more"),
        .init("open-gop", .bool, help: "references across key frames"),
      ]
    },
    factory("SVTAV1", .encoder, "svtav1") {
      $0.codecs = ["av1"]
      $0.pixelFormats = [.yuv420p, .yuv420p10le]
      $0.rateControl = RateControl(
        .video, quality: .init(1...63, step: 1, isLowerBetter: true, usual: 35))
      $0.options = [.init("preset", .int(0...13), default: "10", help: "speed")]
    },
  ]

  static func factory(
    _ plugin: String, _ kind: FactoryDescription.Kind, _ name: String,
    _ describe: (inout FactoryDescription) -> Void = { _ in }
  ) -> AvailablePlugins.Factory {
    var description = FactoryDescription(kind: kind, name: name, longName: name)
    describe(&description)
    return .init(plugin: plugin, description: description)
  }
}

/// Sources that exist only as descriptions.
enum SourceFixtures {
  static func video(
    _ width: Int, _ height: Int, codec: String = "h264",
    _ change: (inout TrackDescription) -> Void = { _ in }
  ) -> TrackDescription {
    var track = TrackDescription(kind: .video, codec: codec, timeBase: Rational(1, 90000))
    track.width = width
    track.height = height
    track.frameRate = Rational(30, 1)
    track.pixelFormat = .yuv420p
    change(&track)
    return track
  }

  static func audio(
    _ rate: Int, _ layout: ChannelLayout, codec: String = "mp3",
    _ change: (inout TrackDescription) -> Void = { _ in }
  ) -> TrackDescription {
    var track = TrackDescription(
      kind: .audio, codec: codec, timeBase: Rational(1, Int32(rate)))
    track.sampleRate = rate
    track.channelLayout = layout
    track.sampleFormat = .fltp
    change(&track)
    return track
  }

  static func media(_ tracks: TrackDescription..., seconds: Int64 = 20) -> MediaDescription {
    var media = MediaDescription(format: "test", tracks: tracks)
    media.duration = seconds * 1_000_000_000
    return media
  }
}
