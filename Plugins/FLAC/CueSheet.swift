import RespoolPlugin

/// The CUESHEET block (RFC 9639 8.7) of chapters, a track for each.
struct CueSheet {
  private static let mostTracks = 254
  private static let leadOut: UInt8 = 255
  /// Bytes of catalog number, lead-in and flags.
  private static let headSize = 128 + 8 + 259
  /// Bytes of a track before its indexes: offset, number, ISRC, flags, number of indexes.
  private static let trackSize = 8 + 1 + 12 + 14 + 1

  private(set) var bytes: [UInt8]

  /// Creates the block; `nil` for no chapters and for more than 254.
  init?(_ chapters: [MediaDescription.Chapter], sampleRate: Int) {
    guard (1...Self.mostTracks).contains(chapters.count) else { return nil }
    bytes = [UInt8](repeating: 0, count: Self.headSize) + [UInt8(chapters.count + 1)]
    let rate = Rational(1, Int32(clamping: sampleRate))
    let starts = chapters.map { Rational.nanoseconds.convert(max(0, $0.start), to: rate) }.sorted()
    for (index, start) in starts.enumerated() {
      addTrack(start, number: UInt8(index + 1), indexes: 1)
      // Offset from the track's, number, and reserved bytes.
      bytes += [UInt8](repeating: 0, count: 8) + [1, 0, 0, 0]
    }
    addTrack(0, number: Self.leadOut, indexes: 0)
  }

  /// Takes the block of a source over; `nil` if its positions are those of another sample rate.
  init?(record: [UInt8], sampleRate: Int) {
    guard record.count > 4 + Self.headSize + Self.trackSize,
      record.prefix(4).elementsEqual(UInt32(clamping: sampleRate).bigEndianBytes)
    else { return nil }
    bytes = Array(record.dropFirst(4))
  }

  private mutating func addTrack(_ offset: Int64, number: UInt8, indexes: UInt8) {
    bytes += offset.bigEndianBytes + [number]
    bytes += [UInt8](repeating: 0, count: 26) + [indexes]
  }

  /// Sets the offset of the lead-out track, which is the number of audio samples.
  mutating func end(at sampleCount: Int64) {
    let start = bytes.count - Self.trackSize
    bytes.replaceSubrange(start..<start + 8, with: sampleCount.bigEndianBytes)
  }
}
