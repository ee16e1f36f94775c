import RespoolMedia

/// The beginning of a track of a written file, as a demuxer and a decoder return it.
struct TrackReadback {
  let written: WrittenTrack
  /// Index of the track in the file.
  let index: Int
  let track: TrackDescription
  private(set) var bytes: [UInt8] = []
  private let source: FileSource
  /// Decoder of an encoded track; `nil` if the packets are copied or no plugin decodes them.
  private let decode: DecodeStage?
  private let collector = DigestStage()
  /// Configuration of AAC whose packets begin with ADTS headers (ISO/IEC 14496-3 1.A.3.2), from the first packet.
  private(set) var configuration: AudioSpecificConfiguration?
  /// `true` if the decoder has failed or is drained.
  private var decoderHasEnded = false
  private(set) var last = WrittenTrack.Last()
  /// All bytes of the packets; `nil` if they are not compared.
  private(set) var content: TrackContent?
  /// Packets along the whole track, at the distance of those that were written.
  private(set) var samples: PacketSamples
  /// Number of packets of which something is presented.
  private(set) var shownCount: Int64 = 0
  /// Sync samples along the whole track.
  private(set) var syncSamples = PacketSamples(limit: 16, startLength: 0)

  init(
    _ written: WrittenTrack, _ index: Int, _ track: TrackDescription, of source: FileSource,
    _ registry: PluginRegistry
  ) {
    (self.written, self.index, self.track, self.source) = (written, index, track, source)
    samples = PacketSamples(like: written.samples)
    content = written.content.map { TrackContent(of: track, like: $0) }
    decode =
      written.digest == nil
      ? nil : try? DecodeStage(track, of: source, registry: registry, threads: 1, to: collector)
  }

  /// `track 1`, for messages.
  var name: String { "\(TrackNumber(index: index))" }

  /// `true` if several edits present media as they were written, so that packets may be read once for each.
  var repeatsPackets: Bool {
    [track, written.track].allSatisfy { $0.edits.count { $0.mediaStart != nil } > 1 }
  }

  /// Presentation times of the first packet as written and as read, in seconds.
  var firstTimes: (before: Double, after: Double)? {
    guard let one = written.samples.samples.first?.pts, let other = samples.samples.first?.pts
    else { return nil }
    return (seconds(one, written.timeBase), seconds(other, track.timeBase))
  }

  /// Ends of the track that a header may state, in seconds: that of the last packet and of the last one that is presented,
  /// as they were written and as they are read; `nil` if the durations of packets are unknown.
  var ends: ClosedRange<Double>? {
    guard last.duration > 0, let read = last.end, let before = written.last.end else { return nil }
    let ends = [
      seconds(read, track.timeBase), seconds(before, written.timeBase),
      last.shownEnd.map { seconds($0, track.timeBase) },
      written.last.shownEnd.map { seconds($0, written.timeBase) },
    ].compactMap(\.self)
    guard let first = ends.min(), let last = ends.max() else { return nil }
    return first...last
  }

  /// The difference of the number of packets of which something is presented, for files with an edit.
  ///
  /// Readers round an edit to whole frames.
  var shownDifference: OutputComparison.Difference? {
    guard !track.edits.isEmpty, !written.isRepacketized, track.kind == .video,
      shownCount < written.shownPacketCount - 1
    else { return nil }
    return .loss("presents \(shownCount.counting("frame")) of \(written.shownPacketCount)")
  }

  /// `true` if packets before the first one that is presented are left out, as readers do with an edit list.
  var lacksLead: Bool {
    guard !track.edits.isEmpty, samples.packetCount < written.packetCount,
      let (before, after) = firstTimes
    else { return false }
    return before < -tolerance && after > before + tolerance
  }

  /// Seconds by which a copied track with an edit begins at another time because readers round the edit to a whole frame.
  var editRounding: Double {
    guard written.digest == nil, !track.edits.isEmpty, let (before, after) = firstTimes else {
      return 0
    }
    let frame = seconds(max(written.firstDuration, written.last.duration), written.timeBase)
    if lacksLead, let end = written.last.pts, let found = last.pts {
      let late = seconds(found, track.timeBase) - seconds(end, written.timeBase)
      return abs(late) <= frame * 1.01 ? late : 0
    }
    return abs(after - before) <= frame ? after - before : 0
  }

