import RespoolMedia

/// A reader that makes a ``Preset`` of a tree and finds all its problems.
struct PresetReader {
  var problems: [PresetProblem]
  let available: AvailablePlugins?
  let path: String
  let ancestors: [String]
  /// `false` if keys may be missing only because an extended preset could not be read.
  let isWhole: Bool

  mutating func report(_ place: PresetNode.Place, _ message: String, _ advice: String) {
    let problem = PresetProblem(
      file: place.file, line: place.line, column: place.column, message: message, advice: advice)
    if !problems.contains(problem) { problems.append(problem) }
  }

  /// Returns the preset.
  ///
  /// Its values are meaningful only if no problem was found.
  mutating func preset(from node: PresetNode) -> Preset {
    checkKeys(of: node, PresetKey.root, section: nil)
    var preset = settings(from: node)
    preset.variants = variants(in: node, of: nil) { reader, node in
      var settings = reader.settings(from: node)
      (settings.path, settings.ancestors) = (nil, [])
      return settings
    }
    return preset
  }

  /// Returns the settings of a preset, or of a variant of one, without other variants for files.
  private mutating func settings(from node: PresetNode) -> Preset {
    let name = text("name", in: node) ?? PresetFile.stem(of: path)
    if let entry = node["name"], !Self.isName(name) {
      report(
        entry.value.place, "name is \"\(name)\"",
        "use letters, digits, spaces and . _ - + (no point first), such as web-720p")
    }
    var preset = Preset(name: name, container: named("container", in: node) ?? "")
    preset.summary = text("summary", in: node) ?? ""
    preset.defaultFor = extensions("defaultFor", in: node)
    preset.path = path
    preset.ancestors = ancestors
    _ = text("extends", in: node)
    preset.containerOptions = options("containerOptions", in: node)
    preset.relativeSize = number("relativeSize", in: node, within: Preset.ratios)
    preset.relativeSpeed = number("relativeSpeed", in: node, within: Preset.ratios)
    preset.fileSizeLimit = bytes("fileSizeLimit", in: node, within: Preset.fileSizes)
    if node["container"] == nil, isWhole {
      report(node.place, "container is missing", "add one, such as container: mp4")
    }
    preset.video = section("video", in: node).map { video(from: $0) }
    preset.audio = section("audio", in: node).map { audio(from: $0) }
    if node["subtitles"] != nil {
      // They may be all that the preset makes.
    } else if node["video"] == nil, node["audio"] == nil {
      guard isWhole else { return preset }
      report(node.place, "there is neither video nor audio", "add one of the two, or subtitles")
    } else if preset.video == nil, preset.audio == nil, node["video"]?.value.text == "none",
      node["audio"]?.value.text == "none", let entry = node["audio"]
    {
      report(entry.value.place, "video and audio are both none", "make at least one of the two")
    }
    preset.tracks =
      choice(
        "tracks", in: node, or: "; rules belong to video or audio: audio: {tracks: [\u{2026}]}")
      ?? .best
    (preset.subtitleRules, preset.subtitles) = trackRules(
      "subtitles", in: node, of: .subtitle, .keep)
    preset.burn = burn(in: node, preset)
    preset.sidecars = choice("sidecars", in: node) ?? .attach
    preset.metadata = choice("metadata", in: node) ?? .keep
    preset.chapters = choice("chapters", in: node) ?? .keep
    preset.cover = choice("cover", in: node) ?? .keep
    checkPlugins(of: preset, node)
    for section in ["video", "audio"] { checkVariants(of: section, of: preset, node) }
    return preset
  }

  private static func isName(_ name: String) -> Bool {
    !name.isEmpty && !name.hasPrefix(".")
      && name.unicodeScalars.allSatisfy {
        $0.properties.isAlphabetic || $0.properties.numericType != nil
          || "._-+ ".contains(Character($0))
      }
  }

  private mutating func video(from node: PresetNode) -> Preset.Video {
    checkKeys(of: node, PresetKey.video, section: "video")
    var video = videoSettings(from: node)
    video.variants = variants(in: node, of: .video) { $0.videoSettings(from: $1) }
    return video
  }

