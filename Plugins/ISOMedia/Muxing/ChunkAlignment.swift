import RespoolPlugin

/// File offsets at which chunks may begin: multiples of the alignment of each track.
struct ChunkAlignment {
  /// Maximum alignment in bytes, for a track and for the common multiple of all tracks.
  static let largest: Int64 = 16 << 20

  /// Step in bytes by which the media can be moved without breaking the alignment of a chunk.
  ///
  /// 1 if any distance works.
  let step: Int64

  /// Throws `invalidArgument` if the tracks' alignments have no common multiple that is small enough.
  init(_ tracks: [TrackWriter]) throws(MediaError) {
    var step: Int64 = 1
    for track in tracks {
      let alignment = track.settings.chunkAlignment
      if alignment <= Self.largest {
        step = step / step.greatestCommonDivisor(alignment) * alignment
      }
      guard alignment <= Self.largest, step <= Self.largest else {
        throw MediaError(
          .invalidArgument,
          "the tracks' chunk alignments have no common multiple up to \(Self.largest) bytes")
      }
    }
    self.step = step
  }

  /// Returns the number of bytes from `place` to the next offset at which a chunk of `track` may begin.
  static func gap(at place: Int64, _ track: TrackWriter) -> Int {
    let bytes = track.settings.chunkAlignment
    return Int((bytes - place % bytes) % bytes)
  }

  /// Returns the bytes to leave free after a movie box of `size` bytes in front of `mediaSize` bytes: none,
  /// or 8 and more.
  ///
  /// With much media, the box is padded to whole blocks: a file system can insert these without moving the
  /// media. The padding depends only on sizes, so the output is the same on every file system.
  func padding(after size: Int64, before mediaSize: Int64) -> Int64 {
    let block: Int64 = 4096
    let fills = mediaSize >= 16 << 20 && block.isMultiple(of: step)
    let unit = fills ? block : step
    guard unit > 1 else { return 0 }
    return (size + 8 + unit - 1) / unit * unit - size
  }
}