  /// Presentation time of the first frame or audio sample that was written and is presented, in seconds.
  var presentedStart: Double? {
    guard let (before, _) = firstTimes, track.kind != .subtitle else { return nil }
    let written = self.written.track
    guard written.kind == .audio, written.sampleRate > 0 else { return before }
    return before + Double(written.initialPadding) / Double(written.sampleRate)
  }

  /// Number of audio samples of the encoder's delay that the file presents, because it cannot state the delay.
  var presentedDelay: Int {
    guard written.presentsDelay, written.track.kind == .audio, let (before, after) = firstTimes,
      before < -tolerance,
      after >= -tolerance, track.initialPadding == 0
    else { return 0 }
    return Int((-before * Double(written.track.sampleRate)).rounded())
  }

  /// Number of audio samples of padding that the file presents at its end, because it cannot state them.
  private var presentedPadding: Int {
    guard written.presentsDelay, written.track.kind == .audio, written.last.trimEnd > 0 else {
      return 0
    }
    let padding = seconds(written.last.trimEnd, written.timeBase)
    return Int((padding * Double(written.track.sampleRate)).rounded())
  }

  /// The delay and the padding that the file presents as part of a sentence; `nil` if there are none.
  var presentedExcess: String? {
    let (delay, padding) = (presentedDelay, presentedPadding)
    let words = [
      delay > 0 ? "begins with the \(delay.counting("sample")) of its encoder's delay" : nil,
      padding > 0 ? "ends with \(padding.counting("sample")) of padding" : nil,
    ].compactMap(\.self)
    guard !words.isEmpty else { return nil }
    return words.joined(separator: " and ") + ", because the file cannot state it"
  }

  mutating func add(_ packet: Packet) throws(MediaError) {
    last.add(packet)
    try samples.add(packet, of: source)
    if packet.isShown { shownCount += 1 }
    if packet.flags.contains(.key) { try syncSamples.add(packet, of: source) }
    if samples.packetCount == 1 {
      try readConfiguration(packet)
      collector.leave(presentedDelay)
    }
    let room = written.bytes.count - bytes.count
    // Headers in packets were added by the muxer.
    let header =
      configuration == nil || room <= 0 && content == nil
      ? 0 : try packet.adtsHeader(of: source)?.byteCount ?? 0
    if room > 0 { bytes += try packet.firstBytes(room + header, of: source).dropFirst(header) }
    try content?.add(packet, of: source, after: header)
    guard let decode, !decoderHasEnded, !collector.digest.isComplete else { return }
    // The digest lacks frames that cannot be decoded.
    do throws(MediaError) { try decode.consume(packet) } catch { decoderHasEnded = true }
  }

  private mutating func readConfiguration(_ packet: Packet) throws(MediaError) {
    guard track.codec == "aac", track.extradata.isEmpty, !written.track.extradata.isEmpty else {
      return
    }
    configuration = try packet.adtsHeader(of: source)?.configuration
  }

  /// Drains the decoder after the last packet.
  mutating func finish() {
    guard let decode, !decoderHasEnded, !collector.digest.isComplete else { return }
    decoderHasEnded = true
    try? decode.finish()
  }

  /// Returns the difference of what is decoded from what was encoded.
  func decodedDifference() -> OutputComparison.Difference? {
    guard let digest = written.digest, let decode else { return nil }
    if let damage = decode.firstDamage {
      return .wrong("cannot be decoded: \(damage.message)")
    }
    return digest.difference(from: collector.digest)
  }

  /// Seconds up to which the times of copied packets may differ: sources have times that no container expresses.
  private static let mostRounding = 0.02

  /// Returns a difference of times, which `text` describes.
  ///
  /// Times of an encoded track must be those that were written.
  func difference(ofTimes text: String, by seconds: Double) -> OutputComparison.Difference {
    let isWrong =
      written.digest != nil || written.storesTimes && abs(seconds) > Self.mostRounding
    return isWrong ? .wrong(text) : .loss(text)
  }

