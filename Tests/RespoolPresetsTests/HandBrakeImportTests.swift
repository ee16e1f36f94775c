import RespoolHost
import RespoolMedia
import Testing

@testable import RespoolPresets

@Suite struct HandBrakeImportTests {
  private static let small = """
    {"PresetList": [{"Folder": true, "PresetName": "Mine", "ChildrenArray": [
      {"PresetName": "A/B", "VideoEncoder": "x264", "VideoQualityType": 2, "VideoQualitySlider": 21.5,
       "VideoPreset": "slow", "VideoTune": "film", "VideoProfile": "high", "FileFormat": "av_mkv",
       "PictureWidth": 1280, "PictureHeight": 720, "VideoFramerate": "29.97", "VideoFramerateMode": "pfr",
       "PictureDenoiseFilter": "nlmeans", "PictureDenoisePreset": "light", "ChapterMarkers": false, "Zap": [1],
       "AudioEncoderFallback": "av_aac", "AudioCopyMask": ["copy:ac3"],
       "AudioList": [{"AudioEncoder": "copy:ac3", "AudioBitrate": 192, "AudioMixdown": "5point1"},
                     {"AudioEncoder": "mp3"}]},
      {"PresetName": "A/B", "VideoEncoder": "mpeg4", "VideoQualityType": 2, "VideoQualitySlider": 4}
    ]}]}
    """

  private func treatments(_ preset: ImportedPreset) -> [String: ImportedPreset.Treatment] {
    Dictionary(preset.notes.map { ($0.key, $0.treatment) }) { first, _ in first }
  }

  private func check(_ preset: ImportedPreset) throws -> Preset {
    let folder = try PresetFolder(["\(preset.name).yaml": preset.text])
    return try PresetLibrary(folders: []).preset("\(folder.path)/\(preset.name).yaml")
  }

