import Testing

@testable import RespoolPresets
@testable import RespoolHost

/// One broken preset and all problems that have to be reported for it.
struct BrokenPreset: CustomTestStringConvertible, Sendable {
  var name: String
  var text: String
  var problems: [String]

  init(_ name: String, _ text: String, _ problems: String...) {
    self.name = name
    self.text = text
    self.problems = problems
  }

  var testDescription: String { name }
}

@Suite struct PresetValidationTests {
  /// The first four lines of a preset, without an error.
  static let head = "container: mp4\naudio: none\nvideo:\n  codec: h264\n"

  static let broken: [BrokenPreset] = [
    .init(
      "unknown key at the top", "contaner: mp4\naudio: {codec: aac}\n",
      "1:1: container is missing; add one, such as container: mp4",
      "1:1: unknown key contaner at the top level; did you mean container?"),
    .init(
      "unknown key in a section", head + "  qualty: 21\n",
      "5:3: unknown key qualty in video; did you mean quality?"),
    .init(
      "key of another section", head + "size: 1280x720\n",
      "5:1: unknown key size at the top level; it belongs to video"),
    .init(
      "wrong types",
      head + "  size: big\n  upscale: yes\n  quality: high\n  frameRate: [30]\n  options: fast\n",
      "5:9: size is \"big\"; it takes width and height in pixels, such as 1280x720",
      "6:12: upscale is \"yes\"; write true",
      "7:12: quality is \"high\"; it takes a number from 0 to 255",
      "8:14: frameRate is a list; it takes frames a second from 1 to 1000, such as 30, 29.97 or "
        + "30000/1001",
      "9:12: options is \"fast\"; it takes a mapping, such as {preset: medium}"),
    .init(
      "empty value", head + "  quality:\n",
      "5:3: quality is empty; it takes a number from 0 to 255"),
    .init(
      "odd size", head + "  size: 1281x721\n",
      "5:9: size 1281x721 has an odd side; use even ones: 1280x720"),
    .init(
      "size out of range", head + "  size: 8x8\n",
      "5:9: size is \"8x8\"; each side takes from 16 to 16384 pixels"),
    .init(
      "quality beyond the encoder's scale", head + "  quality: 60\n",
      "5:12: quality is 60; x264 takes from 0 to 51"),
    .init(
      "quality for an encoder without a scale",
      "container: mkv\nvideo: none\naudio: {codec: aac, quality: 5}\n",
      "3:30: quality is 5; avcodec-aac has no quality scale"),
    .init(
      "bit rate beyond the encoder's bounds",
      "container: mkv\nvideo: none\naudio: {codec: aac, bitrate: 800M}\n",
      "3:30: the bit rate is 800000000; avcodec-aac takes at most 4608000 bits per second"),
    .init(
      "quality between two steps",
      "container: webm\naudio: none\nvideo: {codec: vp9, quality: 30.5}\n",
      "3:30: quality is 30.5; vpx takes multiples of 1"),
    .init(
      "interval of key frames out of range", head + "  keyFrameInterval: 0\n",
      "5:21: keyFrameInterval is \"0\"; it takes a number from 0.01 to 3600"),
    .init(
      "more than two passes", head + "  passes: 3\n",
      "5:11: passes is \"3\"; it takes a whole number from 1 to 2"),
    .init(
      "key of another program", head + "  twopass: true\n",
      "5:3: unknown key twopass in video; write passes: 2"),
    .init(
      "quality and bit rate", head + "  quality: 20\n  bitrate: 2500k\n",
      "6:3: video has both quality and bitrate; keep one of the two"),
    .init(
      "bit rate without a unit", head + "  bitrate: 160\n",
      "5:12: bitrate is 160 bits a second; did you mean 160k?"),
    .init(
      "options of the encoder",
      head + "  options: {bframs: 3, bframes: 17, preset: medum, mbtree: 1, qcomp: x}\n",
      "5:13: encoder x264 has no option bframs; did you mean bframes?",
      "5:33: bframes is \"17\"; it takes a whole number from 0 to 16",
      "5:45: preset is \"medum\"; did you mean medium?",
      "5:60: mbtree is \"1\"; it takes true or false",
      "5:70: qcomp is \"x\"; it takes a number from 0.0 to 1.0"),
    .init(
      "filters that are not present", head + "  filters: [bwdiff, loudnorm, hqdn3d]\n",
      "5:13: no plugin has the video filter bwdiff; did you mean bwdif?",
      "5:21: no plugin has the video filter loudnorm; it filters audio: it belongs to filters in audio"
    ),
    .init(
      "options of filters",
      head + "  filters:\n    - bwdif: {mode: send_feld}\n    - hqdn3d: {luma_spatal: 4}\n"
        + "    - hqdn3d: {luma_spatial: x}\n    - crop: {w: nonsense}\n",
      "6:21: mode is \"send_feld\"; did you mean send_field?",
      "7:16: filter hqdn3d has no option luma_spatal; did you mean luma_spatial?",
      "8:30: luma_spatial is \"x\"; it takes a number from 0.0 to 100.0",
      "9:17: w is \"nonsense\", which crop does not accept; `respool plugins show crop` lists the options"
    ),
    .init(
      "filters that are no list", head + "  filters: hqdn3d\n",
      "5:12: filters is \"hqdn3d\"; it takes a list, such as [hqdn3d, deband]"),
    .init(
      "options beside a filter", head + "  filters:\n    - bwdif:\n      mode: send_field\n",
      "7:7: mode is beside the filter bwdif; indent options further than the name of the filter, and "
        + "begin each filter with -"),
    .init(
      "filters of what is only copied",
      "container: mp4\naudio: none\nvideo:\n  passthrough: only\n  filters: [hqdn3d]\n",
      "5:3: video has filters and passthrough: only; filters need encoding: remove one of the two"),
    .init(
      "option of the container", head + "containerOptions:\n  fastart: true\n",
      "6:3: container mp4 has no option fastart; did you mean faststart?"),
    .init(
      "codec that the container does not carry",
      "container: webm\naudio: none\nvideo:\n  codec: h264\n",
      "4:10: container webm does not carry h264; it carries vp8, vp9, av1, opus, vorbis"),
    .init(
      "container without a muxer", "container: m4p\naudio: {codec: aac}\n",
      "1:12: no plugin writes the container m4p; did you mean m4a?"),
    .init(
      "encoder that is not there", head + "  encoder: x265\n",
      "5:12: no plugin has the encoder x265; did you mean x264?"),
    .init(
      "encoder of another codec", head + "  encoder: vpx\n",
      "5:12: encoder vpx does not make h264; for h264 there are x264"),
    .init(
      "codec without an encoder", "container: mp4\naudio: {codec: ac3}\n",
      "2:16: no plugin encodes ac3; installed plugins encode aac, flac, mp3, opus, pcm, "
        + "vorbis for audio; a plugin that uses libavcodec would add ac3 (respool plugins new starts one)"
    ),
    .init(
      "misspelled codec", "container: mkv\naudio: {codec: opsu}\n",
      "2:16: container matroska does not carry opsu; did you mean opus?",
      "2:16: no plugin encodes opsu; did you mean opus?"),
    .init(
      "no codec", "container: mp4\naudio:\n  bitrate: 160k\n",
      "3:3: audio has no codec; add one, such as codec: aac, or passthrough: only"),
    .init(
      "words of other programs as codecs",
      "container: mp4\nvideo: {codec: copy}\naudio: {codec: none}\n",
      "2:16: codec is \"copy\"; write passthrough: only instead of codec to copy video, or passthrough: any "
        + "beside a codec for tracks that the container does not carry",
      "3:16: codec is \"none\"; write audio: none to drop audio"),
    .init(
      "words of other programs as values",
      "container: auto\nvideo: copy\naudio: {codec: auto, encoder: best, sampleRate: source, quality: auto}\n",
      "1:12: container is \"auto\"; name one, such as mp4, mkv or wav: a preset has one container for all files",
      "2:8: video is \"copy\"; write video: {passthrough: only} to copy video",
      "3:16: codec is \"auto\"; name a codec, such as codec: aac; passthrough: auto copies tracks that have it",
      "3:31: encoder is \"best\"; remove encoder: the best-ranked one is used without it",
      "3:49: sampleRate is \"source\"; remove sampleRate: without it, that of the source is kept if the encoder "
        + "takes it",
      "3:66: quality is \"auto\"; remove quality: the encoder decides without it"),
    .init(
      "keys of other programs", head + "  crf: 20\npreset: slow\nformat: mkv\n",
      "5:3: unknown key crf in video; write quality",
      "6:1: unknown key preset at the top level; write extends to begin with another preset; a preset of the "
        + "encoder belongs to options in video",
      "7:1: unknown key format at the top level; write container"),
    .init(
      "pixel formats", head + "  pixelFormat: [yuv420, yuv422p, nv12]\n",
      "5:16: encoder x264 does not take nv12; it takes yuv420p, yuv422p, yuv444p, yuv420p10le, gray",
      "5:17: there is no pixel format yuv420; did you mean yuv420p?"),
    .init(
      "audio limits", "container: ogg\naudio: {codec: opus, sampleRate: 44100, channels: 9}\n",
      "2:34: encoder opus does not take 44100 Hz; it takes 8000, 12000, 16000, 24000, 48000",
      "2:51: channels is 9; encoder opus takes 8 at most"),
    .init(
      "word that is none of the choices", head + "metadata: kep\ntracks: 2\n",
      "5:11: metadata is \"kep\"; did you mean keep?",
      "6:9: tracks is \"2\"; it takes one of best, all; rules belong to video or audio: audio: {tracks: […]}"
    ),
    .init(
      "neither video nor audio", "container: mp4\n",
      "1:1: there is neither video nor audio; add one of the two, or subtitles"),
    .init(
      "both none", "container: mp4\nvideo: none\naudio: none\n",
      "3:8: video and audio are both none; make at least one of the two"),
    .init(
      "upscale without a size", head + "  upscale: true\n",
      "5:3: upscale needs a size; add size, such as size: 1280x720"),
    .init(
      "repeated keys", "container: mp4\naudio: {codec: aac, codec: opus}\ncontainer: mkv\nnme: x\n",
      "2:21: codec is set again, after line 2; remove one of the two",
      "3:1: container is set again, after line 1; remove one of the two",
      "4:1: unknown key nme at the top level; did you mean name?"),
    .init(
      "repeated key in a file of Windows", "container: mp4\r\naudio: none\r\naudio: none\r\n",
      "3:1: audio is set again, after line 2; remove one of the two"),
    .init(
      "broken YAML", "container: mp4\naudio: {codec: aac\n",
      "3:1: broken YAML: while parsing a flow mapping, did not find expected ',' or '}'; a preset is "
        + "`key: value` lines, with nested ones indented by two spaces"),
    .init(
      "tab as indentation", "container: mp4\naudio:\n\tcodec: aac\n",
      "3:1: broken YAML: while scanning for the next token, found character that cannot start any "
        + "token; indent with spaces, not tabs, and put special characters into quotation marks"),
    .init(
      "several documents", "container: mp4\naudio: {codec: aac}\n---\ncontainer: mkv\n",
      "3:1: broken YAML: a second document starts here; put each preset into a file of its own"),
    .init(
      "empty file", "# nothing\n",
      "1:1: the preset is empty; a preset needs at least container, and video or audio"),
    .init(
      "not a mapping", "- mp4\n",
      "1:1: the preset is a list; a preset is a mapping: container: mp4 and so on"),
    .init(
      "extends itself", "extends: broken\ncontainer: mp4\naudio: {codec: aac}\n",
      "1:10: extends loops: broken → broken; a preset must not extend itself, nor one that extends it"
    ),
    .init(
      "extends what is not there", "extends: bse\naudio: {codec: aac}\n",
      "1:10: extends names bse, which does not exist; did you mean base?"),
  ]