  /// Returns the difference of the track's last packet.
  ///
  /// `shift` is the time in seconds by which all tracks are read later than they were written.
  func endDifference(shift: Double) -> OutputComparison.Difference? {
    guard track.kind == .audio || track.kind == .video, let pts = written.last.pts else {
      return nil
    }
    let duration = (
      written: seconds(written.last.duration, written.timeBase),
      found: seconds(last.duration, track.timeBase)
    )
    var before = seconds(pts, written.timeBase)
    guard let foundPTS = last.pts else {
      return .loss("has no packet at its end, at \(before.decimalText) s")
    }
    var after = seconds(foundPTS, track.timeBase) - shift - editRounding
    if written.isRepacketized {
      before += duration.written
      after += duration.found
    }
    // Packets after the presented ones may lie outside of an edit list.
    let shown = seconds(written.last.shownPTS ?? pts, written.timeBase)
    guard after <= before + tolerance, after >= min(before, shown) - tolerance else {
      let words = written.isRepacketized ? "ends at" : "has its last packet at"
      return difference(
        ofTimes: "\(words) \(after.decimalText) s instead of \(before.decimalText) s",
        by: after - before)
    }
    // Some containers store no durations, and some sources wrong ones; then nothing is known of the end.
    let trim = (
      written: seconds(written.last.trimEnd, written.timeBase),
      found: seconds(last.trimEnd, track.timeBase)
    )
    guard written.digest != nil, track.kind == .audio, !written.isRepacketized,
      !written.presentsDelay, written.last.duration > 0,
      abs(duration.written - duration.found) <= tolerance,
      abs(trim.written - trim.found) > tolerance
    else { return nil }
    return difference(
      ofTimes: "ends \(trim.found.decimalText) s before the end of its last packet instead of "
        + "\(trim.written.decimalText) s", by: trim.found - trim.written)
  }

  /// The shorter time of the last frame in a file that states no durations, as part of a sentence; `nil` if it is as it was
  /// written, except for what no one sees.
  var shorterLastFrame: String? {
    guard track.kind == .video, track.isMovingPicture, last.pts != nil else { return nil }
    let before = seconds(written.last.duration, written.timeBase)
    let after = max(0, seconds(last.duration, track.timeBase))
    guard before - after > Self.leastLoss else { return nil }
    return "shows its last frame for \(after.decimalText) s instead of \(before.decimalText) s, "
      + "because the file does not state how long frames last"
  }

  /// Seconds by which the end of a track has to differ to be named.
  private static let leastLoss = 0.05

  /// Difference of times that rounding explains, in seconds.
  ///
  /// Times are rounded when they are written and when they are read. Start times are rounded once more: encoder delay
  /// in Matroska, and edit lists, which count in units of the movie, often milliseconds.
  var tolerance: Double {
    let units = 2 * max(written.timeBase.doubleValue, track.timeBase.doubleValue)
    // Sums of Double must not exceed it.
    return max(units, 0.001) * 1.01 + unstatedOverlap
  }

  /// Half of a long block of Vorbis in seconds; 0 for other codecs.
  ///
  /// The length of a packet depends on the one before (Vorbis I 4.3.8). FFmpeg computes the times of Ogg from the end of
  /// each page and takes a short packet before, so that short packets after long ones are late.
  private var unstatedOverlap: Double {
    guard written.track.codec == "vorbis", written.track.sampleRate > 0,
      let head = try? XiphLacing.split(written.track.extradata).first, head.count > 28
    else { return 0 }
    return Double(1 << Int(head[28] >> 4)) / 2 / Double(written.track.sampleRate)
  }

  func seconds(_ time: Int64, _ base: Rational) -> Double { MediaTime(time, base).seconds }
}

/// A stage that makes a digest of the frames that come.
private final class DigestStage: Stage {
  private(set) var digest = TrackDigest()

  /// Leaves out audio samples at the start.
  func leave(_ count: Int) { digest.skippedCount = count }
  func consume(_ frame: Frame) { digest.add(frame) }
  func skip(to nanoseconds: Int64) {}
  func finish() {}
}

extension Packet {
  /// Returns the ADTS header at the start of a packet; `nil` if there is none.
  fileprivate func adtsHeader(of source: FileSource) throws(MediaError) -> ADTSHeader? {
    try? ADTSHeader(firstBytes(9, of: source))
  }
}
