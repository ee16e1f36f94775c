import RespoolMedia
import RespoolHost

extension HandBrakeConverter {
  /// Converts container, chapters, tags and keys that Respool does not have.
  mutating func convertOutput() {
    let format = text("FileFormat")
    let containers = [
      "av_mp4": "mp4", "mp4": "mp4", "m4v": "mp4", "av_mkv": "mkv", "mkv": "mkv",
      "av_webm": "webm", "webm": "webm", "av_mov": "mov", "mov": "mov",
    ]
    let container = containers[format] ?? "mkv"
    root.append(("container", container))
    note("FileFormat", containers[format] == nil ? .changed : .kept, "container: \(container)")
    for (key, result) in [
      ("ChapterMarkers", "chapters"), ("MetadataPassthrough", "metadata"),
      ("MetadataPassthru", "metadata"), ("MetadataPassThru", "metadata"),
    ] where source[key] != nil {
      let word = isTrue(key) ? "keep" : "drop"
      if !root.contains(where: { $0.0 == result }) { root.append((result, word)) }
      note(key, .kept, "\(result): \(word)")
    }
    for key in ["Mp4HttpOptimize", "Optimize"] {
      let isFirst = isTrue(key)
      note(
        key, container == "mkv" || container == "webm" ? .unused : isFirst ? .kept : .changed,
        isFirst ? "the movie box comes first" : "the movie box comes first all the same")
    }
    for (key, neutral, text) in HandBrakeKeys.absent {
      guard let value = source[key] else { continue }
      let isNeutral = neutral.contains(value.string ?? value.compactText)
      note(key, isNeutral ? .kept : .refused, text)
    }
  }

  /// Converts subtitle tracks.
  mutating func convertSubtitles() {
    let behavior = text("SubtitleTrackSelectionBehavior")
    let keeps = behavior == "all" || behavior == "first"
    let (rules, unknown) = trackRules("SubtitleLanguageList", isFirst: behavior == "first")
    if !keeps || rules.isEmpty { root.append(("subtitles", keeps ? "keep" : "drop")) }
    if keeps { subtitleRules = rules }
    note(
      "SubtitleTrackSelectionBehavior", .kept,
      !keeps ? "subtitles: drop" : rules.isEmpty ? "subtitles: keep" : "rules of subtitles")
    noteLanguages("SubtitleLanguageList", isUsed: keeps, unknown)
    for key in [
      "SubtitleAddCC", "SubtitleAddForeignAudioSearch", "SubtitleAddForeignAudioSubtitle",
    ] {
      note(key, isTrue(key) ? .refused : .kept, "no subtitles are searched for or added")
    }
    convertBurning(keeps ? rules.isEmpty ? ["best"] : rules : [])
  }

  /// Converts the keys of subtitles that are drawn into frames; `rules` select those that the preset adds.
  private mutating func convertBurning(_ rules: [String]) {
    // HandBrake finds foreign dialogue by what a scan of the film shows.
    let searches = isTrue("SubtitleAddForeignAudioSearch")
    let behavior = text("SubtitleBurnBehavior")
    let forced = behavior.hasPrefix("foreign") && searches
    let first = behavior == "first" || behavior == "foreign_first"
    if forced { burnRules.append("forced") }
    if first { burnRules += rules }
    let isUsed = forced || first && !rules.isEmpty
    note(
      "SubtitleBurnBehavior",
      isUsed ? forced ? .changed : .kept : ["", "none"].contains(behavior) ? .kept : .unused,
      forced ? "burn: forced tracks, instead of a search for foreign dialogue" : "burn: rules")
    // They are drawn where the container cannot carry them.
    let container = root.first { $0.0 == "container" }?.1
    for (key, codec) in [
      ("SubtitleBurnBDSub", "hdmv_pgs_subtitle"), ("SubtitleBurnDVDSub", "dvd_subtitle"),
    ] {
      let isWanted = isTrue(key) && !rules.isEmpty
      if isWanted, container != "mkv", !first {
        burnRules.append("codec == \"\(codec)\"")
      }
      note(key, isWanted || !isTrue(key) ? .kept : .unused, "burn: rules")
    }
  }

  /// Returns rules for the tracks of the languages in a list, and the languages that are no codes.
  ///
  /// `isFirst` is `true` if only one track of each language is selected. There are no rules if all tracks of all
  /// languages are.
  func trackRules(_ key: String, isFirst: Bool) -> (rules: [String], unknown: [String]) {
    let names = (source[key]?.elements ?? []).compactMap(\.string)
    if names.allSatisfy(Self.isAny) { return (isFirst ? ["best"] : [], []) }
    var (rules, unknown): ([String], [String]) = ([], [])
    for name in names {
      if Self.isAny(name) {
        rules.append(isFirst ? "best" : "all")
      } else if LanguageCode(name) != nil {
        rules.append(isFirst ? "best: language == \(name)" : "language == \(name)")
      } else {
        unknown.append(name)
      }
    }
    return (rules, unknown)
  }

  private static func isAny(_ language: String) -> Bool { ["any", "und"].contains(language) }

  mutating func noteLanguages(_ key: String, isUsed: Bool, _ unknown: [String]) {
    note(
      key, !isUsed ? .unused : unknown.isEmpty ? .kept : .refused,
      unknown.isEmpty
        ? "rules for tracks" : "no code of a language: \(unknown.joined(separator: ", "))")
  }
}
