import RespoolMedia
import Testing

@Suite struct TimecodeTests {
  @Test(
    arguments: [
      (0, 25, false, "00:00:00:00"), (90_000, 25, false, "01:00:00:00"),
      (1799, 30, true, "00:00:59;29"), (1800, 30, true, "00:01:00;02"),
      (17_981, 30, true, "00:09:59;29"), (17_982, 30, true, "00:10:00;00"),
      (3600, 60, true, "00:01:00;04"), (86_400 * 25 + 1, 25, false, "00:00:00:01"),
    ] as [(Int64, Int64, Bool, String)])
  func `frame numbers become timecodes`(
    number: Int64, rate: Int64, isDropFrame: Bool, text: String
  ) {
    let timecode = Timecode(frame: number, framesPerSecond: rate, isDropFrame: isDropFrame)
    #expect(timecode?.description == text)
  }

  @Test func `numbers that are no times give no timecode`() {
    #expect(Timecode(frame: -1, framesPerSecond: 25, isDropFrame: false) == nil)
    #expect(Timecode(frame: 1, framesPerSecond: 0, isDropFrame: true) == nil)
    #expect(Timecode(sideData: [0, 0, 0, 0, 1, 2, 3, 4]) == nil)
    #expect(Timecode(sideData: [1, 0, 0, 0, 1, 2, 3]) == nil)
  }

  @Test func `a timecode stays the same as side data`() {
    let code = Timecode(hours: 21, minutes: 42, seconds: 13, frames: 28, isDropFrame: true)
    #expect(code.description == "21:42:13;28")
    #expect(Timecode(sideData: code.sideData.bytes) == code)
  }

  @Test func `a GOP header states a timecode`() {
    let code: UInt32 = 1 << 24 | 1 << 19 | 2 << 13 | 1 << 12 | 3 << 6 | 4
    #expect(Timecode(groupOfPictures: code).description == "01:02:03;04")
    #expect(Timecode(groupOfPictures: 1 << 24 | 1 << 12).isZero)
  }
}
