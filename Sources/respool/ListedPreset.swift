import Respool
import RespoolMedia
import RespoolPresets

/// A preset in a list, with the reason why it cannot be used.
struct ListedPreset {
  let entry: PresetLibrary.Entry
  /// `nil` if the file is not valid.
  let preset: Preset?
  /// First problem of the file.
  let problem: String?
  /// First setting of a valid file that the installed plugins cannot do.
  let missing: String?

  init(_ entry: PresetLibrary.Entry, in library: PresetLibrary, _ available: AvailablePlugins) {
    self.entry = entry
    var (preset, problem, missing): (Preset?, String?, String?) = (nil, nil, nil)
    do throws(MediaError) {
      let check = try library.check(entry.path)
      (preset, problem) = (check.preset, check.problems.first?.description)
      if problem == nil {
        let unusable = try library.check(entry.path, available: available).problems.first
        missing = unusable.map { "\($0.message); \($0.advice)" }
      }
    } catch { problem = error.description }
    (self.preset, self.problem, self.missing) = (preset, problem, missing)
  }

  /// Text after the name: the summary, or the reason why the preset is not used.
  var text: String {
    if let other = entry.shadowedBy { return "(not used: \(other) has precedence)" }
    if let problem { return "(not valid: \(problem))" }
    if let missing { return "(cannot be used: \(missing))" }
    let summary = entry.summary + (ratios.map { "; \($0)" } ?? "")
    return switch entry.origin {
    case .user: "\(summary) (yours: \(entry.path))"
    case .plugin: "\(summary) (of a plugin: \(entry.path))"
    case .shared, .installed: summary
    }
  }

  /// Measured size and speed in words; `nil` if the preset states neither.
  private var ratios: String? {
    let texts = [("size", preset?.relativeSize), ("speed", preset?.relativeSpeed)].compactMap {
      name, ratio in ratio.map { "\(name) \($0.decimalText)" }
    }
    return texts.isEmpty ? nil : texts.joined(separator: ", ")
  }

  var json: JSON {
    .object([
      "name": .string(entry.name), "summary": .string(entry.summary), "path": .string(entry.path),
      "group": entry.group.map { .string($0) },
      "relativeSize": preset?.relativeSize.map { .number($0) },
      "relativeSpeed": preset?.relativeSpeed.map { .number($0) },
      "container": preset.map { .string($0.container) },
      "video": preset?.video.map { .string($0.codec) },
      "audio": preset?.audio.map { .string($0.codec) },
      "problem": problem.map { .string($0) }, "missing": missing.map { .string($0) },
    ])
  }
}

/// Conditions that all presets of a list meet.
struct PresetSelection {
  /// Texts that each occur in the name, the summary or the group; case does not matter.
  var words: [String] = []
  /// Codec of video or audio.
  var codec: String?
  /// Name of a container or file extension.
  var container: String?

  func contains(_ listed: ListedPreset, _ available: AvailablePlugins) -> Bool {
    let entry = listed.entry
    let text = "\(entry.name) \(entry.summary) \(entry.group ?? "")".lowercased()
    guard words.allSatisfy({ text.contains($0.lowercased()) }) else { return false }
    if let codec = codec?.lowercased() {
      let own = listed.preset.map { $0.allVideo.map(\.codec) + $0.allAudio.map(\.codec) } ?? []
      let wanted = Self.otherNames[codec] ?? codec
      let isPCM = wanted.hasPrefix("pcm_") && own.contains("pcm")
      guard own.contains(wanted) || isPCM else { return false }
    }
    guard let container = container?.lowercased() else { return true }
    let wanted = container.hasPrefix(".") ? String(container.dropFirst()) : container
    guard let own = listed.preset?.container else { return false }
    if own == wanted { return true }
    guard let muxer = available.muxer(named: wanted) else { return false }
    return available.muxer(named: own) == muxer
  }

  /// Usual names of codecs, with those in presets.
  private static let otherNames = [
    "h265": "hevc", "h.265": "hevc", "x265": "hevc", "avc": "h264", "h.264": "h264",
    "x264": "h264", "jpeg": "mjpeg", "jpg": "mjpeg", "avif": "av1", "heic": "hevc",
    "wav": "pcm",
  ]

  /// Description of the conditions for a message.
  var text: String {
    var parts = words.map { "\"\($0)\"" }
    if let codec { parts.append("codec \(codec)") }
    if let container { parts.append("container \(container)") }
    return parts.joined(separator: ", ")
  }
}
