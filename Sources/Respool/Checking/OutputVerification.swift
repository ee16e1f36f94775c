import RespoolMedia

/// Extent of the check of an output before it is published.
public enum OutputVerification: String, Sendable, CaseIterable {
  /// The header, the packets of each track and the table for seeking are compared with what was written, with all bytes
  /// of encoded packets, and what is decoded of the beginning with what was encoded.
  case usual
  /// In addition, all bytes of copied packets are compared with those of the source.
  case bytes
  /// In addition, the whole output is decoded, and its frames and audio samples are counted.
  case full
}

/// A check of a whole output against the tracks that were written.
struct WholeOutputCheck {
  let path: String
  let written: [WrittenTrack]
  let registry: PluginRegistry
  let threads: Int
  /// Seconds at which the source ends early; `nil` if it does not.
  var earlyEnd: Double?

  /// Seconds before an early end within which copied packets may be cut off: the longest ones last about half a second.
  private static let longestPacket = 0.5

  /// Decodes the output; returns notes on tracks that could not be decoded, one sentence each.
  ///
  /// Throws `pluginFailure` if the output is damaged, or lacks frames or audio samples.
  func run(
    cancelledBy cancellation: ReadCancellation, _ progress: @escaping @Sendable (Double) -> Void
  )
    throws(MediaError) -> [String]
  {
    let report = try FileCheck(path: path, registry: registry, threads: threads)
      .run(cancelledBy: cancellation, progress: progress)
    let copies = written.contains { $0.encodedFrameCount == nil }
    let found = report.findings.filter { $0.kind == .damage }
    let damage = found.filter { !copies || !isOfCutPacket($0) }.map(\.description)
    if !damage.isEmpty {
      throw fault(
        "is damaged: \(damage.joined(separator: "; "))"
          + (copies ? "; packets that are copied may be damaged in the source" : ""))
    }
    if let difference = difference(from: report.tracks) { throw fault(difference) }
    let cuts = found.map { "output: \($0); the source ends there" }
    return cuts + report.findings.filter { $0.kind == .unchecked }.map { "output: \($0)" }
  }

  /// Returns `true` for damage where the source ends early: its last packet is copied as far as it is there.
  private func isOfCutPacket(_ finding: FileCheck.Finding) -> Bool {
    guard let earlyEnd, let times = finding.times else { return false }
    return times.lowerBound >= earlyEnd - Self.longestPacket
  }

  private func fault(_ words: String) -> MediaError {
    MediaError(.pluginFailure, "the output \(words)", file: path)
  }

  /// Returns the first difference of what was decoded from what was written, as part of a sentence.
  ///
  /// Tracks of one kind have the same order in both.
  func difference(from tracks: [FileCheck.Track]) -> String? {
    var found = Dictionary(
      grouping: tracks.indices.filter { !tracks[$0].isCover }, by: { tracks[$0].kind })
    for track in written where !track.track.disposition.contains(.attachedPicture) {
      guard let index = found[track.track.kind]?.first else { continue }
      found[track.track.kind]?.removeFirst()
      guard let words = Self.difference(of: tracks[index], from: track) else { continue }
      return "is not what was written: \(TrackNumber(index: index)) \(words)"
    }
    return nil
  }

  private static func difference(of found: FileCheck.Track, from written: WrittenTrack) -> String? {
    guard let frameCount = found.frameCount else { return nil }
    guard let encoded = written.encodedFrameCount, let seconds = written.encodedAudioSeconds else {
      // Packets of which nothing is presented may lie outside of an edit list.
      guard !written.isRepacketized, found.packetCount < written.shownPacketCount else {
        return nil
      }
      return "has \(found.packetCount.counting("packet")); \(written.shownPacketCount) were written"
    }
    switch found.kind {
    case .video where frameCount != encoded:
      return "is decoded to \(frameCount.counting("frame")); \(encoded) were encoded"
    case .audio where abs(found.audioSeconds - seconds) > tolerance(written.track.codec):
      return "is decoded to \(found.audioSeconds.decimalText) s of audio; "
        + "\(seconds.decimalText) s were encoded"
    default: return nil
    }
  }

  /// Returns the difference of durations that rounding and padding explain, in seconds.
  ///
  /// A container that cannot state the padding of an encoder presents its packets whole.
  private static func tolerance(_ codec: String) -> Double {
    codec.hasPrefix("pcm_") || codec == "flac" || codec == "alac" ? 0.002 : 0.1
  }
}
