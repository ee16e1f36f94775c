package import RespoolMedia

extension DemuxerInstance {
  /// Returns the media description with the actual start and end of each track, found by reading all packets.
  ///
  /// For a damaged file, only packets before the damage that ends it count. Calls `step` for every packet.
  /// Throws `io` and `cancelled`.
  package func measuredMedia(step: () -> Void = {}) throws(MediaError) -> MediaDescription {
    var spans = media.tracks.map(TrackSpan.init)
    do throws(MediaError) {
      while let packet = try read() {
        step()
        if spans.indices.contains(packet.track) { spans[packet.track].add(packet) }
      }
    } catch  where error.code != .io && error.code != .cancelled {
      // The reader of the media reports the damage.
    }
    var measured = media
    var end: MediaTime?
    for (index, span) in spans.enumerated() {
      let track = media.tracks[index]
      guard let times = span.shown else {
        // A track lasts no longer than its packets, even if its header states more.
        if track.kind == .audio || track.isMovingPicture { measured.tracks[index].duration = 0 }
        continue
      }
      measured.tracks[index].start = times.lowerBound
      measured.tracks[index].duration = times.upperBound - times.lowerBound
      guard track.kind == .audio || track.isMovingPicture else { continue }
      end = max(end ?? .zero, MediaTime(times.upperBound, track.timeBase))
    }
    let nanoseconds = end?.convertScale(1_000_000_000, method: .default)
    if let nanoseconds, nanoseconds.isNumeric { measured.duration = nanoseconds.value }
    measured.extendDurationToTracks()
    let hasMedia = media.tracks.contains { $0.kind == .audio || $0.isMovingPicture }
    if hasMedia, end == nil { measured.duration = 0 }
    return measured
  }
}

/// Range of time in which the packets of a track are presented.
private struct TrackSpan {
  /// Duration of packets that do not state one.
  private let usual: Int64
  /// Longest duration of a packet that is accepted; for a packet that claims more, ``usual`` applies.
  private let longest: Int64
  private let isMedia: Bool
  private var start: Int64?
  private var end: Int64 = 0

  init(_ track: TrackDescription) {
    isMedia = !track.disposition.contains(.attachedPicture) && track.kind != .attachment
    // A still frame may last as long as a film; the audio of a packet is decoded from its bytes.
    let seconds: Int64 = track.kind == .audio ? 60 : 86_400
    longest = Rational(1, 1).convert(seconds, to: track.timeBase)
    usual = track.frameRate.isPositive ? track.frameRate.inverse.convert(1, to: track.timeBase) : 0
  }

  mutating func add(_ packet: Packet) {
    guard isMedia, !packet.flags.contains(.discard), let time = packet.pts ?? packet.dts else {
      return
    }
    let (shown, overflow) = time.addingReportingOverflow(max(0, packet.trimStart))
    let isBelievable = !isMedia || packet.duration <= longest || longest <= 0
    let lasts =
      packet.duration > 0 && isBelievable ? packet.duration - max(0, packet.trimEnd) : usual
    let (last, isTooLate) = time.addingReportingOverflow(max(0, lasts))
    guard !overflow, !isTooLate else { return }
    // Media before 0 is not presented.
    start = min(start ?? .max, max(0, shown))
    end = max(end, last)
  }

  /// Presented range.
  ///
  /// `nil` if it is empty.
  var shown: Range<Int64>? { start.flatMap { $0 < end ? $0..<end : nil } }
}
