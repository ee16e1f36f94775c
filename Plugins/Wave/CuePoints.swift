import RespoolPlugin

/// Named positions in the audio: the chunk `cue ` and the labels of a `LIST` chunk of type `adtl`.
///
/// See Multimedia Programming Interface and Data Specifications 1.0, chapter 3. Each point is a chapter that
/// lasts until the next one.
struct CuePoints {
  /// Positions in samples, with the IDs of the points.
  private var positions: [(id: UInt32, sample: UInt32)] = []
  private var labels: [UInt32: String] = [:]

  /// Maximum number of points: a file with more is an attack, not a recording.
  private static let limit = 65_536
  private static let pointSize = 24

  /// Parses the complete points in the body of a `cue ` chunk.
  mutating func read(points body: [UInt8]) {
    var reader = ByteReader(body)
    guard let count = try? reader.little(UInt32.self), count <= Self.limit else { return }
    for _ in 0..<count {
      guard var point = try? reader.sub(Self.pointSize), let id = try? point.little(UInt32.self),
        (try? point.skip(16)) != nil, let sample = try? point.little(UInt32.self)
      else { return }
      positions.append((id, sample))
    }
  }

  /// Parses the complete labels after the type of an `adtl` list.
  mutating func read(labels reader: ByteReader) {
    var reader = reader
    while reader.remaining > 8 {
      guard let name = try? reader.text(4), let size = try? reader.little(UInt32.self),
        let body = try? reader.take(Int(size))
      else { return }
      if size % 2 == 1, reader.remaining > 0 { try? reader.skip(1) }
      var label = ByteReader(Array(body))
      guard name == "labl", let id = try? label.little(UInt32.self),
        let text = try? label.take(label.remaining)
      else { continue }
      labels[id] = String(utf8OrLatin1: text.prefix { $0 != 0 })
    }
  }

  /// Returns `true` if the body of an `adtl` list holds notes, regions or files in addition to labels.
  static func hasMoreThanLabels(_ body: [UInt8]) -> Bool {
    var reader = ByteReader(body)
    guard (try? reader.skip(4)) != nil else { return false }
    while let name = try? reader.text(4), let size = try? reader.little(UInt32.self) {
      if name != "labl" { return true }
      guard (try? reader.skip(Int(size) + Int(size) % 2)) != nil else { return false }
    }
    return false
  }

  /// Returns the points as chapters.
  ///
  /// `duration` is the duration of the audio in nanoseconds.
  func chapters(sampleRate: Int, duration: Int64?) -> [MediaDescription.Chapter] {
    guard sampleRate > 0 else { return [] }
    let rate = Rational(1, Int32(clamping: sampleRate))
    let sorted = positions.sorted { $0.sample < $1.sample }
    let starts = sorted.map {
      rate.convert(Int64($0.sample), to: .nanoseconds)
    }
    return sorted.enumerated().map { index, point in
      let end = index + 1 < starts.count ? starts[index + 1] : duration ?? starts[index]
      return MediaDescription.Chapter(
        id: Int64(point.id), start: starts[index], end: max(starts[index], end),
        title: labels[point.id] ?? "")
    }
  }

  /// Returns the chunks `cue ` and `LIST` for chapters.
  ///
  /// Empty if there are no chapters.
  static func chunks(_ chapters: [MediaDescription.Chapter], sampleRate: Int) -> [UInt8] {
    guard !chapters.isEmpty, chapters.count <= limit else { return [] }
    let nanoseconds = Rational.nanoseconds
    var points = LittleEndianBytes()
    var labels = LittleEndianBytes()
    labels.bytes = Array("adtl".utf8)
    points.add(UInt32(chapters.count))
    for (index, chapter) in chapters.enumerated() {
      let id = UInt32(index + 1)
      let sample = UInt32(
        clamping: nanoseconds.convert(
          chapter.start, to: Rational(1, Int32(clamping: max(1, sampleRate)))))
      // ID, position in the playlist, chunk, chunk start, block start, sample.
      points.add(id)
      points.add(sample)
      points.bytes += Array("data".utf8)
      points.add(UInt32(0))
      points.add(UInt32(0))
      points.add(sample)
      guard !chapter.title.isEmpty else { continue }
      var label = LittleEndianBytes()
      label.add(id)
      labels.add(chunk: "labl", label.bytes + Array(chapter.title.utf8) + [0])
    }
    var chunks = LittleEndianBytes()
    chunks.add(chunk: "cue ", points.bytes)
    if labels.bytes.count > 4 { chunks.add(chunk: "LIST", labels.bytes) }
    return chunks.bytes
  }
}
