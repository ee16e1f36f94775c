import RespoolMedia
import Testing

@testable import ISOMedia

/// The edit list of a track that is joined from several segments.
@Suite struct JoinedSegmentsTests {
  private let base = Rational(1, 100)

  private func pieces(_ edits: [Range<Int64>]) -> JoinedSegments {
    JoinedSegments(
      edits.map {
        .init(presentationStart: $0.lowerBound, duration: Int64($0.count), mediaStart: 0)
      },
      in: base, media: base)
  }

  private func packet(_ pts: Int64, _ dts: Int64) -> Packet {
    Packet(track: 0, pts: pts, dts: dts, payload: .range(offset: 0, length: 1))
  }

  /// Returns the edit list for a movie whose time scale is ten times the track's.
  private func entries(_ joined: JoinedSegments) -> [EditListBox.Entry] {
    joined.entries(origin: -20) { $0 * 10 }
  }

  @Test func `each clip is shown from the start of its edit in the media`() {
    var joined = pieces([0..<100, 100..<300])
    // Decoding starts 50 units before the movie and 130 units before the second edit.
    joined.start(packet(-30, -50), after: 0, holds: true, isAudio: false)
    joined.note(from: 0, to: 160)
    joined.start(packet(0, -30), after: 170, holds: true, isAudio: false)
    joined.note(from: 180, to: 500)
    #expect(
      entries(joined) == [
        .init(duration: 1000, mediaTime: 70), .init(duration: 2000, mediaTime: 320),
      ])
  }

  @Test func `the last frame stays if a clip is shorter than its edit`() {
    var joined = pieces([0..<100, 100..<150])
    joined.start(packet(10, 0), after: 0, holds: true, isAudio: false)
    joined.note(from: 10, to: 80)
    // The second segment starts late, too.
    joined.start(packet(110, 105), after: 80, holds: true, isAudio: false)
    #expect(joined.placed(packet(110, 105)).dts == 110)
    joined.note(from: 115, to: 160)
    #expect(
      entries(joined) == [
        .init(duration: 100, mediaTime: -1), .init(duration: 1000, mediaTime: 30),
        .init(duration: 400, mediaTime: 135),
      ])
  }

  @Test func `gaps between edits stay empty, except in audio, where they are silent`() {
    for isAudio in [false, true] {
      var joined = pieces([0..<100, 150..<200])
      joined.start(packet(0, 0), after: 0, holds: true, isAudio: isAudio)
      joined.note(from: 0, to: 100)
      joined.start(packet(150, 150), after: 100, holds: true, isAudio: isAudio)
      let begin = joined.placed(packet(150, 150)).pts ?? 0
      joined.note(from: begin, to: begin + 50)
      #expect(
        entries(joined)
          == (isAudio
            // One edit shows both segments, because the media has no gap.
            ? [.init(duration: 2000, mediaTime: 20)]
            : [
              .init(duration: 1000, mediaTime: 20), .init(duration: 500, mediaTime: -1),
              .init(duration: 500, mediaTime: 120),
            ]))
    }
  }

  @Test func `PCM has empty edits for gaps`() {
    var joined = pieces([0..<100, 100..<150])
    joined.start(packet(0, 0), after: 0, holds: false, isAudio: true)
    joined.note(from: 0, to: 80)
    joined.start(packet(100, 100), after: 80, holds: false, isAudio: true)
    joined.note(from: 80, to: 130)
    #expect(
      entries(joined) == [
        .init(duration: 800, mediaTime: 20), .init(duration: 200, mediaTime: -1),
        .init(duration: 500, mediaTime: 100),
      ])
  }

  @Test func `a clip without media is ignored`() {
    var joined = pieces([0..<100, 100..<150, 150..<200])
    joined.start(packet(0, 0), after: 0, holds: true, isAudio: false)
    joined.note(from: 0, to: 100)
    joined.start(packet(100, 100), after: 100, holds: true, isAudio: false)
    joined.start(packet(150, 150), after: 100, holds: true, isAudio: false)
    joined.note(from: 100, to: 150)
    #expect(
      entries(joined) == [
        .init(duration: 1000, mediaTime: 20), .init(duration: 500, mediaTime: -1),
        .init(duration: 500, mediaTime: 120),
      ])
  }

  @Test func `times inside a packet are moved with its clip`() {
    var joined = pieces([0..<100])
    #expect(joined.placed(packet(130, 110)).pts == 130)
    joined.start(packet(110, 110), after: 500, holds: true, isAudio: false)
    #expect(
      joined.placed(packet(130, 110)).dts == 500 && joined.placed(packet(130, 110)).pts == 520)
  }
}
