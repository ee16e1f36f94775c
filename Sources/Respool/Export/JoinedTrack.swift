import RespoolMedia

/// A track of a file that is made of a composition's pieces as they are stored.
final class JoinedTrack {
  /// With an edit for each piece.
  let track: TrackDescription
  private let pieces: [TimeRange]
  private var formats: JoinedFormats
  private let port: MuxPort
  private var begun = 0

  /// A track that shows a part of `composed`, as `track` tells.
  init(
    _ track: TrackDescription, of composed: CompositionTrack, in range: TimeRange, to port: MuxPort
  ) {
    var track = track
    let (base, start) = (track.timeBase, range.start)
    pieces = composed.pieces(in: range).compactMap(\.target)
    formats = JoinedFormats(track, of: composed, in: range)
    track.edits = pieces.map { piece in
      let first = (piece.start - start).ticks(base) ?? 0
      let last = (piece.end - start).ticks(base) ?? 0
      return .init(presentationStart: first, duration: max(0, last &- first), mediaStart: 0)
    }
    (self.track, self.port) = (track, port)
  }

  /// Which of the track's formats a piece's sample has.
  func format(of sample: SampleBuffer) -> Int { formats.number(of: sample.formatDescription) ?? 0 }

  /// Packets that stand for the pieces without media that come before one that begins.
  func skipped(before piece: TimeRange) -> [Packet] {
    guard let next = pieces[begun...].firstIndex(of: piece) else { return [] }
    defer { begun = next + 1 }
    return track.edits[begun..<next].map { edit in
      Packet(
        track: 0, pts: edit.presentationStart, dts: edit.presentationStart, flags: .startsPiece,
        payload: .bytes(MediaBuffer(count: 0)))
    }
  }

  /// Packets of compositions have their bytes with them: one track must not run far ahead of the others.
  func waitForRoom() { port.waitForRoom() }
}
