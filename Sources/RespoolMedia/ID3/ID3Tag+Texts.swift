extension ID3Tag {
  /// The texts of the tag under FFmpeg's names, and the numbers and links that can be written as text.
  ///
  /// A frame with several values gives one text for each.
  public var texts: [NativeTag] {
    var texts = ID3Texts()
    let date = date
    let hasDate = frames.contains { $0.name == "TDRC" }
    for frame in frames where !frame.isCoded {
      if ["TYER", "TDAT", "TIME"].contains(frame.name), let date {
        // Three frames of version 2.3 store the parts of one date in 2.4.
        if frame.name == "TYER" { texts.add("TYER", "date", date) }
      } else {
        texts.add(frame, hasDate: hasDate)
      }
    }
    return texts.tags
  }

  /// The date of version 2.3 in the form of 2.4, but with a space before the time, as FFmpeg writes it.
  ///
  /// `nil` if there is no year.
  private var date: String? {
    func digits(_ name: String) -> String? {
      guard let frame = frames.first(where: { $0.name == name && !$0.isCoded }) else { return nil }
      var text = ID3Text(frame.body)
      let value = text.next()
      let isNumber = value.utf8.count == 4 && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
      return isNumber ? value : nil
    }
    guard let year = digits("TYER") else { return nil }
    guard let day = digits("TDAT") else { return year }
    let date = "\(year)-\(day.suffix(2))-\(day.prefix(2))"
    return digits("TIME").map { "\(date) \($0.prefix(2)):\($0.suffix(2))" } ?? date
  }

  /// Frames that are not represented by ``texts``, ``pictures`` or ``chapters``.
  ///
  /// Frames that describe the bytes of their file are left out.
  public var others: [ID3Frame] {
    frames.filter { frame in
      if Self.namesAboutFile.contains(frame.name) { return false }
      if frame.isCoded { return true }
      switch frame.name {
      // A link to a picture is not the picture.
      case "APIC":
        var text = ID3Text(frame.body)
        return text.plain() == "-->"
      case "CHAP": return containsMoreThanTitle(frame)
      // The start time of a segment in HTTP Live Streaming (RFC 8216 3.4).
      case "PRIV": return !frame.body.starts(with: Array("com.apple.streaming".utf8))
      // The order of its chapters is nearly always that of their times.
      case "CTOC": return containsFrames(frame)
      default:
        var texts = ID3Texts()
        return !texts.add(frame, hasDate: false)
      }
    }
  }

  /// Frames with offsets, sizes and lengths of the file.
  private static let namesAboutFile: Set<String> = ["MLLT", "ASPI", "SEEK", "RBUF", "TLEN", "TSIZ"]
}

/// Collects what frames say as text.
private struct ID3Texts {
  private(set) var tags: [NativeTag] = []
  private var known: Set<MetadataEntry> = []

  /// More texts than this are an attack, not a tag.
  private static let limit = 4096

  private mutating func addAll(_ key: String, _ name: String, _ values: [String]) {
    for value in values { add(key, name, value) }
  }

  mutating func add(_ key: String, _ name: String, _ value: String, language: String? = nil) {
    guard !name.isEmpty, !value.isEmpty, tags.count < Self.limit,
      known.insert(MetadataEntry(name, value)).inserted
    else { return }
    tags.append(
      NativeTag(keySpace: "org.id3", key: key, name: name, value: value, language: language))
  }

  /// Adds the texts of a frame; returns `false` if the frame cannot be written as text.
  @discardableResult mutating func add(_ frame: ID3Frame, hasDate: Bool) -> Bool {
    var text = ID3Text(frame.body)
    switch frame.name {
    case "TLEN", "TSIZ": break
    case "COMM", "USLT":
      addLanguageText(frame.name, &text)
    case "TXXX":
      let name = text.next()
      // Without a name of its own it goes by that of the frame.
      addAll("TXXX:\(name)", name.isEmpty ? "TXXX" : name, text.all())
    case "WXXX":
      let about = text.next()
      add(frame.name, about.isEmpty ? "WXXX" : "WXXX:\(about)", text.plain())
    case "TIPL", "TMCL", "IPLS":
      for (part, person) in text.pairs() { addPerson(frame.name, part, person) }
    case "TCON": addAll("TCON", "genre", text.all().flatMap(Self.genres))
    case "TDRL":
      // In FFmpeg both dates have one name.
      addAll("TDRL", hasDate ? "TDRL" : "date", text.all())
    case "UFID": return addIdentifier(frame)
    case "POPM": return addRating(frame)
    case "PCNT":
      guard let count = Self.number(frame.body) else { return false }
      add("PCNT", "PCNT", "\(count)")
    case let name where name.hasPrefix("T") || ID3Names.furtherTexts.contains(name):
      addAll(name, ID3Names.entries[name] ?? name, text.all())
    case let name where name.hasPrefix("W"):
      add(name, name, String(latin1: frame.body.prefix { $0 != 0 }))
    default: return false
    }
    return true
  }

