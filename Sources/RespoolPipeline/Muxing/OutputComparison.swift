package import RespoolMedia

/// Comparison of a written file with what its muxer and its encoders were given.
///
/// The beginning of each track is read: packets are compared with those that were written, and what a decoder makes of
/// them with the frames that were encoded. Then the last two seconds are read, if they are not too large.
package struct OutputComparison {
  private let written: [WrittenTrack]
  private let registry: PluginRegistry

  package init(_ written: [WrittenTrack], _ registry: PluginRegistry) {
    self.written = written.filter { !$0.track.disposition.contains(.attachedPicture) }
    self.registry = registry
  }

  /// A difference of a track, as part of a sentence.
  enum Difference: Equatable {
    /// The file is wrong.
    case wrong(String)
    /// Something was lost on the way.
    case loss(String)
  }

  /// Maximum numbers of packets and bytes that are read: a track with few packets may extend through the file.
  private static let limit = (packets: 4096, bytes: 16 << 20)

  /// Reads the file; returns losses, and reasons not to trust the file, one sentence each.
  ///
  /// Throws `pluginFailure` if it differs.
  package func check(_ demuxer: DemuxerInstance) throws(MediaError)
    -> (losses: [String], doubts: [String])
  {
    var tracks = try pairTracks(of: demuxer)
    let isComplete = try readStart(demuxer, &tracks)
    var (losses, doubts): ([String], [String]) = ([], [])
    let shift = shift(of: tracks)
    func note(_ track: TrackReadback, _ difference: Difference?) throws(MediaError) {
      switch difference {
      case .wrong(let text):
        throw MediaError(
          .pluginFailure, "the output is not what was written: \(track.name) \(text)",
          file: demuxer.source.path)
      case .loss(let text): losses.append("\(track.name) \(text)")
      case nil: break
      }
    }
    let ends = isComplete ? try readEnd(demuxer, tracks) : [:]
    // Packets of several edits are read once for each.
    for track in tracks where track.track.edits.count <= 1 {
      if track.packets.isEmpty, track.written.packetCount == 1 {
        let text = "has one packet, of which little is presented; FFmpeg and Respool hide it"
        try note(track, .loss(text))
        continue
      }
      try note(track, track.written.delays.loss.map { .loss($0) })
      try note(track, track.presentedExcess.map { .loss($0) })
      try note(track, ends[track.index].flatMap { track.shorterLastFrame($0) }.map { .loss($0) })
      let packets = PacketComparison(track, isComplete: isComplete, shift: shift)
      try note(track, packets.difference.map { .wrong($0) })
      if isComplete { try note(track, track.decodedDifference()) }
      let end = ends[track.index].flatMap { track.endDifference($0, shift: shift) }
      let time = packets.timeDifference ?? end
      // Times of an encoded track must be those that were written. A copied one may have times that the container
      // cannot express, and its edits hide packets, whose times depend on the demuxer.
      if track.written.digest != nil {
        try note(track, time.map { .wrong($0) })
      } else if track.track.edits.isEmpty {
        try note(track, time.map { .loss($0) })
      }
      // The times of edits depend on the demuxer, but not whether there are packets.
      if let end, track.track.edits.isEmpty || ends[track.index]?.pts == nil {
        doubts.append("the output is not what was written: \(track.name) \(end)")
      }
    }
    return (losses, doubts)
  }

  /// Returns the written tracks with those of the file.
  ///
  /// Tracks of one kind have the same order in both. A track that is not in the file is left to other checks.
  private func pairTracks(of demuxer: DemuxerInstance) throws(MediaError) -> [TrackReadback] {
    let media = demuxer.media
    var indexes = Dictionary(
      grouping: media.tracks.indices.filter {
        !media.tracks[$0].disposition.contains(.attachedPicture)
      }, by: { media.tracks[$0].kind })
    var tracks: [TrackReadback] = []
    for track in written {
      guard let index = indexes[track.track.kind]?.first else { continue }
      indexes[track.track.kind]?.removeFirst()
      tracks.append(
        TrackReadback(track, index, media.tracks[index], of: demuxer.source, registry))
    }
    return tracks
  }

  /// Reads until each track has as many packets, bytes and frames as were remembered.
  ///
  /// Returns `false` if the limit ended it before.
  private func readStart(_ demuxer: DemuxerInstance, _ tracks: inout [TrackReadback])
    throws(MediaError) -> Bool
  {
    let selected = Set(tracks.map(\.index))
    try demuxer.select(demuxer.media.tracks.indices.map { selected.contains($0) })
    var (packets, bytes) = (0, 0)
    while tracks.contains(where: { !$0.isComplete }) {
      guard packets < Self.limit.packets, bytes < Self.limit.bytes else { return false }
      guard let packet = try demuxer.read() else { break }
      packets += 1
      bytes += packet.size
      guard let index = tracks.firstIndex(where: { $0.index == packet.track }) else { continue }
      try tracks[index].add(packet)
    }
    for index in tracks.indices { tracks[index].finish() }
    return true
  }

  /// Returns the time by which all tracks are read later than they were written, in seconds.
  ///
  /// Some demuxers count from the start of the first audio sample or frame that is presented. The first packet of Vorbis
  /// gives no audio (Vorbis I 4.3.8), so it is presented from its end.
  private func shift(of tracks: [TrackReadback]) -> Double {
    if let vorbis = tracks.first(where: { $0.written.track.codec == "vorbis" }),
      let (before, after) = vorbis.firstTimes, abs(after - before) < 0.2
    {
      return after - before
    }
    if let late = tracks.first(where: { $0.presentedDelay > 0 }),
      let (before, after) = late.firstTimes
    {
      return after - before
    }
    let starts = tracks.compactMap(\.presentedStart)
    guard let start = starts.min(), start > 0,
      let first = tracks.first(where: { $0.firstTimes != nil }),
      let (before, after) = first.firstTimes, abs(after - before + start) <= first.tolerance
    else { return 0 }
    return after - before
  }

  /// Reads the last seconds of the file; returns the last packets of the tracks that extend there, by index.
  private func readEnd(_ demuxer: DemuxerInstance, _ tracks: [TrackReadback])
    throws(MediaError) -> [Int: WrittenTrack.Last]
  {
    let ends = tracks.compactMap { track -> (track: TrackReadback, seconds: Double)? in
      guard [.audio, .video].contains(track.track.kind), let last = track.written.last.pts else {
        return nil
      }
      return (track, track.seconds(last, track.written.timeBase))
    }
    guard let last = ends.max(by: { $0.seconds < $1.seconds }) else { return [:] }
    let start = last.seconds - 2
    var found: [Int: WrittenTrack.Last] = [:]
    for (track, seconds) in ends where seconds > start + 1 { found[track.index] = track.last }
    // A short file is read on to its end, and so is one whose demuxer cannot seek.
    try demuxer.seekIfPossible(
      track: last.track.index, to: MediaTime(seconds: start, preferredTimescale: 1000))
    var (packets, bytes) = (0, 0)
    while let packet = try demuxer.read() {
      packets += 1
      bytes += packet.size
      guard packets < Self.limit.packets, bytes < Self.limit.bytes else { return [:] }
      found[packet.track]?.add(packet)
    }
    return found
  }
}
