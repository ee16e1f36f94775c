import RespoolPlugin

/// The chunks of a CAF file other than its audio (Apple Core Audio Format Specification 1.0).
///
/// FFmpeg reads only texts, and truncates them.
struct CoreAudioChunks {
  private(set) var tags: [NativeTag] = []
  /// Descriptions of chunks and markers that no other container can store.
  private(set) var parts: [String] = []
  private var markers: [Marker] = []
  /// Texts by their IDs, which are also those of markers.
  private var strings: [UInt32: String] = [:]
  private let sampleRate: Double

  private struct Marker {
    var id: UInt32
    /// Number of the sample at the marker.
    var sample: Double
  }

  private static let most = 10_000
  private static let mostMarkers = 65_536
  private static let largest: Int64 = 32 << 20
  /// Chunks that describe the audio, and those that are read here.
  private static let known: Set<String> = [
    "desc", "data", "pakt", "chan", "kuki", "free", "info", "mark", "strg",
  ]
  /// Types of markers that are places to play from: without a type, start of a program or track, index.
  private static let ofChapters: Set<String> = ["\0\0\0\0", "pbeg", "tbeg", "indx"]
  /// FFmpeg's names for keys that it spells differently; empty for keys that describe the file.
  private static let names = [
    "track number": "track", "year": "date", "comments": "comment",
    "encoding application": "encoder", "approximate duration in seconds": "", "source encoder": "",
    "nominal bit rate": "", "channel layout": "",
  ]

  /// Reads the chunks that are complete.
  ///
  /// Throws `io` and `cancelled`.
  init(_ source: ByteSource, sampleRate: Int) throws(MediaError) {
    self.sampleRate = Double(sampleRate)
    var position: Int64 = 8
    for _ in 0..<Self.most {
      let head = try source.read(at: position, count: 12)
      guard head.count == 12 else { break }
      let name = String(utf8OrLatin1: head[..<4])
      let size = Int64(bitPattern: head[4...].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
      // Audio of unknown size extends to the end of the file.
      guard size >= 0 else { break }
      if ["info", "mark", "strg"].contains(name), size <= Self.largest {
        let body = try source.read(at: position + 12, count: Int(size))
        if body.count == Int(size) { read(name, body) }
      } else if !Self.known.contains(name), parts.count < Self.mostMarkers {
        parts.append("chunk '\(name)' of CAF")
      }
      let (next, overflow) = position.addingReportingOverflow(12 + min(size, .max - 12))
      guard !overflow else { break }
      position = next
    }
  }

  private mutating func read(_ name: String, _ body: [UInt8]) {
    do throws(MediaError) {
      var reader = ByteReader(body)
      switch name {
      case "info": try readTexts(&reader)
      case "mark": try readMarkers(&reader)
      default: try readStrings(&reader)
      }
    } catch {
      // The complete entries before the damage are kept.
    }
  }

  /// Reads a count, then keys and values that each end with 0.
  private mutating func readTexts(_ reader: inout ByteReader) throws(MediaError) {
    _ = try reader.big(UInt32.self)
    let words = try reader.take(reader.remaining).split(
      separator: 0, maxSplits: 2 * Self.most, omittingEmptySubsequences: false
    ).map { String(utf8OrLatin1: $0) }
    for index in stride(from: 0, to: words.count - 1, by: 2) {
      let (key, value) = (words[index], words[index + 1])
      let name = Self.names[key.lowercased()] ?? key
      guard !name.isEmpty, !value.isEmpty else { continue }
      tags.append(NativeTag(keySpace: "caff", key: key, name: name, value: value))
    }
  }

  /// Reads a type of timecode and a count, then for each marker a type, a position, an ID, a timecode and a channel.
  private mutating func readMarkers(_ reader: inout ByteReader) throws(MediaError) {
    try reader.skip(4)
    let count = try reader.big(UInt32.self)
    while markers.count < min(Int(count), Self.mostMarkers), reader.remaining >= 28 {
      let type = String(utf8OrLatin1: try reader.take(4))
      let sample = Double(bitPattern: try reader.big(UInt64.self))
      let id = try reader.big(UInt32.self)
      try reader.skip(12)
      if Self.ofChapters.contains(type) {
        if sample >= 0, sample < 0x1p53 { markers.append(Marker(id: id, sample: sample)) }
      } else if parts.count < Self.mostMarkers {
        parts.append("marker '\(type)' of CAF")
      }
    }
  }

  /// Reads a count, then the ID and the position of each text, then the texts, each of which ends with 0.
  private mutating func readStrings(_ reader: inout ByteReader) throws(MediaError) {
    let count = Int(try reader.big(UInt32.self))
    var table = try reader.sub(min(count, Self.mostMarkers) * 12)
    if count > Self.mostMarkers { try reader.skip((count - Self.mostMarkers) * 12) }
    let texts = Array(try reader.take(reader.remaining))
    // Positions that overlap must not take more memory than the texts.
    var left = texts.count
    while let id = try? table.big(UInt32.self), let position = try? table.big(UInt64.self) {
      guard position < UInt64(texts.count) else { continue }
      let text = texts[Int(position)...].prefix(left).prefix { $0 != 0 }
      left -= text.count
      strings[id] = String(utf8OrLatin1: text)
    }
  }

  /// Returns the markers as chapters.
  ///
  /// `duration` is in nanoseconds.
  func chapters(duration: Int64?) -> [MediaDescription.Chapter] {
    guard sampleRate > 0 else { return [] }
    let places = markers.sorted { $0.sample < $1.sample }
    let starts = places.map { Int64(min($0.sample / sampleRate * 1e9, 0x1p62)) }
    return places.enumerated().map { index, marker in
      let end = index + 1 < starts.count ? starts[index + 1] : duration ?? starts[index]
      return MediaDescription.Chapter(
        id: Int64(marker.id), start: starts[index], end: max(starts[index], end),
        title: strings[marker.id] ?? "")
    }
  }

  /// Descriptions of the parts that are lost in other containers, each once.
  var lostParts: [String] {
    var seen: Set<String> = []
    let ids = Set(markers.map(\.id))
    // Texts that no chapter has are of regions and of other markers.
    let unused = strings.keys.contains { !ids.contains($0) } ? ["chunk 'strg' of CAF"] : []
    return (parts + unused).filter { seen.insert($0).inserted }
  }
}
