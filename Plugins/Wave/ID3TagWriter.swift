import RespoolPlugin

/// A writer of the ID3v2 tag of a wave file (ID3 2.4.0), in UTF-8.
struct ID3TagWriter {
  private let media: MediaDescription
  private let values: TagValues
  private var frames: [UInt8] = []

  init(_ media: MediaDescription) { (self.media, values) = (media, TagValues(media)) }

  /// Returns `true` for a tag that neither an `INFO` list nor a `bext` chunk can store.
  static func isNeeded(for entry: MetadataEntry) -> Bool {
    isWritten(entry) && !InfoList.holds(entry.name)
  }

  /// Returns `true` if tags have several values or a language, which an `INFO` list cannot store.
  static func saysMoreThanAList(_ media: MediaDescription) -> Bool {
    let (entries, values) = (media.metadata.filter(isWritten), TagValues(media))
    let names = Set(entries.map { $0.name.lowercased() })
    return names.count < entries.count || entries.contains { values[$0].count > 1 }
      || media.nativeTags.contains { $0.language != nil }
  }

  private static func isWritten(_ entry: MetadataEntry) -> Bool {
    let name = entry.name.lowercased()
    return !entry.value.isEmpty && !entry.describesSourceFile && !ofWriter.contains(name)
      && !BroadcastExtension.holds(name)
  }

  /// Returns a tag with these entries and with frames that are written unchanged.
  ///
  /// `nil` if it would be empty.
  mutating func bytes(_ metadata: [MetadataEntry], _ others: [ID3Frame]) -> [UInt8]? {
    frames = []
    var texts: [(frame: String, values: [String])] = []
    var musicians: [String] = []
    for entry in metadata where Self.isWritten(entry) {
      // Version 2.4 has one frame per name, with all values.
      if let key = Self.textFrame(for: entry.name) {
        // Musicians with their instruments have a frame of their own.
        let parts = values[entry].map { ($0, instrument(of: $0, entry.name)) }
        musicians += parts.flatMap { value, part in
          part.map { [$0, String(value.dropLast($0.isEmpty ? 0 : $0.count + 3))] } ?? []
        }
        let plain = parts.filter { $0.1 == nil }.map(\.0)
        if let index = texts.firstIndex(where: { $0.frame == key }) {
          texts[index].values += plain
        } else if !plain.isEmpty {
          texts.append((key, plain))
        }
      } else {
        add(entry)
      }
    }
    if !musicians.isEmpty { texts.append(("TMCL", musicians)) }
    for (key, values) in texts { add(key, [3] + Array(values.joined(separator: "\0").utf8)) }
    for frame in others where !frame.isCoded && frame.name != "CHAP" {
      frames += frame.bytes ?? []
    }
    guard !frames.isEmpty else { return nil }
    return Array("ID3".utf8) + [4, 0, 0] + ID3Frame.syncSafe(frames.count) + frames
  }

  /// Tags that describe the source file, not its content.
  private static let ofWriter: Set<String> = ["encoder", "creation_time"]

  /// The text frames by FFmpeg's names.
  private static let textFrames: [String: String] = {
    var frames: [String: String] = [:]
    for (frame, name) in ID3Names.entries where frame != "TYER" { frames[name] = frame }
    return frames
  }()

  private static func textFrame(for name: String) -> String? {
    if let known = textFrames[name.lowercased()] { return known }
    // Frames that were unknown when read are written under their original names.
    let letters = Array(name.utf8)
    let isName =
      letters.count == 4 && letters[0] == UInt8(ascii: "T") && name != "TXXX"
      && letters.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
    return isName && !["TIPL", "TMCL"].contains(name) ? name : nil
  }

