import RespoolPlugin

extension MatroskaDemuxer {
  /// Seeks to the last key frame of the track from which a time can be shown.
  ///
  /// Other tracks continue from about the same time.
  func seek(track: Int, to time: Int64) throws(MediaError) {
    guard tracks.indices.contains(track) else {
      throw MediaError(
        media.tracks.indices.contains(track) ? .unsupported : .invalidArgument,
        media.tracks.indices.contains(track)
          ? "an attached file has no time to seek to" : "there is no track \(track)", track: track)
    }
    guard let first = layout.firstCluster, window.source.isSeekable else {
      throw MediaError(.unsupported, "the file does not support seeking", track: track)
    }
    var target = tracks[track].timestamp(time)
    let description = tracks[track].description
    if description.kind == .audio {
      // Decoding starts slightly earlier, so that codecs with overlap decode exactly.
      let rate = Rational(1, Int32(clamping: max(1, description.sampleRate)))
      let second = Rational(1, 1).convert(1, to: tracks[track].timeline)
      let preroll = max(
        rate.convert(Int64(description.seekPreroll), to: tracks[track].timeline), second / 20)
      target = target.subtractingClamped(preroll)
    }
    var starts = cuedClusters(track, until: target)
    if starts.isEmpty { starts = try scannedClusters(until: target) }
    // Tries clusters from the nearest one back, until one has a key frame at or before the target.
    var candidates = Array(starts.suffix(Self.mostSteps).reversed())
    if candidates.last != first { candidates.append(first) }
    for (step, position) in candidates.enumerated() {
      guard let key = try keyFrame(of: track, from: position, until: target) else { continue }
      // Other tracks may have frames of the same time in the cluster before.
      let earlier = step + 1 < candidates.count ? candidates[step + 1] : position
      restart(at: earlier)
      tracks[track].skipsBefore = key.position
      let reached = tracks[track].presentation(key.time)
      for other in tracks.indices where other != track {
        let base = tracks[other].description.timeBase
        tracks[other].skipsUntil = description.timeBase.convert(reached, to: base)
      }
      return
    }
    restart(at: first)
  }

  private static let mostSteps = 50

  /// Returns the positions of the clusters that the track's cues refer to, up to a timestamp.
  private func cuedClusters(_ track: Int, until target: Int64) -> [Int64] {
    var positions: [(time: Int64, position: Int64)] = []
    let number = tracks[track].entry.number
    for element in layout.all(.cues) {
      // Damage ends an element; the cues before it are right.
      try? CueReference.forEach(in: element, origin: layout.origin) { cue in
        guard cue.track == number, cue.cluster >= 0, cue.time <= target else { return }
        positions.append((cue.time, cue.cluster))
      }
    }
    var result: [Int64] = []
    for entry in positions.sorted(by: { $0.time < $1.time }) where result.last != entry.position {
      // If the last cue does not lead to a cluster, all cues are ignored.
      result.append(entry.position)
    }
    guard let last = result.last, let header = try? window.header(at: last), header.id == .cluster
    else { return [] }
    return result
  }

  /// Returns the positions of the clusters that begin at or before a timestamp.
  private func scannedClusters(until target: Int64) throws(MediaError) -> [Int64] {
    let index: [(position: Int64, time: Int64)]
    if let known = clusterIndex {
      index = known
    } else {
      index = try ClusterScan.all(from: layout.firstCluster ?? 0, end: layout.end, window)
      clusterIndex = index
    }
    return index.filter { $0.time <= target }.map(\.position)
  }

  /// Returns the last key frame of the track at or before a timestamp, searching blocks from a cluster on.
  private func keyFrame(of track: Int, from position: Int64, until target: Int64)
    throws(MediaError) -> (position: Int64, time: Int64)?
  {
    var search = ClusterReader(window, from: position, segmentEnd: layout.end)
    let number = tracks[track].entry.number
    var best: (position: Int64, time: Int64)?
    // Frames are stored slightly out of order.
    let slack = max(1, Rational(1, 1).convert(1, to: tracks[track].timeline))
    for _ in 0..<Self.mostBlocks {
      let block: Block?
      do throws(MediaError) { block = try search.next() } catch {
        guard error.code == .malformed else { throw error }
        continue
      }
      guard let block, block.time <= target.addingClamped(slack) else { break }
      guard block.track == number, block.time <= target else { continue }
      if block.isKey || tracks[track].description.kind == .audio {
        best = (block.position, block.time)
      }
    }
    return best
  }

  private static let mostBlocks = 200_000
}

/// A scan of the clusters of a segment without reading their blocks.
enum ClusterScan {
  private static let most = 1_000_000

  /// Returns positions and timestamps of clusters with a known size, up to the first one of unknown size.
  static func all(from start: Int64, end: Int64?, _ window: SourceWindow) throws(MediaError)
    -> [(position: Int64, time: Int64)]
  {
    var result: [(position: Int64, time: Int64)] = []
    var position = start
    while position < end ?? .max, result.count < most {
      if window.source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      guard let header = try? window.header(at: position) else { break }
      let payload = position + Int64(header.length)
      if header.id == .cluster {
        result.append((position, timestamp(at: payload, window) ?? result.last?.time ?? 0))
      }
      guard let size = header.size else { break }
      position = payload.addingClamped(size)
    }
    return result
  }

  /// Returns the timestamp of the cluster whose payload begins at `start`.
  static func timestamp(at start: Int64, _ window: SourceWindow) -> Int64? {
    var position = start
    for _ in 0..<8 {
      guard let header = try? window.header(at: position), let size = header.size else {
        return nil
      }
      let payload = position + Int64(header.length)
      if header.id == .timestamp, size <= 8,
        let bytes = try? window.bytes(at: payload, count: Int(size))
      {
        let element = EBMLElement(.timestamp, in: "", payload: ByteReader(bytes, origin: payload))
        return (try? element.unsigned).map { Int64(clamping: $0) }
      }
      position = payload.addingClamped(size)
    }
    return nil
  }
}