  private mutating func addLanguageText(_ key: String, _ text: inout ID3Text) {
    let language = Self.language(text.take(3))
    let about = text.next()
    let value = text.next()
    // Comments that programs write for their own use have a description, and English as their language.
    guard about.isEmpty || key == "USLT" else {
      return add(key, about, value, language: language == "eng" ? nil : language)
    }
    add(
      about.isEmpty ? key : "\(key):\(about)", key == "COMM" ? "comment" : "lyrics", value,
      language: language)
  }

  /// Returns a code of ISO 639-2.
  ///
  /// `nil` if the language is unknown: programs then write `und`, `XXX`, zeros or spaces.
  private static func language(_ bytes: some Collection<UInt8>) -> String? {
    let code = String(decoding: bytes, as: UTF8.self).lowercased()
    let isCode = code.utf8.count == 3 && code.utf8.allSatisfy { (0x61...0x7A).contains($0) }
    return isCode && !["und", "xxx"].contains(code) ? code : nil
  }

  /// Adds somebody with the part that they have: an instrument in `TMCL`, a function such as producer elsewhere.
  private mutating func addPerson(_ key: String, _ part: String, _ person: String) {
    guard !person.isEmpty else { return add(key, key, part) }
    if key == "TMCL" {
      add("\(key):\(part)", "performer", part.isEmpty ? person : "\(person) (\(part))")
    } else {
      add("\(key):\(part)", part.isEmpty ? key : part, person)
    }
  }

  /// Splits genres by number, in brackets in version 2.3 (section 4.2.1, TCON), from those by name.
  private static func genres(_ text: String) -> [String] {
    var names: [String] = []
    var rest = text[...]
    while rest.hasPrefix("("), !rest.hasPrefix("(("), let end = rest.firstIndex(of: ")") {
      let inside = rest[rest.index(after: rest.startIndex)..<end]
      guard let name = genre(inside) else { break }
      names.append(name)
      rest = rest[rest.index(after: end)...]
    }
    if rest.hasPrefix("((") { rest = rest.dropFirst() }
    if !rest.isEmpty { names.append(genre(rest) ?? String(rest)) }
    return names
  }

  private static func genre(_ number: Substring) -> String? {
    switch number {
    case "RX": "Remix"
    case "CR": "Cover"
    default:
      Int(number).flatMap { ID3Names.genres.indices.contains($0) ? ID3Names.genres[$0] : nil }
    }
  }

  /// Adds an owner and an identifier that is text; others are data.
  private mutating func addIdentifier(_ frame: ID3Frame) -> Bool {
    let owner = String(latin1: frame.body.prefix { $0 != 0 })
    let id = frame.body.dropFirst(owner.unicodeScalars.count + 1)
    guard !owner.isEmpty, !id.isEmpty, id.allSatisfy({ (0x20..<0x7F).contains($0) }) else {
      return false
    }
    let name = ID3Names.identifiers[owner] ?? "UFID:\(owner)"
    add("UFID:\(owner)", name, String(latin1: id))
    return true
  }

  /// Adds a rating from 1 to 255, and how often it was played.
  private mutating func addRating(_ frame: ID3Frame) -> Bool {
    let email = String(latin1: frame.body.prefix { $0 != 0 })
    let rest = frame.body.dropFirst(email.unicodeScalars.count + 1)
    guard let rating = rest.first else { return false }
    let count = rest.count > 1 ? Self.number(rest.dropFirst()) : 0
    guard let count else { return false }
    add("POPM:\(email)", "POPM:\(email)", count > 0 ? "\(rating)/\(count)" : "\(rating)")
    return true
  }

  /// Reads a counter, which may have any number of bytes; `nil` if it does not fit into 63 bits.
  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    let digits = bytes.drop { $0 == 0 }
    guard !bytes.isEmpty, digits.count < 8 else { return nil }
    return digits.reduce(0) { $0 << 8 | Int($1) }
  }
}
