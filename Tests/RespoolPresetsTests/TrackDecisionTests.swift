import RespoolMedia
import Testing

@testable import RespoolPresets
@testable import RespoolHost

/// Decisions to copy, convert or drop tracks, and their reasons.
@Suite struct TrackDecisionTests {
  /// Returns for every track `copy`, `video`, `audio`, the codec of converted captions, or the reason for dropping.
  static func actions(_ settings: ResolvedSettings) -> [String] {
    settings.tracks.map {
      switch $0.action {
      case .passThrough: "copy"
      case .convertVideo: "video"
      case .convertAudio: "audio"
      case .convertCaptions(let codec): codec
      case .drop(let reason): reason
      }
    }
  }

  static let cover = SourceFixtures.video(500, 500, codec: "mjpeg") {
    $0.disposition = .attachedPicture
  }

  static func track(_ kind: TrackDescription.Kind, _ codec: String) -> TrackDescription {
    TrackDescription(kind: kind, codec: codec, timeBase: Rational(1, 1000))
  }

  @Test func `a web preset selects the best video and the best audio`() throws {
    let settings = try ResolutionTests.resolve(
      "web-720p",
      SourceFixtures.media(
        SourceFixtures.audio(48000, .stereo) { $0.disposition = .commentary },
        SourceFixtures.video(640, 360), SourceFixtures.video(1280, 720),
        SourceFixtures.audio(48000, .standard(6)), SourceFixtures.audio(48000, .stereo)))
    #expect(
      Self.actions(settings) == [
        "the preset takes one audio track, and track 4 is the better",
        "the preset takes one video track, and track 3 is the better", "video", "audio",
        "the preset takes one audio track, and track 4 is the better",
      ])
    #expect(settings.outputTracks.map(\.source) == [2, 3])
  }

  @Test func `a default track takes precedence over a larger one`() throws {
    let settings = try ResolutionTests.resolve(
      "web-720p",
      SourceFixtures.media(
        SourceFixtures.video(1920, 1080),
        SourceFixtures.video(640, 360) { $0.disposition = .default }))
    #expect(settings.outputTracks.map(\.source) == [1])
  }

  @Test func `a film takes precedence over large images beside it`() throws {
    let settings = try ResolutionTests.resolve(
      "web-720p",
      SourceFixtures.media(
        SourceFixtures.video(1024, 768) { $0.packetCount = 58 },
        SourceFixtures.video(2048, 1536) { $0.packetCount = 1 }))
    #expect(settings.outputTracks.map(\.source) == [0])
  }

  @Test func `an encrypted track is named as encrypted`() throws {
    var track = Self.track(.video, "")
    track.codecTag = "encv".utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    #expect(track.codecLabel == "encrypted media (\"encv\")")
    track.codecTag = "Wxyz".utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    #expect(track.codecLabel == "the unknown codec (\"Wxyz\")")
  }

  @Test(arguments: [("ZZZZ", "", "the unknown codec (\"ZZZZ\")"), ("", "V_FOOBAR", "V_FOOBAR")])
  func `a track of an unknown codec is dropped beside another one`(
    code: String, codec: String, label: String
  ) throws {
    let settings = try ResolutionTests.resolve(
      "remux-mkv",
      SourceFixtures.media(
        SourceFixtures.video(1280, 720, codec: "h264"),
        SourceFixtures.video(1280, 720, codec: codec) {
          $0.codecTag = code.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }))
    #expect(Self.actions(settings) == ["copy", "no plugin decodes \(label)"])
  }

  @Test func `a remux copies the tracks that the container supports and converts the others`()
    throws
  {
    let settings = try ResolutionTests.resolve(
      "remux-mp4",
      SourceFixtures.media(
        SourceFixtures.audio(48000, .stereo, codec: "vorbis"),
        SourceFixtures.video(1920, 1080, codec: "hevc"),
        SourceFixtures.audio(48000, .stereo, codec: "ac3"),
        Self.track(.subtitle, "hdmv_pgs_subtitle"),
        Self.track(.subtitle, "mov_text"), Self.track(.data, "bin_data"),
        Self.track(.attachment, "ttf"), Self.cover))
    #expect(
      Self.actions(settings) == [
        "audio", "copy", "copy", "mp4 does not carry hdmv_pgs_subtitle", "copy",
        "data tracks are not copied", "mp4 cannot store attached files", "copy",
      ])
    #expect(settings.outputTracks.map(\.source) == [1, 0, 2, 4, 7])
    #expect(settings.coverIndexes == [7])
    #expect(!settings.isPassThroughOnly)
  }

  @Test func `audio within every limit is copied`() throws {
    func action(_ change: (inout TrackDescription) -> Void) throws -> String {
      let track = SourceFixtures.audio(44100, .stereo, codec: "aac") {
        $0.bitRate = 128_000
        change(&$0)
      }
      let settings = try ResolutionTests.resolve(
        "web-720p", SourceFixtures.media(SourceFixtures.video(64, 64), track))
      return try #require(Self.actions(settings).last)
    }
    #expect(try action { _ in } == "copy")
    #expect(try action { $0.bitRate = 176_000 } == "copy")
    #expect(try action { $0.bitRate = 192_000 } == "audio")
    #expect(try action { $0.bitRate = 0 } == "copy")
    #expect(try action { $0.channelLayout = .standard(6) } == "audio")
    #expect(try action { $0.codec = "mp3" } == "audio")
    #expect(
      try action {
        $0.channelLayout = .mono
        $0.bitRate = 128_000
      } == "audio")
  }

  @Test func `video is copied only if the preset allows it and it fits`() throws {
    func action(
      _ mode: String, _ change: (inout TrackDescription) -> Void = { _ in }
    ) throws -> String {
      let yaml = """
        container: mp4
        video: {codec: h264, size: 1280x720, frameRate: 30, bitrate: 2M, passthrough: \(mode)}
        """
      let track = SourceFixtures.video(1280, 720) {
        $0.bitRate = 2_000_000
        $0.level = 31
        $0.profile = 100
        change(&$0)
      }
      return try #require(
        Self.actions(ResolutionTests.resolve(yaml: yaml, SourceFixtures.media(track))).last)
    }
    #expect(try action("never") == "video")
    #expect(try action("auto") == "copy")
    #expect(try action("auto") { $0.width = 1920 } == "video")
    #expect(try action("any") { $0.width = 1920 } == "copy")
    #expect(try action("auto") { $0.frameRate = Rational(60, 1) } == "video")
    #expect(try action("auto") { $0.bitRate = 3_000_000 } == "video")
    #expect(try action("auto") { $0.level = 51 } == "video")
    #expect(try action("auto") { $0.pixelFormat = .yuv444p } == "video")
    #expect(try action("auto") { $0.pixelFormat = .none } == "copy")
    #expect(
      try action("auto") {
        $0.pixelFormat = .none
        $0.profile = 122
      } == "video")
    #expect(
      try action("only") { $0.codec = "theora" }
        == "the track cannot be copied: mp4 does not carry theora")
  }

  @Test func `a rotation that the container loses causes a conversion`() throws {
    let yaml = "container: mkv\nvideo: {codec: h264, passthrough: any}\n"
    let settings = try ResolutionTests.resolve(
      yaml: yaml,
      SourceFixtures.media(
        SourceFixtures.video(64, 32) { $0.displayMatrix = DisplayMatrix(clockwiseDegrees: 90) }))
    #expect(
      try ResolutionTests.video(settings).rotation == .rotatePixels(.init(clockwiseDegrees: 90)))
  }

  @Test func `a muxer that rejects a track is consulted`() throws {
    let available = AvailablePlugins(PluginFixtures.all.factories) { _, track in
      track.extradata.isEmpty ? "mp4 needs an AudioSpecificConfig" : nil
    }
    let source = SourceFixtures.media(SourceFixtures.audio(44100, .stereo, codec: "aac"))
    let settings = try ResolutionTests.resolve("aac-160k", source, available: available)
    #expect(Self.actions(settings) == ["audio"])
    #expect(
      settings.decisions.contains { $0.reason == "mp4 needs an AudioSpecificConfig" })
  }

  @Test func `a web preset makes an audio file of audio and drops its cover`() throws {
    let settings = try ResolutionTests.resolve(
      "web-720p", SourceFixtures.media(SourceFixtures.audio(44100, .stereo), Self.cover))
    #expect(Self.actions(settings) == ["audio", "the preset drops covers"])
    #expect(settings.skipReason == nil)
  }

  @Test func `a music preset keeps the cover`() throws {
    let settings = try ResolutionTests.resolve(
      "aac-160k", SourceFixtures.media(SourceFixtures.audio(44100, .stereo), Self.cover))
    #expect(Self.actions(settings) == ["audio", "copy"])
  }

  @Test(arguments: [
    ("opus-128k", "the source has no audio, and the preset makes nothing else"),
    ("web-720p", "a still image, not video"),
  ])
  func `a file without media for the preset is skipped`(preset: String, reason: String) throws {
    let moving = SourceFixtures.video(64, 64)
    let still = SourceFixtures.video(64, 64, codec: "png") { $0.disposition = .stillImage }
    let source = SourceFixtures.media(preset == "web-720p" ? still : moving, Self.cover)
    let settings = try ResolutionTests.resolve(preset, source)
    #expect(settings.skipReason == reason)
  }

  @Test func `an audio preset drops video and converts audio`() throws {
    let settings = try ResolutionTests.resolve(
      "aac-160k",
      SourceFixtures.media(
        SourceFixtures.video(64, 64), SourceFixtures.audio(44100, .stereo), Self.cover))
    #expect(Self.actions(settings) == ["the preset makes no video", "audio", "copy"])
    #expect(settings.container == "mp4")
    #expect(settings.fileExtension == "m4a")
  }

  @Test func `a track that cannot be decoded is an error unless there is another`() throws {
    let decoder = PluginFixtures.factory("D", .decoder, "d") { $0.codecs = ["mp3", "h264"] }
    let available = AvailablePlugins(
      PluginFixtures.muxers + PluginFixtures.encoders + [decoder])
    let odd = SourceFixtures.audio(44100, .stereo, codec: "atrac9")
    #expect(throws: MediaError.self) {
      try ResolutionTests.resolve("web-720p", SourceFixtures.media(odd), available: available)
    }
    let settings = try ResolutionTests.resolve(
      "remux-mkv",
      SourceFixtures.media(
        odd, SourceFixtures.audio(44100, .stereo, codec: "mp3")), available: available)
    #expect(Self.actions(settings) == ["no plugin decodes atrac9", "copy"])
  }

  @Test func `chapters are kept if the container supports them`() throws {
    var source = SourceFixtures.media(SourceFixtures.audio(48000, .stereo))
    source.chapters = [.init(id: 1, start: 0, end: 1_000_000_000, title: "One")]
    #expect(try ResolutionTests.resolve("aac-160k", source).keepsChapters)
    let ogg = try ResolutionTests.resolve("opus-128k", source)
    #expect(!ogg.keepsChapters)
    #expect(ogg.warnings.map(\.setting.description) == ["chapters"])
  }

  @Test func `a track of chapters is reported as written if they are`() throws {
    var (picture, text) = (SourceFixtures.video(64, 64), Self.track(.data, "bin_data"))
    (picture.id, text.id) = (1, 2)
    var source = SourceFixtures.media(picture, text)
    source.chapters = [.init(id: 1, start: 0, end: 1_000_000_000, title: "One")]
    func reason(_ preset: String = "web-720p") throws -> String? {
      Self.actions(try ResolutionTests.resolve(preset, source)).last
    }
    let told = "the track has the chapter titles, which are written as chapters"
    let plain = "data tracks are not copied"
    #expect(try reason() == plain)
    source.references = [TrackReference(track: 0, type: "chap", trackID: 2)]
    #expect(try reason() == told && reason("remux-mp4") == told)
    #expect(try reason("opus-128k") == plain)
    source.references[0].type = "cdsc"
    #expect(try reason() == plain)
    source.references = [TrackReference(track: 0, type: "chap", trackID: 2)]
    source.chapters = []
    #expect(try reason() == plain)
  }

  @Test func `interlaced video becomes progressive unless the preset keeps its fields`() throws {
    let source = SourceFixtures.media(
      SourceFixtures.video(720, 576) {
        ($0.fieldOrder, $0.frameRate) = (.topFirst, Rational(25, 1))
      })
    for preset in ["web-1080p", "web-480p", "webm-720p"] {
      let settings = try ResolutionTests.resolve(preset, source)
      let video = try ResolutionTests.video(settings)
      #expect(video.fieldOrder == .progressive && video.frameRate == Rational(25, 1))
      #expect(
        video.filters?.filters.first?.options
          == [PluginOption("mode", "send_frame"), PluginOption("deint", "interlaced")])
      #expect(settings.warnings.isEmpty)
      let note = settings.decisions.compactMap(\.note).first
      #expect(
        note
          == "video: deinterlaced, a frame for each pair of fields; the source is interlaced, top field first"
      )
    }
    let fields = try ResolutionTests.video(
      ResolutionTests.resolve("web-1080p", source, deinterlace: .fields))
    #expect(fields.filters?.filters.first?.options.first == PluginOption("mode", "send_field"))
    #expect(fields.frameRate == Rational(50, 1))
    let copied = try ResolutionTests.resolve("remux-mp4", source)
    #expect(!copied.decisions.contains { $0.setting.description.contains("deinterlace") })
    let own = try ResolutionTests.resolve(
      yaml: "container: mp4\nvideo: {codec: h264, filters: [bwdif]}\n", source)
    #expect(try ResolutionTests.video(own).filters?.filters.map(\.options) == [[]])
  }

  @Test func `progressive video is not filtered`() throws {
    for order in [TrackDescription.FieldOrder.progressive, .unknown] {
      let source = SourceFixtures.media(SourceFixtures.video(720, 576) { $0.fieldOrder = order })
      let settings = try ResolutionTests.resolve("web-480p", source)
      #expect(try ResolutionTests.video(settings).filters == nil)
    }
  }

  @Test func `interlaced video keeps its fields if the encoder codes them`() throws {
    let source = SourceFixtures.media(
      SourceFixtures.video(1920, 1080) { $0.fieldOrder = .topFirst })
    let kept = try ResolutionTests.resolve("web-1080p", source, deinterlace: .never)
    #expect(try ResolutionTests.video(kept).fieldOrder == .topFirst)
    #expect(kept.warnings.isEmpty)
    let scaled = try ResolutionTests.resolve("web-720p", source, deinterlace: .never)
    #expect(try ResolutionTests.video(scaled).fieldOrder == .topFirst)
    #expect(scaled.warnings.map(\.setting.description) == ["video.fields"])
    #expect(scaled.warnings.first?.loss?.contains("interlaced") == true)
    let coded = try ResolutionTests.resolve("webm-1080p", source, deinterlace: .never)
    #expect(try ResolutionTests.video(coded).fieldOrder == .progressive)
    #expect(coded.warnings.first?.loss?.contains("interlacing is lost") == true)
  }

  /// x264 codes fields of 4:2:0 only if each has an even number of rows.
  @Test func `interlaced video is scaled to a multiple of four rows`() throws {
    let source = SourceFixtures.media(
      SourceFixtures.video(1920, 800) { $0.fieldOrder = .bottomFirst })
    let video = try ResolutionTests.video(
      ResolutionTests.resolve("web-480p", source, deinterlace: .never))
    #expect((video.width, video.height) == (854, 356))
    #expect(video.fieldOrder == .bottomFirst)
    let tall = SourceFixtures.media(
      SourceFixtures.video(1920, 796) { $0.fieldOrder = .bottomFirst })
    let lower = try ResolutionTests.video(
      ResolutionTests.resolve("web-480p", tall, deinterlace: .never))
    #expect((lower.width, lower.height) == (854, 352))
  }

  @Test func `a missing plugin is an error that names the available ones`() throws {
    let preset = try PackagePresets.library.preset("web-720p")
    let source = SourceFixtures.media(SourceFixtures.video(64, 64))
    let error = #expect(throws: MediaError.self) {
      try PresetResolver.resolve(
        preset: preset, source: source, available: AvailablePlugins(PluginFixtures.muxers))
    }
    #expect(error?.message.contains("no plugin has the encoder x264") == true)
  }
}

extension TrackDecisionTests {
  @Test func `a bare stream that reorders frames is not passed through`() throws {
    for (format, depth, isCopy) in [("h264", 2, false), ("h264", 0, true), ("matroska", 2, true)] {
      var track = SourceFixtures.video(640, 360, codec: "h264") { $0.pixelFormat = .yuv420p }
      track.reorderDepth = depth
      var media = SourceFixtures.media(track)
      media.format = format
      #expect(try ResolutionTests.resolve("remux-mkv", media).isPassThroughOnly == isCopy)
    }
  }

  @Test func `audio hidden by an edit list is not passed through where it would be heard`() throws {
    for (preset, padding, isCopy) in [
      ("remux-mkv", 2112, true), ("remux-mkv", 24000, false), ("remux-mp4", 24000, true),
    ] {
      var track = SourceFixtures.audio(48000, .stereo, codec: "aac")
      track.initialPadding = padding
      #expect(
        try ResolutionTests.resolve(preset, SourceFixtures.media(track)).isPassThroughOnly
          == isCopy)
    }
  }
}
