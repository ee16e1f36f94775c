/// One key of a preset file.
///
/// The reader and the editors' schema both use this single definition.
struct PresetKey: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case text
    case choice([String])
    case flag
    /// A whole number within bounds.
    case integer(ClosedRange<Int>)
    /// A number within bounds.
    case number(ClosedRange<Double>)
    /// A number within bounds, or a word.
    case numberOrWord(ClosedRange<Double>, String)
    case bitRate
    case size
    case frameRate
    case pixelFormats
    case options
    /// A list of extensions of files, without a dot and in lower case.
    case extensions
    /// A list of names, or of mappings from a name to options.
    case filters
    /// A word, or a list of rules that select tracks.
    case trackRules([String])
    /// A list of mappings with these keys beside `if`.
    case variants([PresetKey])
    /// A number of bytes.
    case bytes
    /// A mapping with these keys, or `none`.
    case section([PresetKey])
  }

  var name: String
  var kind: Kind
  var help: String

  static let root: [PresetKey] =
    general + [
      PresetKey(
        name: "when", kind: .variants(variantKeys(of: general, without: fixed)),
        help: "Other settings for some files; the first whose condition holds is used")
    ]
  static let video = ofVideo + [variants(of: ofVideo)]
  static let audio = ofAudio + [variants(of: ofAudio)]

  /// Keys that do not depend on the source: they name the preset and its outputs, or select how files are opened.
  private static let fixed: Set<String> = [
    "name", "summary", "extends", "defaultFor", "relativeSize", "relativeSpeed", "container",
    "containerOptions", "decoder", "sidecars",
  ]

  /// Keys that an extended preset does not pass on: they name it, select it or describe its outputs.
  static let ownKeys: Set<String> = [
    "name", "summary", "extends", "defaultFor", "relativeSize", "relativeSpeed",
  ]

  private static func variants(of keys: [PresetKey]) -> PresetKey {
    // Tracks are selected before their settings are.
    PresetKey(
      name: "when", kind: .variants(variantKeys(of: keys, without: fixed.union(["tracks"]))),
      help: "Other settings for some tracks; the first whose condition holds is used")
  }

  private static func variantKeys(of keys: [PresetKey], without fixed: Set<String>) -> [PresetKey] {
    let condition = PresetKey(
      name: "if", kind: .text, help: "Condition, as for `respool batch --if`")
    return [condition]
      + keys.filter { !fixed.contains($0.name) }.map { key in
        guard case .section(let inner) = key.kind else { return key }
        var key = key
        key.kind = .section(inner.filter { !fixed.contains($0.name) })
        return key
      }
  }

  private static let general: [PresetKey] = [
    .init(name: "name", kind: .text, help: "Name for --preset; by default the file's name"),
    .init(name: "summary", kind: .text, help: "One line for `respool presets list`"),
    .init(
      name: "extends", kind: .text, help: "Preset that supplies the keys missing here"),
    .init(
      name: "container", kind: .text,
      help: "A muxer's name, alias or file extension: mp4, m4a, webm, mkv, ogg, wav"),
    .init(
      name: "defaultFor", kind: .extensions,
      help: "Extensions of output files that get this preset if none is named: [mkv, mka]"),
    .init(
      name: "relativeSize", kind: .number(Preset.ratios),
      help: "Measured size of outputs, for video as a part of that of web-1080p, else of aac-160k"),
    .init(
      name: "relativeSpeed", kind: .number(Preset.ratios),
      help: "Measured speed, as a multiple of that of web-1080p or aac-160k"),
    .init(
      name: "fileSizeLimit", kind: .bytes,
      help: "Greatest size of an output: 8M, 10MB; bit rates are lowered until it holds"),
    .init(name: "containerOptions", kind: .options, help: "Options of the muxer"),
    .init(name: "video", kind: .section(video), help: "Video settings; none drops video"),
    .init(name: "audio", kind: .section(audio), help: "Audio settings; none drops audio"),
    .init(
      name: "tracks", kind: .choice(Preset.TrackChoice.allCases.map(\.rawValue)),
      help: "best (default): one video and one audio track; all: every track"),
    .init(
      name: "subtitles", kind: .trackRules(Preset.Keeping.allCases.map(\.rawValue)),
      help: "keep (default), drop, or rules; kept if the container carries them or their text"),
    .init(
      name: "burn", kind: .trackRules([Preset.burnsNothing]),
      help: "Rules; the best track of the first that selects one is drawn into the frames: forced"),
    .init(
      name: "sidecars", kind: .choice(Preset.Sidecars.allCases.map(\.rawValue)),
      help: "attach (default): adds film.srt, film.en.forced.srt and so on to film.mkv; ignore"),
    .init(name: "metadata", kind: keeping, help: "Tags such as titles and dates"),
    .init(name: "chapters", kind: keeping, help: "Kept if the container carries them"),
    .init(name: "cover", kind: keeping, help: "Kept if the container carries it"),
  ]

  private static let ofVideo: [PresetKey] = [
    .init(name: "codec", kind: .text, help: "As FFmpeg spells it: h264, vp9"),
    encoder, decoder, trackRules,
    .init(
      name: "deinterlace", kind: .choice(Preset.Deinterlace.allCases.map(\.rawValue)),
      help: "auto (default): a frame for two fields; fields: for each field; never: keeps fields"),
    .init(
      name: "crop", kind: .choice(Preset.Crop.allCases.map(\.rawValue)),
      help: "auto: removes what is black in all frames; never (default): borders stay"),
    .init(name: "filters", kind: .filters, help: "In order, before scaling: [hqdn3d, deband]"),
    .init(
      name: "size", kind: .size, help: "Box for the frame; sides swap for upright frames"),
    .init(name: "upscale", kind: .flag, help: "Enlarges smaller frames (default: false)"),
    quality,
    .init(name: "bitrate", kind: .bitRate, help: "Bits a second: 2500k, 2.5M; or set quality"),
    .init(name: "frameRate", kind: .frameRate, help: "Maximum; lower and variable rates stay"),
    .init(
      name: "keyFrameInterval", kind: .number(Preset.Video.keyFrameIntervals),
      help: "Seconds; each interval begins with a key frame (by default the encoder decides)"),
    .init(
      name: "passes", kind: .integer(Preset.Video.numbersOfPasses),
      help: "2: frames are measured first, for better use of the bits (default: 1)"),
    .init(name: "pixelFormat", kind: .pixelFormats, help: "One, or a list to choose from"),
    options,
    .init(name: "passthrough", kind: passThrough, help: "When packets are copied (never)"),
  ]

  private static let ofAudio: [PresetKey] = [
    .init(name: "codec", kind: .text, help: "As FFmpeg spells it: aac, opus; pcm: of any depth"),
    encoder, decoder, trackRules,
    .init(name: "filters", kind: .filters, help: "In order, before resampling: [dynaudnorm]"),
    .init(
      name: "loudness",
      kind: .numberOrWord(Preset.Loudness.targets, Preset.Loudness.tagsWord),
      help: "LUFS of the output (EBU R 128): -16, -23; tags: measured for players, not changed"),
    .init(
      name: "truePeak", kind: .number(Preset.Loudness.truePeaks),
      help: "Greatest true peak after a change of loudness, before encoding, in dBTP (-1)"),
    quality,
    .init(
      name: "bitrate", kind: .bitRate,
      help:
        "Bits a second for stereo, or for as many channels as channels states: 160k; or set quality"
    ),
    .init(
      name: "sampleRate", kind: .integer(1000...768_000), help: "By default the source's"),
    .init(name: "channels", kind: .integer(1...64), help: "Maximum; more are mixed down"),
    options,
    .init(name: "passthrough", kind: passThrough, help: "When packets are copied (auto)"),
  ]

  private static let encoder = PresetKey(
    name: "encoder", kind: .text,
    help: "name or Plugin/name; by default the best-ranked installed encoder")
  private static let decoder = PresetKey(
    name: "decoder", kind: .text,
    help: "name or Plugin/name that comes before others; by default the best-ranked")
  private static let trackRules = PresetKey(
    name: "tracks", kind: .trackRules(Preset.TrackChoice.allCases.map(\.rawValue)),
    help: "all, best, or rules: [language == \"eng\" and not commentary, else: best]")
  private static let quality = PresetKey(
    name: "quality", kind: .number(0...255), help: "On the codec's own scale; or set bitrate")
  private static let options = PresetKey(
    name: "options", kind: .options, help: "Options of the encoder")

  private static let keeping = Kind.choice(Preset.Keeping.allCases.map(\.rawValue))
  private static let passThrough = Kind.choice(Preset.PassThrough.allCases.map(\.rawValue))
}
