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
    root.append(("subtitles", keeps ? "keep" : "drop"))
    note(
      "SubtitleTrackSelectionBehavior", behavior == "first" ? .changed : .kept,
      keeps ? "subtitles: keep, all of them" : "subtitles: drop")
    noteLanguages("SubtitleLanguageList", isUsed: keeps)
    let searches = isTrue("SubtitleAddForeignAudioSearch")
    for key in [
      "SubtitleAddCC", "SubtitleAddForeignAudioSearch", "SubtitleAddForeignAudioSubtitle",
    ] {
      note(key, isTrue(key) ? .refused : .kept, "no subtitles are searched for or added")
    }
    let burns = text("SubtitleBurnBehavior")
    let isBurning = !["", "none"].contains(burns) && (keeps || searches)
    note(
      "SubtitleBurnBehavior", isBurning ? .refused : burns == "none" ? .kept : .unused,
      "subtitles are not drawn into frames")
    for key in ["SubtitleBurnBDSub", "SubtitleBurnDVDSub"] {
      let isWanted = isTrue(key) && (keeps || searches)
      note(
        key, isWanted ? .refused : isTrue(key) ? .unused : .kept,
        "subtitles are not drawn into frames")
    }
  }

  mutating func noteLanguages(_ key: String, isUsed: Bool) {
    let names = (source[key]?.elements ?? []).compactMap(\.string)
    let isAny = names.allSatisfy { ["any", "und"].contains($0) }
    note(key, !isUsed ? .unused : isAny ? .kept : .refused, "tracks are not chosen by language")
  }
}