  @Test func `settings get the values of the preset`() throws {
    let presets = try HandBrakeImport.presets(in: Self.small, file: "x.json")
    #expect(presets.map(\.name) == ["A-B", "A-B-2"])
    #expect(presets.map(\.folders) == [["Mine"], ["Mine"]])
    let preset = try check(presets[0])
    #expect(preset.container == "mkv")
    #expect(preset.chapters == .drop)
    #expect(preset.video?.encoder == "x264")
    #expect(preset.video?.quality == 21.5)
    #expect(preset.video?.size == .init(1280, 720))
    #expect(preset.video?.frameRate == Rational(30000, 1001))
    #expect(
      preset.video?.options == [
        PluginOption("preset", "slow"), PluginOption("tune", "film"),
        PluginOption("profile", "high"),
      ])
    #expect(preset.audio?.codec == "aac")
    #expect(preset.audio?.passThrough == .any)
    #expect(preset.audio?.bitRate == 192_000)
    #expect(preset.audio?.channels == 6)
    // Quantizer 4 of MPEG-4 has about the step of 22 in H.264.
    #expect(try check(presets[1]).video?.quality == 22)
    #expect(try check(presets[1]).audio == nil)
  }

  @Test(arguments: [
    ("first", "\"deu\", \"eng\"", ["language == deu best", "language == eng best", "else best"]),
    ("all", "\"deu\", \"eng\"", ["language == deu", "language == eng", "else best"]),
    ("all", "\"any\"", ["all"]), ("first", "\"any\"", []), ("first", "", []), ("all", "", ["all"]),
    ("all", "\"zz9\", \"deu\"", ["language == deu", "else best"]),
  ])
  func `languages become rules for tracks`(behavior: String, list: String, rules: [String]) throws {
    let text = """
      {"PresetName": "L", "VideoEncoder": "x264", "AudioTrackSelectionBehavior": "\(behavior)",
       "AudioLanguageList": [\(list)], "SubtitleTrackSelectionBehavior": "\(behavior)",
       "SubtitleLanguageList": [\(list)], "AudioList": [{"AudioEncoder": "av_aac"}],
       "PictureCropMode": 3, "PictureTopCrop": 4, "PictureLeftCrop": 2}
      """
    let imported = try HandBrakeImport.presets(in: "[\(text)]", file: "x.json")[0]
    let preset = try check(imported)
    func words(_ rules: [Preset.TrackRule]) -> [String] {
      rules.map { rule in
        let words = [rule.condition?.text ?? "", rule.takesBest ? "best" : ""].filter {
          !$0.isEmpty
        }
        return (rule.isFallback ? "else " : "")
          + (words.isEmpty ? "all" : words.joined(separator: " "))
      }
    }
    #expect(words(preset.audio?.trackRules ?? []) == rules)
    #expect(preset.subtitles == .keep)
    let others = words(preset.subtitleRules)
    // Without a track of these languages there are no subtitles.
    #expect(others == (rules == ["all"] ? [] : rules.isEmpty ? ["best"] : rules.dropLast()))
    #expect(treatments(imported)["AudioLanguageList"] == (list.contains("zz9") ? .refused : .kept))
    #expect(
      preset.video?.filters == [
        .init(
          "crop",
          options: [
            PluginOption("w", "in_w-2"), PluginOption("h", "in_h-4"), PluginOption("x", "2"),
            PluginOption("y", "4"),
          ])
      ])
  }

  @Test(arguments: [
    ("medium", "", "3 2 2 3"), ("ultralight", "", "1 0.7 1 2"),
    (
      "custom",
      "y-spatial=4:cb-spatial=3:cr-spatial=3:y-temporal=2.5:cb-temporal=1:cr-temporal=1",
      "4 3 2.5 1"
    ), ("custom", "y-spatial=4:cb-spatial=3:cr-spatial=2:y-temporal=2:cb-temporal=1", ""),
    ("custom", "y-spatial=x", ""), ("unknown", "", ""),
  ])
  func `denoising becomes a filter`(preset: String, custom: String, values: String) throws {
    let text = """
      {"PresetName": "L", "VideoEncoder": "x264", "PictureDenoiseFilter": "hqdn3d",
       "PictureDenoisePreset": "\(preset)", "PictureDenoiseCustom": "\(custom)",
       "PictureSharpenFilter": "unsharp", "PictureSharpenPreset": "medium",
       "PictureSharpenTune": "fine"}
      """
    let imported = try HandBrakeImport.presets(in: "[\(text)]", file: "x.json")[0]
    let filters = try check(imported).video?.filters ?? []
    let names = ["luma_spatial", "chroma_spatial", "luma_tmp", "chroma_tmp"]
    let made = filters.first { $0.name == "hqdn3d" }.map { filter in
      names.compactMap { name in filter.options.first { $0.name == name }?.value }
    }
    #expect(made?.joined(separator: " ") ?? "" == values)
    #expect(treatments(imported)["PictureDenoiseFilter"] == (values.isEmpty ? .refused : .kept))
    let unsharp = try #require(filters.first { $0.name == "unsharp" })
    #expect(unsharp.options.contains(PluginOption("luma_amount", "0.25")))
    #expect(unsharp.options.contains(PluginOption("luma_msize_x", "5")))
  }

  @Test(arguments: [
    ("VP9", 1, 2, ImportedPreset.Treatment.kept, ImportedPreset.Treatment.unused),
    ("svt_av1", 1, 1, .refused, .refused), ("VP9", 2, 1, .unused, .unused),
    ("x264", 1, 2, .kept, .unused), ("x265", 1, 2, .kept, .unused),
  ])
  func `two passes stay where the encoder makes them`(
    encoder: String, rateType: Int, passes: Int, treatment: ImportedPreset.Treatment,
    turbo: ImportedPreset.Treatment
  ) throws {
    let text = """
      {"PresetName": "T", "VideoEncoder": "\(encoder)", "VideoQualityType": \(rateType),
       "VideoAvgBitrate": 900, "VideoQualitySlider": 30, "VideoMultiPass": true,
       "VideoTurboMultiPass": true, "FileFormat": "av_mkv"}
      """
    let imported = try HandBrakeImport.presets(in: "[\(text)]", file: "x.json")[0]
    #expect(try check(imported).video?.passes == passes)
    #expect(treatments(imported)["VideoMultiPass"] == treatment)
    #expect(treatments(imported)["VideoTurboMultiPass"] == turbo)
  }

  @Test func `keys that are not taken over are named`() throws {
    let preset = try HandBrakeImport.presets(in: Self.small, file: "x.json")[0]
    let found = treatments(preset)
    for key in ["PictureDenoiseFilter", "PictureDenoisePreset", "Zap", "AudioList[1].AudioEncoder"]
    {
      #expect(found[key] == .refused, "\(key)")
    }
    #expect(found["VideoQualitySlider"] == .kept)
    #expect(found["AudioCopyMask"] == .changed)
    #expect(found["PresetName"] == .changed)
  }

  @Test(arguments: [
    (String(repeating: "[", count: 100_000), "levels"), ("{\"a\": 1e999}", "not a number"),
    ("{\"a\": \"\\ud800\", \"a\": 1}", "twice"), ("", "a value is expected"), ("{}", "no preset"),
    ("[1, \"x\", null]", "no preset"), ("{} {}", "text follows"), ("{\"a\": \"", "does not end"),
  ])
  func `hostile files give one sentence`(text: String, words: String) throws {
    let error = try #require(throws: MediaError.self) {
      try HandBrakeImport.presets(in: text, file: "x.json")
    }
    #expect(error.description.contains(words))
    #expect(!error.description.contains("\n"))
    #expect(error.description.count < 200)
  }

  @Test(arguments: [
    "../../etc/x", "..", "", "/", "-rf", String(repeating: "é", count: 500), "a\nb",
  ])
  func `names are safe as names of files`(name: String) {
    let result = HandBrakeConverter.name(for: name)
    #expect(!result.isEmpty && result.utf8.count <= 200)
    #expect(!result.contains("/") && !result.hasPrefix(".") && !result.hasPrefix("-"))
  }

  @Test func `every key of a preset has one note`() throws {
    let document = try JSONReader.read(Self.small, file: "x.json")
    let source = try #require(document["PresetList"]?.elements.first?["ChildrenArray"]?.elements[0])
    var keys = source.members.map(\.name)
    for (index, entry) in (source["AudioList"]?.elements ?? []).enumerated() {
      keys += entry.members.map { "AudioList[\(index)].\($0.name)" }
    }
    let notes = try HandBrakeImport.presets(in: Self.small, file: "x.json")[0].notes.map(\.key)
    #expect(notes.sorted() == keys.sorted())
  }
}
