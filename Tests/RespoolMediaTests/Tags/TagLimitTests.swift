import RespoolMedia
import Testing

/// Tags that are made to take very long to read.
@Suite struct TagLimitTests {
  /// The time for each of these was once quadratic in the number of frames.
  @Test(arguments: ["TXXX", "TIT2", "CHAP", "COMM"])
  func `the time to read frames grows with their number only`(name: String) {
    let frames = (0..<60_000).flatMap { number in
      let text = Array("\(number)".utf8)
      let body =
        switch name {
        case "TXXX": [3] + text + [0] + text
        case "COMM": [3] + Array("eng\0".utf8) + text
        case "CHAP": text + [0] + [UInt8](repeating: 1, count: 16)
        default: [3] + text
        }
      return ID3Frame(name, body).bytes ?? []
    }
    let tag = ID3Tag(Array("ID3".utf8) + [4, 0, 0] + ID3Frame.syncSafe(frames.count) + frames)
    #expect(tag.texts.count <= 4096)
    #expect(tag.frames.count == 8192)
    #expect(NativeTag.entries(tag.texts).count <= 4096)
  }

  /// Frames of version 2.2 with unknown names are kept with the other frames.
  @Test func `unknown names of version 2 are kept`() {
    let body = [UInt8]("ABC".utf8) + [0, 0, 1, 7] + Array("GEO".utf8) + [0, 0, 1, 8]
    let tag = ID3Tag(Array("ID3".utf8) + [2, 0, 0] + ID3Frame.syncSafe(body.count) + body)
    #expect(tag.others.map(\.name) == ["ABC ", "GEOB"])
    #expect(ID3Frame.records(tag.others).flatMap { ID3Frame.frames(in: $0) } == tag.others)
  }
}
