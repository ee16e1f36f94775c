import RespoolMedia
import Testing

@testable import ISOMedia

/// The edit list of a track that is made of pieces.
@Suite struct JoinedPiecesTests {
  private let base = Rational(1, 100)

  private func edit(_ start: Int64, _ duration: Int64) -> TrackDescription.Edit {
    .init(presentationStart: start, duration: duration, mediaStart: 0)
  }

  /// Of a movie with ten units to one of the track.
  private func entries(_ joined: JoinedPieces, _ edits: [TrackDescription.Edit])
    -> [EditListBox.Entry]
  {
    joined.entries(edits, in: base, media: base, origin: -20) { $0 * 10 }
  }

  @Test func `each piece is shown from where its edit begins in the media`() {
    var joined = JoinedPieces()
    // Decoding begins 50 before the movie, and 130 before the second edit.
    joined.start(at: -50, behind: 0)
    joined.note(from: 0, to: 160)
    joined.start(at: -30, behind: 170)
    joined.note(from: 180, to: 500)
    #expect(
      entries(joined, [edit(0, 100), edit(100, 200)]) == [
        .init(duration: 1000, mediaTime: 70), .init(duration: 2000, mediaTime: 320),
      ])
  }

  @Test func `where a piece has no media there is an empty edit`() {
    var joined = JoinedPieces()
    joined.start(at: 0, behind: 0)
    joined.note(from: 10, to: 80)
    joined.start(at: 100, behind: 80)
    joined.note(from: 80, to: 180)
    #expect(
      entries(joined, [edit(0, 100), edit(100, 50)]) == [
        .init(duration: 100, mediaTime: -1), .init(duration: 700, mediaTime: 30),
        .init(duration: 200, mediaTime: -1), .init(duration: 500, mediaTime: 100),
      ])
  }

  @Test func `times of a packet are moved with its piece`() {
    var joined = JoinedPieces()
    let packet = Packet(track: 0, pts: 130, dts: 110, payload: .range(offset: 0, length: 1))
    #expect(joined.placed(packet).pts == 130)
    joined.start(at: 110, behind: 500)
    #expect(joined.placed(packet).dts == 500 && joined.placed(packet).pts == 520)
  }
}
