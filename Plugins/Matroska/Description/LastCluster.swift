import RespoolPlugin

/// A search for the end of files that do not store their duration, such as live streams.
enum LastCluster {
  /// Numbers of bytes at the end of the source to search for a cluster.
  private static let tails: [Int64] = [1 << 18, 1 << 22, 1 << 25]

  /// Returns the end in nanoseconds on the presentation time line.
  ///
  /// `nil` if unknown.
  ///
  /// `offset` is subtracted from all times, in nanoseconds.
  static func end(_ describer: SegmentDescriber, _ tracks: [TrackDescription], offset: Int64)
    -> Int64?
  {
    let (layout, source) = (describer.layout, describer.source)
    guard source.isSeekable, let size = source.size, let first = layout.firstCluster else {
      return nil
    }
    let window = SourceWindow(source)
    for tail in tails {
      let start = max(first, size - tail)
      var reader = ClusterReader(window, from: start, segmentEnd: layout.end)
      do throws(MediaError) { try reader.search() } catch { return nil }
      var end: Int64?
      while true {
        let block: Block?
        do throws(MediaError) { block = try reader.next() } catch {
          guard error.code == .malformed else { return nil }
          continue
        }
        guard let block else { break }
        guard let index = describer.entries.firstIndex(where: { $0.number == block.track }),
          index < tracks.count
        else { continue }
        let ticks = block.duration.map { Int64(clamping: $0) } ?? 0
        var last = describer.tick.convert(block.time.addingClamped(ticks), to: .nanoseconds)
        if block.duration == nil {
          let frame = describer.entries[index].defaultDuration.map { Int64(clamping: $0) }
          let rate = tracks[index].frameRate
          last = last.addingClamped(
            frame ?? (rate.isPositive ? rate.inverse.convert(1, to: .nanoseconds) : 20_000_000))
        }
        end = max(end ?? .min, last)
      }
      if let end { return max(0, end.subtractingClamped(offset)) }
      if start == first { break }
    }
    return nil
  }
}
