import RespoolMedia
import TestFixtures
import Testing

@Suite struct MediaTimeComparisonTests {
  @Test(.rule)
  func `the order of times is minus infinity, numbers, indefinite, plus infinity, invalid`() {
    let ordered: [MediaTime] = [
      .negativeInfinity, MediaTime(value: .min, timescale: 1), .zero,
      MediaTime(value: .max, timescale: 1), .indefinite, .positiveInfinity, .invalid,
    ]
    for (i, a) in ordered.enumerated() {
      for (j, b) in ordered.enumerated() {
        #expect(a.compare(b) == (i < j ? -1 : i > j ? 1 : 0))
        #expect((a < b) == (i < j))
      }
    }
  }

  @Test(.rule) func `times that compare equal hash equal`() {
    let half = MediaTime(value: 1, timescale: 2)
    let same = MediaTime(value: 300, timescale: 600)
    #expect(half == same)
    #expect(half.hashValue == same.hashValue)
    #expect(Set([half, same, MediaTime(value: -1, timescale: 2)]).count == 2)
    #expect(Set([MediaTime.invalid, MediaTime(value: 5, timescale: 0)]).count == 1)
  }

  @Test func `comparison is exact where doubles are not`() {
    let a = MediaTime(value: .max, timescale: .max)
    let b = MediaTime(value: .max - 1, timescale: .max)
    #expect(a.seconds == b.seconds)
    #expect(b < a)
  }

  @Test(.rule) func `the epoch is compared before the value`() {
    let early = MediaTime(value: 100, timescale: 1, flags: .valid, epoch: 0)
    let late = MediaTime(value: 1, timescale: 1, flags: .valid, epoch: 1)
    #expect(early < late)
    #expect(early != MediaTime(value: 100, timescale: 1, flags: .valid, epoch: 1))
  }

  @Test(.rule) func `a time is numeric if it is valid and neither infinite nor indefinite`() {
    #expect(MediaTime.zero.isNumeric)
    for time in [MediaTime.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
      #expect(!time.isNumeric)
    }
    #expect(MediaTime.indefinite.isValid && MediaTime.positiveInfinity.isValid)
    #expect(!MediaTime(value: 1, timescale: 0).isValid)
    #expect(!MediaTime(value: 1, timescale: -5).isValid)
  }
}
