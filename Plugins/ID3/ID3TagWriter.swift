package import RespoolMedia

/// A writer of ID3v2 tags.
package struct ID3TagWriter {
  let version: ID3Version
  let values: TagValues
  let nativeTags: [NativeTag]
  /// `true` if lyrics are also written as `TXXX`, the only frame in which libavformat finds them in wave files.
  package var repeatsLyrics = false
  private var frames: [UInt8] = []

  package init(_ media: MediaDescription, version: ID3Version = .v4) {
    self.version = version
    values = TagValues(media)
    nativeTags = media.nativeTags
  }

  /// Returns `true` for tags that are written: not those that describe the source file instead of its content.
  package static func isWritten(_ entry: MetadataEntry) -> Bool {
    !entry.value.isEmpty && !entry.describesSourceFile
      && !["encoder", "creation_time"].contains(entry.name.lowercased())
  }

  /// The tag; `nil` if it would be empty.
  package var tag: [UInt8]? {
    guard !frames.isEmpty, frames.count < 1 << 28 else { return nil }
    return Array("ID3".utf8) + [version.rawValue, 0, 0] + ID3Frame.syncSafe(frames.count) + frames
  }

  /// Adds the entries that are written.
  package mutating func add(_ metadata: [MetadataEntry]) {
    var texts: [(frame: String, values: [String])] = []
    var (musicians, others): ([String], [String]) = ([], [])
    for entry in metadata where Self.isWritten(entry) {
      if let people = people(in: entry) {
        others += people
      } else if let key = Self.textFrame(for: entry.name) {
        // There is one frame per name, with all values. Musicians with their instruments have a frame of their own.
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
    for (key, values) in texts {
      guard version == .v3 else {
        add(key, version.body(values))
        continue
      }
      for (name, body) in version.frames(key, values) { add(name, body) }
    }
    // Version 2.3 has one frame for both.
    let lists =
      version == .v4 ? [("TMCL", musicians), ("TIPL", others)] : [("IPLS", musicians + others)]
    for (key, people) in lists where !people.isEmpty { add(key, version.body(people)) }
  }

  /// Returns functions, such as producer, each with a person, for an entry that the source had among its people.
  ///
  /// `nil` for other entries.
  private func people(in entry: MetadataEntry) -> [String]? {
    let people = values[entry]
    let isOfPeople = people.allSatisfy { person in
      nativeTags.contains {
        ["TIPL:\(entry.name)", "IPLS:\(entry.name)"].contains($0.key) && $0.value == person
      }
    }
    return isOfPeople ? people.flatMap { [entry.name, $0] } : nil
  }

  /// Adds frames as they are, except compressed and encrypted ones, which depend on their old tag.
  package mutating func add(_ others: [ID3Frame]) {
    for frame in others where !frame.isCoded { frames += version.bytes(frame) ?? [] }
  }

  mutating func add(_ name: String, _ body: [UInt8]) {
    frames += version.bytes(ID3Frame(name, body)) ?? []
  }

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

  /// Returns the instrument at the end of a musician's value.
  ///
  /// `nil` for other values.
  private func instrument(of value: String, _ name: String) -> String? {
    guard name.lowercased() == "performer" else { return nil }
    let tag = nativeTags.first { $0.value == value && $0.key.hasPrefix("TMCL:") }
    return tag.map { String($0.key.dropFirst(5)) }
  }
}

extension ID3Version {
  /// Frames that only version 2.4 has.
  private static let laterFrames: Set<String> = ["TDEN", "TDRL", "TDTG", "TMOO", "TPRO", "TSST"]

  /// Returns the frames of version 2.3 for a text frame of version 2.4.
  ///
  /// Dates have three frames: year, day with month, and time.
  fileprivate func frames(_ name: String, _ values: [String]) -> [(String, [UInt8])] {
    let text = body(self.values(values))
    if Self.laterFrames.contains(name) { return [("TXXX", body([name] + self.values(values)))] }
    guard ["TDRC", "TDOR"].contains(name), let date = values.first, let year = date.digits(0, 4)
    else { return [(name == "TDRC" ? "TYER" : name == "TDOR" ? "TORY" : name, text)] }
    guard name == "TDRC" else { return [("TORY", body([year]))] }
    var frames = [("TYER", body([year]))]
    guard let month = date.digits(5, 2), let day = date.digits(8, 2) else { return frames }
    frames.append(("TDAT", body([day + month])))
    guard let hour = date.digits(11, 2), let minute = date.digits(14, 2) else { return frames }
    return frames + [("TIME", body([hour + minute]))]
  }
}

extension String {
  /// Returns `count` digits at an offset; `nil` if other characters are there.
  fileprivate func digits(_ offset: Int, _ count: Int) -> String? {
    let part = utf8.dropFirst(offset).prefix(count)
    return part.count == count && part.allSatisfy { (0x30...0x39).contains($0) }
      ? String(decoding: part, as: UTF8.self) : nil
  }
}