  /// Adds a tag whose frame has more than text.
  private mutating func add(_ entry: MetadataEntry) {
    let name = entry.name.lowercased()
    let text = Array(entry.value.utf8)
    // Keys such as `POPM:somebody` have a second part, which may be empty.
    let front = String(entry.name.prefix { $0 != ":" })
    let rest = entry.name == front ? nil : String(entry.name.dropFirst(front.count + 1))
    switch front {
    case _ where name == "lyrics" || name.hasPrefix("lyrics-"):
      add("USLT", [3] + language(of: entry) + Array(descriptor(of: entry).utf8) + [0] + text)
      // FFmpeg finds the lyrics under this name.
      add("TXXX", [3] + Array("lyrics".utf8) + [0] + text)
    case _ where name == "comment":
      add("COMM", [3] + language(of: entry) + [0] + text)
    case "WXXX":
      add("WXXX", [3] + Array((rest ?? "").utf8) + [0] + text)
    case let key where rest == nil && key.hasPrefix("W") && key.utf8.count == 4:
      add(key, text)
    case "POPM" where rest != nil:
      let numbers = entry.value.split(separator: "/").map { UInt32($0) }
      guard let rating = numbers.first?.flatMap({ UInt8(exactly: $0) }), numbers.count < 3 else {
        return addCustom(entry)
      }
      let count = numbers.count > 1 ? numbers[1] ?? 0 : 0
      add("POPM", Array((rest ?? "").utf8) + [0, rating] + count.bigEndianBytes)
    case "PCNT" where rest == nil:
      guard let count = UInt32(entry.value) else { return addCustom(entry) }
      add("PCNT", count.bigEndianBytes)
    case "UFID" where rest?.isEmpty == false:
      add("UFID", Array((rest ?? "").utf8) + [0] + text)
    default:
      addCustom(entry)
    }
  }

  private mutating func addCustom(_ entry: MetadataEntry) {
    let language = language(of: entry)
    // A comment with a description, by which it is named.
    if language != Self.undetermined, isComment(entry) {
      let text = Array(entry.name.utf8) + [0] + Array(entry.value.utf8)
      return add("COMM", [3] + language + text)
    }
    let value = values[entry].joined(separator: "\0")
    let name = entry.name == "TXXX" ? "" : entry.name
    add("TXXX", [3] + Array(name.utf8) + [0] + Array(value.utf8))
  }

  /// Returns the content descriptor of lyrics (ID3 2.4.0 section 4.8), which is usually empty.
  private func descriptor(of entry: MetadataEntry) -> String {
    let tag = media.nativeTags.first { $0.value == entry.value && $0.key.hasPrefix("USLT:") }
    return tag.map { String($0.key.dropFirst(5)) } ?? ""
  }

  private mutating func add(_ name: String, _ body: [UInt8]) {
    frames += ID3Frame(name, body).bytes ?? []
  }

  private func isComment(_ entry: MetadataEntry) -> Bool {
    media.nativeTags.contains {
      $0.keySpace == "org.id3" && $0.key == "COMM" && $0.name == entry.name
        && $0.value == entry.value
    }
  }

  private static let undetermined = Array("und".utf8)

  /// Returns the instrument at the end of a musician's value.
  ///
  /// `nil` for other values.
  private func instrument(of value: String, _ name: String) -> String? {
    guard name.lowercased() == "performer" else { return nil }
    let tag = media.nativeTags.first { $0.value == value && $0.key.hasPrefix("TMCL:") }
    return tag.map { String($0.key.dropFirst(5)) }
  }

  /// Returns three letters of ISO 639-2.
  ///
  /// `und` if the source has no language.
  private func language(of entry: MetadataEntry) -> [UInt8] {
    let tag = media.nativeTags.first {
      $0.language != nil && $0.value == entry.value
        && $0.name.lowercased() == entry.name.lowercased()
    }
    let primary = tag?.language?.prefix { $0 != "-" } ?? ""
    let code = LanguageCode(primary)?.bibliographic ?? (primary.utf8.count == 3 ? "\(primary)" : "")
    return code.isEmpty ? Self.undetermined : Array(code.utf8)
  }
}
