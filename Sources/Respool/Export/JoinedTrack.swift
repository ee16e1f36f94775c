import RespoolMedia

/// Track of a file that joins the clips of a composition without re-encoding.
final class JoinedTrack {
  /// Description of the track, with an edit for each clip.
  let track: TrackDescription
  private let clips: [TimeRange]
  private var formats: JoinedFormats
  private let port: TrackOutput
  private var begun = 0

  /// Creates a track that shows a part of `composed`, as described by `track`.
  init(
    _ track: TrackDescription, of composed: AssetTrack, in range: TimeRange,
    to port: TrackOutput
  ) {
    var track = track
    let (base, start) = (track.timeBase, range.start)
    clips = composed.clips(in: range).compactMap(\.target)
    formats = JoinedFormats(track, of: composed, in: range)
    track.edits = clips.map { clip in
      let first = (clip.start - start).ticks(base) ?? 0
      let last = (clip.end - start).ticks(base) ?? 0
      return .init(presentationStart: first, duration: max(0, last &- first), mediaStart: 0)
    }
    (self.track, self.port) = (track, port)
  }

  /// Returns the number of the sample description of a clip's sample.
  func format(of sample: SampleBuffer) -> Int { formats.number(of: sample.formatDescription) ?? 0 }

  /// Returns empty packets for the clips without media before a clip that begins.
  func skipped(before clip: TimeRange) -> [Packet] {
    guard let next = clips[begun...].firstIndex(of: clip) else { return [] }
    defer { begun = next + 1 }
    return track.edits[begun..<next].map { edit in
      Packet(
        track: 0, pts: edit.presentationStart, dts: edit.presentationStart, flags: .startsPiece,
        payload: .bytes(MediaBuffer(count: 0)))
    }
  }

  /// Waits until the interleaver has room: packets of compositions contain their bytes.
  ///
  /// One track must not run far ahead of the others.
  func waitForRoom() { port.waitForRoom() }
}
