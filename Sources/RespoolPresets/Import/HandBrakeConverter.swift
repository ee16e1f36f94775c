import RespoolHost
import RespoolMedia

/// Converter of one preset of HandBrake, which notes the treatment of each key.
///
/// Meanings of keys are those of libhb's `preset.c`.
struct HandBrakeConverter {
  typealias Note = ImportedPreset.Note
  typealias Treatment = ImportedPreset.Treatment

  let source: JSON
  private(set) var notes: [String: Note] = [:]
  /// Lines of the sections of the new preset, in order.
  var root: [(String, String)] = []
  var video: [(String, String)] = []
  var videoOptions: [(String, String)] = []
  var videoFilters: [String] = []
  var audio: [(String, String)] = []
  var audioOptions: [(String, String)] = []
  /// Rules that select tracks.
  var (audioRules, subtitleRules): ([String], [String]) = ([], [])
  /// Rules that select the subtitles to draw into frames.
  var burnRules: [String] = []

  init(_ source: JSON) { self.source = source }

  func text(_ key: String) -> String { source[key]?.string ?? "" }
  func number(_ key: String) -> Double? { source[key]?.double }
  func isTrue(_ key: String) -> Bool { source[key]?.isTrue ?? false }

  /// Notes the treatment of a key, if the preset has it.
  mutating func note(_ key: String, _ treatment: Treatment, _ text: String = "") {
    guard let value = source[key] else { return }
    note(key, value, treatment, text)
  }

  mutating func note(_ key: String, _ value: JSON, _ treatment: Treatment, _ text: String = "") {
    assert(notes[key] == nil, "\(key) is noted twice")
    notes[key] = Note(key: key, treatment: treatment, value: value.shortText, text: text)
  }

  /// Returns the preset; `unique` makes its name differ from others.
  mutating func converted(folders: [String], unique: (String) -> String) -> ImportedPreset {
    let original = text("PresetName")
    let name = unique(Self.name(for: original))
    note("PresetName", name == original ? .kept : .changed, "name: \(name)")
    let words = text("PresetDescription").split(whereSeparator: \.isWhitespace)
    let summary = String(words.joined(separator: " ").prefix(200))
    note(
      "PresetDescription", summary == text("PresetDescription") ? .kept : .changed, "summary")
    convertOutput()
    convertVideo()
    convertPicture()
    convertFilters()
    convertAudio()
    convertSubtitles()
    for (key, treatment) in HandBrakeKeys.fixed { note(key, treatment, "of HandBrake's window") }
    var list: [Note] = []
    for member in source.members {
      if member.name == "AudioList" {
        list += notes.values.filter { $0.key.hasPrefix("AudioList[") }.sorted { $0.key < $1.key }
      }
      list.append(
        notes[member.name]
          ?? Note(
            key: member.name, treatment: .refused, value: member.value.shortText,
            text: "the key is unknown"))
    }
    return ImportedPreset(
      name: name, folders: folders, text: document(name: name, summary: summary), notes: list)
  }

  /// Returns a name that a preset and its file may have: letters, digits, points and hyphens.
  static func name(for original: String) -> String {
    var name = ""
    for scalar in original.unicodeScalars.prefix(80) {
      let isKept =
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
        || "._+".unicodeScalars.contains(scalar)
      if isKept { name.unicodeScalars.append(scalar) } else if name.last != "-" { name += "-" }
    }
    while let last = name.last, "-.".contains(last) { name.removeLast() }
    name = String(name.drop { "-.".contains($0) })
    // A name of a file has at most 255 bytes.
    while name.utf8.count > 200 { name.removeLast() }
    return name.isEmpty ? "imported" : name
  }

  private func document(name: String, summary: String) -> String {
    var text = "# From a preset of HandBrake.\n"
    let all = [("name", name), ("summary", summary)] + root
    for (key, value) in all where !value.isEmpty {
      text += "\(key): \(PresetLibrary.scalar(value))\n"
    }
    text += Self.list("subtitles", subtitleRules, indent: "")
    text += Self.list("burn", burnRules, indent: "")
    text += section("video", video, videoOptions, list: ("filters", videoFilters))
    return text + section("audio", audio, audioOptions, list: ("tracks", audioRules))
  }

  private static func list(_ name: String, _ items: [String], indent: String) -> String {
    if items.isEmpty { return "" }
    return "\(indent)\(name):\n" + items.map { "\(indent)  - \($0)\n" }.joined()
  }

  private func section(
    _ name: String, _ values: [(String, String)], _ options: [(String, String)],
    list: (name: String, items: [String])
  ) -> String {
    if values.isEmpty { return "\(name): none\n" }
    var text = "\(name):\n"
    for (key, value) in values { text += "  \(key): \(PresetLibrary.scalar(value))\n" }
    text += Self.list(list.name, list.items, indent: "  ")
    if !options.isEmpty {
      text += "  options:\n"
      for (key, value) in options { text += "    \(key): \(PresetLibrary.scalar(value))\n" }
    }
    return text
  }
}
