package import RespoolMedia

/// Comparison of a written file with what its muxer and its encoders were given.
///
/// All packets are read, without their bytes where the container has an index: their number, times and sync samples are
/// compared with those that were written, and the bytes of the first ones. What a decoder makes of the first packets is
/// compared with the frames that were encoded. Then the duration that the file states is compared with its packets, and
/// it is checked that seeking leads to sync samples.
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

  /// Reads the file; returns losses, and reasons not to trust the file, one sentence each.
  ///
  /// `progress` gets the part that has been read, from 0 to less than 1. Throws `pluginFailure` if the file differs.
  package func check(_ demuxer: DemuxerInstance, _ progress: (Double) -> Void = { _ in })
    throws(MediaError)
    -> (losses: [String], doubts: [String])
  {
    // Another demuxer may read what the one of the container finds damaged.
    if let rejection = demuxer.rejection, rejection.code == .malformed { throw rejection }
    var tracks = try pairTracks(of: demuxer)
    try readAll(demuxer, &tracks, progress)
    var (losses, doubts): ([String], [String]) = ([], [])
    let shift = shift(of: tracks)
    func wrong(_ text: String) -> MediaError {
      MediaError(
        .pluginFailure, "the output is not what was written: \(text)", file: demuxer.source.path)
    }
    func note(_ track: TrackReadback, _ difference: Difference?, isDoubt: Bool = false)
      throws(MediaError)
    {
      switch difference {
      case .wrong(let text): throw wrong("\(track.name) \(text)")
      case .loss(let text):
        losses.append("\(track.name) \(text)")
        if isDoubt { doubts.append("the output is not what was written: \(track.name) \(text)") }
      case nil: break
      }
    }
    for track in tracks { try note(track, DescriptionComparison(track).difference, isDoubt: true) }
    // Transport streams have no place for the flag.
    let hasDefaults = tracks.contains { $0.track.disposition.contains(.default) }
    for track in tracks {
      try note(track, defaultDifference(of: track, among: tracks), isDoubt: hasDefaults)
    }
    for track in tracks where !track.repeatsPackets {
      if track.samples.packetCount == 0, track.written.packetCount == 1 {
        let text = "has one packet, of which little is presented; FFmpeg and Respool hide it"
        try note(track, .loss(text))
        continue
      }
      try note(track, track.written.delays.loss.map { .loss($0) })
      try note(track, track.presentedExcess.map { .loss($0) })
      try note(track, track.shorterLastFrame.map { .loss($0) })
      let packets = PacketComparison(track, shift: shift)
      try note(track, packets.difference, isDoubt: true)
      if !track.lacksLead { try note(track, track.decodedDifference()) }
      try note(track, track.shownDifference, isDoubt: true)
      let (time, end) = (packets.timeDifference, track.endDifference(shift: shift))
      // Containers that do not store the time of each packet have no gaps, but the same end.
      try note(track, time ?? end, isDoubt: end != nil || track.written.storesTimes)
      if case .wrong = end { try note(track, end) }
    }
    if let text = durationDifference(demuxer, tracks) { throw wrong(text) }
    // Streams have no table for seeking.
    guard tracks.allSatisfy(\.written.storesTimes) else { return (losses, doubts) }
    if let text = try SeekComparison(demuxer, tracks)?.difference() { throw wrong(text) }
    return (losses, doubts)
  }

  /// Returns the difference of the track that players choose among those of its kind; `nil` if there is none.
  ///
  /// They choose the first one with the flag, or else the first one.
  private func defaultDifference(of track: TrackReadback, among tracks: [TrackReadback])
    -> Difference?
  {
    let others = tracks.filter { $0.track.kind == track.track.kind }
    func chosen(_ description: (TrackReadback) -> TrackDescription) -> Int? {
      (others.first { description($0).disposition.contains(.default) } ?? others.first)?.index
    }
    guard others.count > 1, track.index == chosen({ $0.written.track }),
      let other = chosen(\.track), other != track.index
    else { return nil }
    return .loss("is not the default track; \(TrackNumber(index: other)) is")
  }

  /// Seconds by which the duration that a file states may differ from the end of its packets.
  private static let mostExcess = 0.1

  /// The difference of the duration in the header from the end of the packets; `nil` if there is none.
  private func durationDifference(_ demuxer: DemuxerInstance, _ tracks: [TrackReadback]) -> String?
  {
    guard let stated = demuxer.statedDuration.map({ Double($0) / 1e9 }), stated > 0,
      tracks.allSatisfy({ $0.written.storesTimes && !$0.repeatsPackets })
    else { return nil }
    // Tracks may end with frames of unknown length.
    let ends = tracks.compactMap(\.ends)
    guard ends.count == tracks.count, let first = ends.map(\.lowerBound).max(),
      let last = ends.map(\.upperBound).max()
    else { return nil }
    // A file without negative times may state its duration from its first packet on.
    let starts = tracks.compactMap { track in
      track.written.last.earliestPTS.map { track.seconds($0, track.written.timeBase) }
    }
    let lead = max(0, -(starts.min() ?? 0))
    let longest = tracks.map { $0.seconds($0.last.duration, $0.track.timeBase) }.max() ?? 0
    let tolerance = max(Self.mostExcess, longest)
    guard stated < first - tolerance || stated > last + lead + tolerance else { return nil }
    return "its header states \(stated.decimalText) s, and it ends at \(last.decimalText) s"
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

  private static let packetsPerReport: Int64 = 64
  /// Seconds within which a file begins whose container has no negative times.
  private static let mostStart = 0.002

  /// Reads all packets of the written tracks.
  private func readAll(
    _ demuxer: DemuxerInstance, _ tracks: inout [TrackReadback], _ progress: (Double) -> Void
  ) throws(MediaError) {
    let indexes = Dictionary(
      tracks.enumerated().map { ($0.element.index, $0.offset) },
      uniquingKeysWith: { first, _ in first })
    try demuxer.select(demuxer.media.tracks.indices.map { indexes[$0] != nil })
    let total = written.reduce(0) { $0 + $1.packetCount }
    var count: Int64 = 0
    while let packet = try demuxer.read() {
      if let track = indexes[packet.track] { try tracks[track].add(packet) }
      count += 1
      guard count % Self.packetsPerReport == 0, count < total else { continue }
      progress(Double(count) / Double(total))
    }
    for index in tracks.indices { tracks[index].finish() }
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
    // Containers without negative times begin with the first packet.
    let earliest = tracks.filter { $0.track.edits.isEmpty && $0.track.kind != .subtitle }
      .compactMap(\.firstTimes).min { $0.before < $1.before }
    if let (before, after) = earliest, before < 0, abs(after) < Self.mostStart {
      return after - before
    }
    let starts = tracks.compactMap(\.presentedStart)
    guard let start = starts.min(), start > 0,
      let first = tracks.first(where: { $0.firstTimes != nil }),
      let (before, after) = first.firstTimes, abs(after - before + start) <= first.tolerance
    else { return 0 }
    return after - before
  }
}
