/// Words that other programs take, and what to write in a preset instead.
extension PresetReader {
  /// Words that request the best choice, or no change.
  private static let choosing = ["auto", "automatic", "default", "best"]
  private static let keeping = ["copy", "same", "source", "original", "keep", "passthrough"]
  private static let dropping = ["none", "no", "off", "false"]

  /// Returns the name of a codec, a container, an encoder or a decoder.
  ///
  /// Reports a word that names none of them, and returns `nil`. `section` is `video` or `audio`.
  mutating func named(_ key: String, in node: PresetNode, of section: String? = nil) -> String? {
    guard let text = text(key, in: node), let entry = node[key] else { return nil }
    guard let advice = Self.adviceOnWord(text, as: key, of: section) else { return text }
    report(entry.value.place, "\(key) is \"\(text)\"", advice)
    return nil
  }

  /// Reports a value that is not one of those that the key takes.
  mutating func reportValue(of entry: PresetNode.Entry, _ text: String, expecting what: String) {
    report(
      entry.value.place, "\(entry.key) is \"\(text)\"",
      Self.adviceOnWord(text, as: entry.key) ?? "it takes \(what)")
  }

  /// Returns what to write instead of a word that other programs take as a value of the key; `nil` if `text` is not
  /// such a word.
  static func adviceOnWord(_ text: String, as key: String, of section: String? = nil) -> String? {
    let word = text.lowercased()
    let isChoice = choosing.contains(word)
    let isCopy = keeping.contains(word)
    let isDrop = dropping.contains(word)
    guard isChoice || isCopy || isDrop else { return nil }
    switch key {
    case "codec":
      let section = section ?? "video"
      let example = "codec: \(section == "video" ? "h264" : "aac")"
      if isDrop { return "write \(section): none to drop \(section)" }
      if isCopy {
        return
          "write passthrough: only instead of codec to copy \(section), or passthrough: any beside a codec "
          + "for tracks that the container does not carry"
      }
      return "name a codec, such as \(example); passthrough: auto copies tracks that have it"
    case "video", "audio":
      if isDrop { return "write \(key): none" }
      if isCopy { return "write \(key): {passthrough: only} to copy \(key)" }
      return "write a mapping, such as \(key): {codec: \(key == "video" ? "h264" : "aac")}"
    case "container":
      return "name one, such as mp4, mkv or wav: a preset has one container for all files"
    case "encoder", "decoder": return "remove \(key): the best-ranked one is used without it"
    case "sampleRate", "channels", "size", "frameRate", "pixelFormat":
      return "remove \(key): without it, that of the source is kept if the encoder takes it"
    default: return "remove \(key): the encoder decides without it"
    }
  }

  /// Returns what to write instead of a key that other programs have; `nil` if it is not such a key.
  static func adviceOnKey(_ key: String) -> String? {
    switch key.lowercased() {
    case "preset":
      "write extends to begin with another preset; a preset of the encoder belongs to options in video"
    case "crf", "qp", "cq": "write quality"
    case "copy": "write passthrough: only"
    case "format", "muxer": "write container"
    case "fps": "write frameRate"
    case "gop", "keyint": "write keyFrameInterval, in seconds"
    case "pass", "twopass", "2pass", "multipass": "write passes: 2"
    default: nil
    }
  }
}
