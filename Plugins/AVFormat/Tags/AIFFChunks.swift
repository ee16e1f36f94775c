import RespoolPlugin

/// The chunks of an AIFF file other than its audio (Audio Interchange File Format 1.3).
///
/// FFmpeg reads only some of them.
struct AIFFChunks {
  private(set) var tag: ID3Tag?
  /// Texts from chunks of their own.
  private(set) var tags: [NativeTag] = []
  /// Descriptions of chunks that no other container can store.
  private(set) var parts: [String] = []
  private var markers: [Marker] = []
  /// IDs of markers that begin or end a loop of an instrument.
  private var loops: Set<Int16> = []
  private let sampleRate: Int

  private struct Marker {
    var id: Int16
    /// Number of the sample after the marker.
    var sample: UInt32
    var title: String
  }

  private static let most = 10_000
  private static let largest = 32 << 20
  /// Chunks that describe the audio, or that FFmpeg reads.
  private static let ofSound: Set<String> = [
    "COMM", "SSND", "FVER", "CHAN", "wave", "FLLR", "PEAK", "JUNK",
  ]

  /// Reads the chunks that are complete.
  ///
  /// Throws `io` and `cancelled`.
  init(_ source: ByteSource, sampleRate: Int) throws(MediaError) {
    self.sampleRate = sampleRate
    var position: Int64 = 12
    for _ in 0..<Self.most {
      let head = try source.read(at: position, count: 8)
      guard head.count == 8 else { break }
      let name = String(utf8OrLatin1: head[..<4])
      let size = head[4...].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      if !Self.ofSound.contains(name), size <= Int64(Self.largest), size > 0 {
        let body = try source.read(at: position + 8, count: Int(size))
        if body.count == Int(size) { add(name, body) }
      }
      position += 8 + size + size % 2
    }
  }

  private mutating func add(_ name: String, _ body: [UInt8]) {
    switch name {
    case "ID3 ": tag = ID3Tag(body)
    case "NAME": add(name, "title", body)
    case "AUTH": add(name, "author", body)
    case "(c) ": add(name, "copyright", body)
    case "ANNO": add(name, "comment", body)
    case "COMT": addComments(body)
    case "MARK": addMarkers(body)
    case "INST":
      addLoops(body)
      parts.append("chunk 'INST' of AIFF")
    default: parts.append("chunk '\(name)' of AIFF")
    }
  }

  private mutating func add(_ key: String, _ name: String, _ text: some Sequence<UInt8>) {
    let value = String(utf8OrLatin1: Array(text.prefix { $0 != 0 }))
    guard !value.isEmpty else { return }
    tags.append(NativeTag(keySpace: "aiff", key: key, name: name, value: value))
  }

  /// Adds comments: a count, and for each a time, a marker, a length and the text.
  private mutating func addComments(_ body: [UInt8]) {
    var reader = ByteReader(body)
    guard let count = try? reader.big(UInt16.self) else { return }
    for _ in 0..<count {
      guard (try? reader.skip(6)) != nil, let length = try? reader.big(UInt16.self),
        let text = try? reader.take(Int(length))
      else { return }
      if length % 2 == 1 { try? reader.skip(1) }
      add("COMT", "comment", text)
    }
  }

  /// Adds markers: a count, and for each an ID, a position, the length of a name and the name.
  private mutating func addMarkers(_ body: [UInt8]) {
    var reader = ByteReader(body)
    guard let count = try? reader.big(UInt16.self) else { return }
    for _ in 0..<count {
      guard let id = try? reader.big(Int16.self), let sample = try? reader.big(UInt32.self),
        let length = try? reader.u8(), let text = try? reader.take(Int(length))
      else { return }
      // The length and the name have an even number of bytes together.
      if length % 2 == 0, (try? reader.skip(1)) == nil, reader.remaining > 0 { return }
      markers.append(Marker(id: id, sample: sample, title: String(utf8OrLatin1: text)))
    }
  }

  /// Records the markers of active loops: mode, first and last marker of two loops.
  private mutating func addLoops(_ body: [UInt8]) {
    var reader = ByteReader(body)
    guard (try? reader.skip(8)) != nil else { return }
    for _ in 0..<2 {
      guard let mode = try? reader.big(Int16.self), let first = try? reader.big(Int16.self),
        let last = try? reader.big(Int16.self)
      else { return }
      if mode != 0 { loops.formUnion([first, last]) }
    }
  }

  /// Returns the markers outside of loops as chapters.
  ///
  /// `duration` is in nanoseconds.
  func chapters(duration: Int64?) -> [MediaDescription.Chapter] {
    guard sampleRate > 0 else { return [] }
    let rate = Rational(1, Int32(clamping: sampleRate))
    let places = markers.filter { !loops.contains($0.id) }.sorted { $0.sample < $1.sample }
    let starts = places.map { rate.convert(Int64($0.sample), to: .nanoseconds) }
    return places.enumerated().map { index, marker in
      let end = index + 1 < starts.count ? starts[index + 1] : duration ?? starts[index]
      return MediaDescription.Chapter(
        id: Int64(marker.id), start: starts[index], end: max(starts[index], end),
        title: marker.title)
    }
  }
}