  @Test(arguments: broken)
  func `every error is reported with its place`(_ preset: BrokenPreset) throws {
    let folder = try PresetFolder([
      "broken.yaml": preset.text, "base.yaml": "container: mp4\naudio: {codec: aac}\n",
    ])
    let problems = try folder.problems(of: "broken.yaml")
    #expect(problems == preset.problems)
  }

  @Test func `errors of an extended file are reported in that file`() throws {
    let folder = try PresetFolder([
      "child.yaml": "extends: parent\nvideo:\n  size: 3x\n",
      "parent.yaml": "container: mp4\nvideo:\n  codec: h264\n  qualty: 1\n",
    ])
    let problems = try folder.problems(of: "child.yaml")
    #expect(
      problems == [
        "3:9: size is \"3x\"; it takes width and height in pixels, such as 1280x720",
        "parent.yaml:4:3: unknown key qualty in video; did you mean quality?",
      ])
  }

  @Test(arguments: ["[", "{a: ", "- "])
  func `deep nesting is rejected in linear time`(_ opening: String) throws {
    let text = "container: mp4\naudio:\n  " + String(repeating: opening, count: 100_000) + "\n"
    let folder = try PresetFolder(["deep.yaml": text])
    let start = ContinuousClock.now
    let problems = try folder.problems(of: "deep.yaml")
    // An earlier version took 20 s. The limit is far above the present time.
    #expect(ContinuousClock.now - start < .seconds(4))
    #expect(problems.count == 1)
    #expect(
      problems.first?.hasSuffix(
        "mappings and lists are nested more than 32 levels deep; a preset has three levels at most")
        == true)
  }

  @Test func `a byte order mark is skipped`() throws {
    let folder = try PresetFolder([
      "bom.yaml": "\u{FEFF}name: marked\nsummary: S\ncontainer: mp4\naudio: {codec: aac}\n"
    ])
    #expect(try folder.problems(of: "bom.yaml") == [])
    #expect(try folder.library.preset("marked").container == "mp4")
    #expect(folder.library.entries().map(\.summary) == ["S"])
  }

  @Test func `long chains of extends end`() throws {
    let folder = try PresetFolder([
      "a.yaml": "extends: b\n", "b.yaml": "extends: c\n",
      "c.yaml": "extends: a\naudio: {bitrate: 96k}\n",
    ])
    let problems = try folder.problems(of: "a.yaml")
    #expect(
      problems == [
        "c.yaml:1:10: extends loops: a → b → c → a; a preset must not extend itself, nor one that "
          + "extends it"
      ])
  }

  @Test func `without plugins only the file itself is checked`() throws {
    let folder = try PresetFolder([
      "p.yaml": "container: zip\nvideo: {codec: theora, encoder: th, quality: 7, options: {a: b}}\n"
    ])
    #expect(try folder.problems(of: "p.yaml", available: nil) == [])
    let problems = try folder.problems(of: "p.yaml")
    #expect(
      problems == [
        "1:12: no plugin writes the container zip; there are aifc, aiff, caf, flac, matroska, mp3, mp4, ogg, w64, wav, webm",
        "2:33: no plugin has the encoder th; install a plugin that has it",
      ])
  }

  @Test(arguments: PackagePresets.library.entries().map(\.name))
  func `the presets of the package are valid`(_ name: String) throws {
    let check = try PackagePresets.library.check(name, available: PluginFixtures.ofPackage)
    #expect(check.problems == [])
    #expect(check.preset?.name == name)
    #expect(check.preset?.summary.isEmpty == false)
    // Editors find the schema in the folder of all groups.
    let text = try PresetFile.read(PackagePresets.library.path(of: name))
    #expect(text.hasPrefix("# yaml-language-server: $schema=../schema.json\n"))
  }

  @Test func `presets of earlier versions keep their names`() {
    #expect(
      Set(PackagePresets.library.entries().map(\.name)).isSuperset(of: [
        "aac-160k", "aiff", "archive-mkv", "audiobook", "av1-1080p", "flac", "hevc-1080p",
        "hevc-2160p",
        "mp3-320k", "mp3-v2", "opus-128k", "podcast", "prores-mov", "proxy-540p", "remux-mkv",
        "remux-mp4", "vorbis-160k", "w64", "wav", "web-1080p", "web-480p",
        "web-720p", "webm-1080p", "webm-720p",
      ]))
  }
}
