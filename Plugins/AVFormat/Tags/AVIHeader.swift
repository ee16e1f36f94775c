import RespoolPlugin

/// Texts in the header of an AVI file that FFmpeg ignores or misreads, and chunks that no muxer writes.
///
/// FFmpeg reads one of several texts with the same meaning, and dates of one form only.
struct AVIHeader {
  /// Texts of the list INFO, by the names of their chunks.
  private(set) var texts: [MetadataEntry] = []
  /// Date of digitizing, as text.
  ///
  /// `nil` if the file does not state one in a known form.
  private(set) var date: String?
  /// SMPTE timecode of the first frame.
  private(set) var timecode: String?
  /// Number of streams that the main header declares (dwStreams); `nil` if there is none.
  private(set) var streamCount: Int?
  /// Descriptions of chunks that no other container can store.
  private(set) var parts: [String] = []

  private static let most = 10_000
  private static let largest: Int64 = 4 << 20
  /// Chunks that FFmpeg reads, and those without information.
  private static let known: Set<String> = [
    "idx1", "JUNK", "junk", "JUNQ", "vprp", "IDIT", "ISMP", "LIST movi", "LIST rec ",
  ]

  /// Reads the chunks of the first RIFF list that are complete.
  ///
  /// Throws `io` and `cancelled`.
  init(_ source: ByteSource) throws(MediaError) {
    var position: Int64 = 12
    for _ in 0..<Self.most {
      let head = try source.read(at: position, count: 12)
      guard head.count == 12 else { return }
      let name = String(utf8OrLatin1: head[..<4])
      let size = head[4..<8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
      let type = name == "LIST" ? String(utf8OrLatin1: head[8...]) : ""
      // The media of a file that was not finished has no size.
      guard name != "RIFF", name.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
        type.isEmpty || size >= 4
      else { return }
      if ["hdrl", "INFO"].contains(type) || ["IDIT", "ISMP"].contains(name), size <= Self.largest {
        let skipped: Int64 = type.isEmpty ? 0 : 4
        let body = try source.read(at: position + 8 + skipped, count: Int(max(0, size - skipped)))
        if type.isEmpty { add(name, body[...]) } else { read(body, of: type) }
      } else if !Self.known.contains(type.isEmpty ? name : "LIST \(type)"), size > 0,
        parts.count < 100, position + 8 + size <= source.size ?? 0
      {
        parts.append(type.isEmpty ? "chunk '\(name)' of AVI" : "list '\(type)' of AVI")
      }
      position += 8 + size + size % 2
    }
  }

  /// Reads the chunks of a list.
  private mutating func read(_ list: [UInt8], of type: String) {
    var reader = ByteReader(list)
    while let name = try? reader.take(4), let size = try? reader.little(UInt32.self),
      let body = try? reader.take(Int(size)), texts.count < Self.most
    {
      if size % 2 == 1, reader.remaining > 0 { try? reader.skip(1) }
      let name = String(utf8OrLatin1: name)
      if type == "INFO" {
        let text = Self.text(body)
        if !text.isEmpty { texts.append(MetadataEntry(name, text)) }
      }
      add(name, body)
    }
  }

  private mutating func add(_ name: String, _ body: ArraySlice<UInt8>) {
    let text = Self.text(body)
    if name == "avih", streamCount == nil {
      var reader = ByteReader(body.dropFirst(24).prefix(4))
      streamCount = (try? reader.little(UInt32.self)).map { Int($0) }
    }
    if name == "IDIT" { date = date ?? LooseDate.text(text) }
    if name == "ISMP", !text.isEmpty { timecode = timecode ?? text }
  }

  private static func text(_ body: ArraySlice<UInt8>) -> String {
    String(utf8OrLatin1: body.prefix { $0 != 0 }).withoutEnd
  }
}

/// Dates in forms that are not ISO 8601.
enum LooseDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Returns a date and time such as `2005:08:17 11:42:43`, `2001/ 1/27  1:42PM` or `Mon Mar 08 15:42:28 2004` in
  /// FFmpeg's form, which is ISO 8601 with a space.
  ///
  /// `nil` for other texts.
  static func text(_ text: String) -> String? {
    let words = text.lowercased().split { !$0.isASCII || !($0.isLetter || $0.isNumber) }
    let month = words.lazy.compactMap { word in months.firstIndex(of: String(word.prefix(3))) }
      .first
    // Letters may follow the digits: 1:42PM.
    var numbers = words.compactMap { word in Int(word.prefix { $0.isNumber }.prefix(5)) }
    if let month {
      // Weekday, month, day, time and year.
      guard numbers.count == 5 else { return nil }
      numbers = [numbers[4], month + 1] + numbers[..<4]
    }
    if numbers.count == 5 { numbers.append(0) }
    guard numbers.count == 6, (1000...9999).contains(numbers[0]), (1...12).contains(numbers[1]),
      (1...31).contains(numbers[2]), numbers[4] < 60, numbers[5] < 60
    else { return nil }
    if text.lowercased().hasSuffix("pm"), numbers[3] < 12 { numbers[3] += 12 }
    if text.lowercased().hasSuffix("am"), numbers[3] == 12 { numbers[3] = 0 }
    guard numbers[3] < 24 else { return nil }
    let digits = numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }
    return digits[..<3].joined(separator: "-") + " " + digits[3...].joined(separator: ":")
  }
}

extension MediaDescription {
  /// Adds the texts that FFmpeg did not report, the date and the timecode, and a warning if streams are missing.
  mutating func take(_ header: AVIHeader) {
    func has(_ name: String) -> Bool { metadata.contains { $0.name.lowercased() == name } }
    if let date = header.date {
      metadata.removeAll { entry in
        entry.name == MetadataDate.creationTime && MetadataDate.seconds(entry.value) == nil
          || entry.name == "IDIT" && LooseDate.text(entry.value) == date
      }
      if !has(MetadataDate.creationTime) {
        metadata.append(MetadataEntry(MetadataDate.creationTime, date))
      }
    }
    if let timecode = header.timecode, !has("timecode") {
      metadata.append(MetadataEntry("timecode", timecode))
    }
    // FFmpeg has names of its own, so texts are compared by value. It takes every text for UTF-8.
    var positions = Dictionary(grouping: metadata.indices) { metadata[$0].value.withoutEnd }
    var seen: Set<MetadataEntry> = []
    for text in header.texts where !["ISFT", "IDIT"].contains(text.name) {
      guard seen.insert(text).inserted else { continue }
      let value = text.value
      if let position = positions[value]?.popLast() ?? positions[value.repaired]?.popLast() {
        metadata[position].value = text.value
      } else {
        metadata.append(text)
      }
    }
    if let declared = header.streamCount, declared > tracks.count, warning == nil {
      warning =
        "the header declares \(declared.counting("stream")), but describes \(tracks.count): the others are lost"
    }
    if !header.parts.isEmpty { sideData.append(SideData(unwrittenElements: header.parts)) }
  }
}

extension String {
  /// The text without white space at its end.
  fileprivate var withoutEnd: String {
    var text = self[...]
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text)
  }

  /// The text of Latin-1 read as UTF-8.
  fileprivate var repaired: String {
    let bytes = unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