  mutating func videoSettings(from node: PresetNode) -> Preset.Video {
    var video = Preset.Video()
    video.trackRules = trackRules("tracks", in: node, of: .video)
    video.codec = named("codec", in: node, of: "video") ?? ""
    video.encoder = named("encoder", in: node)
    video.decoder = named("decoder", in: node)
    video.deinterlace = choice("deinterlace", in: node) ?? .auto
    video.crop = choice("crop", in: node) ?? .never
    video.filters = filters("filters", in: node)
    video.size = size("size", in: node)
    video.upscale = flag("upscale", in: node) ?? false
    video.quality = number("quality", in: node, within: 0...255)
    video.bitRate = bitRate("bitrate", in: node)
    video.frameRate = frameRate("frameRate", in: node)
    video.keyFrameInterval = number(
      "keyFrameInterval", in: node, within: Preset.Video.keyFrameIntervals)
    video.passes = integer("passes", in: node, within: Preset.Video.numbersOfPasses) ?? 1
    video.pixelFormats = pixelFormats("pixelFormat", in: node)
    video.options = options("options", in: node)
    video.passThrough = choice("passthrough", in: node) ?? .never
    checkDecisions(node, "video", isOnly: video.passThrough == .only)
    if video.upscale, node["size"] == nil, let entry = node["upscale"] {
      report(entry.keyPlace, "upscale needs a size", "add size, such as size: 1280x720")
    }
    return video
  }

  private mutating func audio(from node: PresetNode) -> Preset.Audio {
    checkKeys(of: node, PresetKey.audio, section: "audio")
    var audio = audioSettings(from: node)
    audio.variants = variants(in: node, of: .audio) { $0.audioSettings(from: $1) }
    return audio
  }

  mutating func audioSettings(from node: PresetNode) -> Preset.Audio {
    var audio = Preset.Audio()
    audio.trackRules = trackRules("tracks", in: node, of: .audio)
    audio.codec = named("codec", in: node, of: "audio") ?? ""
    audio.encoder = named("encoder", in: node)
    audio.decoder = named("decoder", in: node)
    audio.filters = filters("filters", in: node)
    audio.loudness = loudness("loudness", in: node)
    audio.truePeak = number("truePeak", in: node, within: Preset.Loudness.truePeaks) ?? -1
    audio.quality = number("quality", in: node, within: 0...255)
    audio.bitRate = bitRate("bitrate", in: node)
    audio.sampleRate = integer("sampleRate", in: node, within: 1000...768_000)
    audio.channels = integer("channels", in: node, within: 1...64)
    audio.options = options("options", in: node)
    audio.passThrough = choice("passthrough", in: node) ?? .auto
    checkDecisions(node, "audio", isOnly: audio.passThrough == .only)
    checkLoudness(audio, node)
    return audio
  }

  private mutating func checkLoudness(_ audio: Preset.Audio, _ node: PresetNode) {
    if case .target = audio.loudness {
      if audio.passThrough == .only, let entry = node["loudness"] {
        report(
          entry.keyPlace, "audio has loudness and passthrough: only",
          "a change of loudness needs encoding: remove one of the two, or write loudness: tags")
      }
    } else if let entry = node["truePeak"], isWhole {
      report(
        entry.keyPlace, "truePeak needs a loudness in LUFS", "add one, such as loudness: -16")
    }
  }

  private mutating func checkDecisions(_ node: PresetNode, _ name: String, isOnly: Bool) {
    if let quality = node["quality"], let bitrate = node["bitrate"] {
      let later =
        (quality.keyPlace.line, quality.keyPlace.column)
          > (bitrate.keyPlace.line, bitrate.keyPlace.column) ? quality : bitrate
      report(later.keyPlace, "\(name) has both quality and bitrate", "keep one of the two")
    }
    if isOnly, let entry = node["filters"], entry.value.content != .sequence([]) {
      report(
        entry.keyPlace, "\(name) has filters and passthrough: only",
        "filters need encoding: remove one of the two")
    }
    if node["codec"] == nil, !isOnly, isWhole {
      report(
        node.place, "\(name) has no codec",
        "add one, such as codec: \(name == "video" ? "h264" : "aac"), or passthrough: only")
    }
  }

  /// Checks that every key is known in its section.
  mutating func checkKeys(of node: PresetNode, _ keys: [PresetKey], section: String?) {
    let names = keys.map(\.name)
    for entry in node.entries where !names.contains(entry.key) {
      let place = section.map { "in \($0)" } ?? "at the top level"
      let elsewhere: String? =
        if section != "video", PresetKey.video.contains(where: { $0.name == entry.key }) {
          "video"
        } else if section != "audio", PresetKey.audio.contains(where: { $0.name == entry.key }) {
          "audio"
        } else if section != nil, PresetKey.root.contains(where: { $0.name == entry.key }) {
          "the top level"
        } else {
          nil
        }
      report(
        entry.keyPlace, "unknown key \(entry.key) \(place)",
        elsewhere.map { "it belongs to \($0)" } ?? Self.adviceOnKey(entry.key)
          ?? Spelling.advice(for: entry.key, among: names, kind: "a key"))
    }
  }
}
