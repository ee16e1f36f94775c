import RespoolPlugin

/// A reader of chapters from a QuickTime text track.
struct ChapterTrack {
  var track: TrackReader
  var source: ByteSource

  private static let mostChapters = 10_000
  private static let longestTitle = 1 << 16

  func chapters() -> [MediaDescription.Chapter] {
    var result: [MediaDescription.Chapter] = []
    let nanoseconds = Rational.nanoseconds
    var track = track
    let language = track.description.language.flatMap { $0 == "und" ? nil : $0 }
    while result.count < Self.mostChapters, let packet = track.take(track: 0) {
      guard case .range(let offset, let length) = packet.payload, let pts = packet.pts,
        !packet.flags.contains(.discard)
      else { continue }
      let start = track.description.timeBase.convert(pts, to: nanoseconds)
      let end = track.description.timeBase.convert(
        pts.addingClamped(packet.duration), to: nanoseconds)
      let size = Int(min(length, Int64(Self.longestTitle)))
      let bytes = (try? source.read(at: offset, count: size)) ?? []
      let title = Self.title(bytes)
      // A text track ends with an empty sample of the shortest possible duration after the last text.
      if title.isEmpty, packet.duration <= 1 { continue }
      result.append(
        .init(
          id: Int64(result.count), start: start, end: max(start, end), title: title,
          language: language))
    }
    return result
  }

  /// Returns the text of a sample: a 16-bit length and the text, followed by style boxes that are ignored.
  private static func title(_ bytes: [UInt8]) -> String {
    guard bytes.count >= 2 else { return "" }
    let length = Int(bytes[0]) << 8 | Int(bytes[1])
    return MetadataReader.text(bytes[2..<min(bytes.count, 2 + length)])
  }
}
