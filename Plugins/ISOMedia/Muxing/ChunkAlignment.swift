import RespoolPlugin

/// Places in a file at which chunks begin: multiples of what each track asks for.
struct ChunkAlignment {
  /// Bytes; a track asks for no more, and all of them together for no more.
  static let largest: Int64 = 16 << 20

  /// Bytes by a multiple of which the media can be moved with all chunks at places as asked for; 1: by
  /// any number.
  let step: Int64

  /// Throws `invalidArgument` where what the tracks ask for has no common multiple that is small enough.
  init(_ tracks: [TrackWriter]) throws(MediaError) {
    var step: Int64 = 1
    for track in tracks {
      let alignment = track.options.chunkAlignment
      step = step / step.greatestCommonDivisor(alignment) * alignment
      guard step <= Self.largest else {
        throw MediaError(
          .invalidArgument,
          "chunk alignments of the tracks without a common multiple up to \(Self.largest) bytes")
      }
    }
    self.step = step
  }

  /// Bytes from `place` to the next at which a chunk of `track` may begin.
  static func gap(at place: Int64, _ track: TrackWriter) -> Int {
    let bytes = track.options.chunkAlignment
    return Int((bytes - place % bytes) % bytes)
  }

  /// Bytes to be left free behind a movie box of `size` bytes that is put before `mediaSize` bytes: none,
  /// or 8 and more.
  ///
  /// Where there is much media, whole blocks are filled up: a file system can put these in front without
  /// moving it. It depends on sizes alone, so that a file is the same wherever it is written.
  func padding(after size: Int64, before mediaSize: Int64) -> Int64 {
    let block: Int64 = 4096
    let fills = mediaSize >= 16 << 20 && block.isMultiple(of: step)
    let unit = fills ? block : step
    guard unit > 1 else { return 0 }
    return (size + 8 + unit - 1) / unit * unit - size
  }
}
