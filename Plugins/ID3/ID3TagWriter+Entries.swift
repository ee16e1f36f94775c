import RespoolMedia

extension ID3TagWriter {
  /// Adds a tag whose frame has more than text.
  mutating func add(_ entry: MetadataEntry) {
    let name = entry.name.lowercased()
    // Keys such as `POPM:somebody` have a second part, which may be empty.
    let front = String(entry.name.prefix { $0 != ":" })
    let rest = entry.name == front ? nil : String(entry.name.dropFirst(front.count + 1))
    switch front {
    case _ where name == "lyrics" || name.hasPrefix("lyrics-"):
      add("USLT", version.body([descriptor(of: entry), entry.value], prefix: language(of: entry)))
      if repeatsLyrics { add("TXXX", version.body(["lyrics", entry.value])) }
    case _ where name == "comment":
      add("COMM", version.body(["", entry.value], prefix: language(of: entry)))
    case "WXXX":
      add("WXXX", version.body(rest ?? "", rest: entry.value.utf8))
    case let key where rest == nil && key.hasPrefix("W") && key.utf8.count == 4:
      add(key, Array(entry.value.utf8))
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
      add("UFID", Array((rest ?? "").utf8) + [0] + Array(entry.value.utf8))
    case _ where Self.owners[entry.name] != nil:
      add("UFID", Array((Self.owners[entry.name] ?? "").utf8) + [0] + Array(entry.value.utf8))
    case _ where entry.name.hasPrefix(Self.privatePrefix):
      let owner = entry.name.dropFirst(Self.privatePrefix.count)
      add("PRIV", Array(owner.utf8) + [0] + Self.unescaped(entry.value))
    default:
      addCustom(entry)
    }
  }

  /// Owners of identifiers by the names under which other containers have them.
  private static let owners = Dictionary(
    ID3Names.identifiers.map { ($0.value, $0.key) }, uniquingKeysWith: { first, _ in first })

  /// Prefix of the names under which libavformat returns private frames, before their owner.
  private static let privatePrefix = "id3v2_priv."

  /// Returns the bytes of a private frame, most of which libavformat writes as `\x` and two digits.
  private static func unescaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      let digits = rest.dropFirst(2).prefix(2)
      if rest.starts(with: Array("\\x".utf8)), digits.count == 2,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(4)
      } else {
        bytes.append(byte)
        rest = rest.dropFirst()
      }
    }
    return bytes
  }

  private mutating func addCustom(_ entry: MetadataEntry) {
    // A comment with a description, by which it is named. English is not reported as its language.
    if isComment(entry) {
      let language = language(of: entry)
      let code = language == Self.undetermined ? Array("eng".utf8) : language
      return add("COMM", version.body([entry.name, entry.value], prefix: code))
    }
    let name = entry.name == "TXXX" ? "" : entry.name
    add("TXXX", version.body([name] + version.values(values[entry])))
  }

  /// Returns the content descriptor of lyrics (ID3 2.4.0 section 4.8), which is usually empty.
  private func descriptor(of entry: MetadataEntry) -> String {
    let tag = nativeTags.first { $0.value == entry.value && $0.key.hasPrefix("USLT:") }
    return tag.map { String($0.key.dropFirst(5)) } ?? ""
  }

  private func isComment(_ entry: MetadataEntry) -> Bool {
    nativeTags.contains {
      $0.keySpace == "org.id3" && $0.key == "COMM" && $0.name == entry.name
        && $0.value == entry.value
    }
  }

  private static let undetermined = Array("und".utf8)

  /// Returns three letters of ISO 639-2.
  ///
  /// `und` if the source has no language.
  private func language(of entry: MetadataEntry) -> [UInt8] {
    let tag = nativeTags.first {
      $0.language != nil && $0.value == entry.value
        && $0.name.lowercased() == entry.name.lowercased()
    }
    let primary = tag?.language?.prefix { $0 != "-" } ?? ""
    // Both codes of a language, such as ger and deu, are in use; that of the source stays.
    let code =
      primary.utf8.count == 3 ? String(primary) : LanguageCode(primary)?.bibliographic ?? ""
    return code.isEmpty ? Self.undetermined : Array(code.utf8)
  }
}
