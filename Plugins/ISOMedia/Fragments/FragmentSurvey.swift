import RespoolPlugin

/// Finds out how long a fragmented movie is that does not say so.
struct FragmentSurvey {
  var movie: Movie
  var source: ByteSource

  /// How many boxes are looked at: longer movies tell no duration.
  private static let mostBoxes = 100_000

  /// Nanoseconds; nil where it would take too long.
  func duration(from start: Int64) throws(MediaError) -> Int64? {
    var offset = start
    var times: [UInt32: Int64] = [:]
    for _ in 0..<Self.mostBoxes {
      guard let box = try? source.boxHeader(at: offset) else { return longest(times) }
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      if box.type == "moof", let size = box.size, size <= 16 << 20 {
        let begin = offset + box.headerSize
        let bytes = try source.read(at: begin, count: Int(size - box.headerSize))
        let runs = try? FragmentReader.read(
          ByteReader(bytes, origin: begin), start: offset, extends: movie.extends, times: times)
        for run in runs ?? [] { times[run.trackID] = max(times[run.trackID] ?? 0, run.end) }
      }
      guard let size = box.size else { return longest(times) }
      let (next, overflow) = offset.addingReportingOverflow(size)
      guard !overflow else { return longest(times) }
      offset = next
    }
    return nil
  }

  private func longest(_ times: [UInt32: Int64]) -> Int64? {
    movie.tracks.compactMap { track -> Int64? in
      guard let end = times[track.header.trackID], track.mediaHeader.timeScale > 0 else {
        return nil
      }
      return Int64(
        clamping: Int128(end) * 1_000_000_000 / Int128(track.mediaHeader.timeScale))
    }.max()
  }
}
