import RespoolMedia
import TestFixtures
import Testing

@Suite struct MediaTimeConversionTests {
  @Test(
    .rule,
    arguments: [
      // Converts tenths of a second to whole seconds. 15 and -15 are halves.
      (MediaTime.RoundingMethod.roundHalfAwayFromZero, 14, 1), (.roundHalfAwayFromZero, 15, 2),
      (.roundHalfAwayFromZero, -15, -2), (.roundHalfAwayFromZero, -14, -1),
      (.roundTowardZero, 19, 1), (.roundTowardZero, -19, -1),
      (.roundAwayFromZero, 11, 2), (.roundAwayFromZero, -11, -2),
      (.quickTime, 19, 1), (.quickTime, -19, -1), (.quickTime, -1, -1), (.quickTime, 1, 0),
      (.roundTowardPositiveInfinity, 11, 2), (.roundTowardPositiveInfinity, -19, -1),
      (.roundTowardNegativeInfinity, 19, 1), (.roundTowardNegativeInfinity, -11, -2),
    ])
  func `each rounding method rounds in its direction`(
    method: MediaTime.RoundingMethod, value: Int64, expected: Int64
  ) {
    let time = MediaTime(value: value, timescale: 10).convertScale(1, method: method)
    #expect((time.value, time.timescale) == (expected, 1))
    #expect(time.hasBeenRounded)
  }

  @Test(.rule) func `QuickTime's rounding is away from zero for a greater timescale`() {
    let time = MediaTime(value: 1, timescale: 2).convertScale(3, method: .quickTime)
    #expect(time.value == 2)
    #expect(MediaTime(value: -1, timescale: 2).convertScale(3, method: .quickTime).value == -2)
  }

  @Test(arguments: MediaTime.RoundingMethod.allCases)
  func `exact conversions are not marked as rounded`(method: MediaTime.RoundingMethod) {
    let time = MediaTime(value: 7, timescale: 24).convertScale(600, method: method)
    #expect((time.value, time.timescale) == (175, 600))
    #expect(!time.hasBeenRounded)
  }

  @Test func `conversion keeps special values and rejects bad timescales`() {
    #expect(MediaTime.positiveInfinity.convertScale(10, method: .default).isPositiveInfinity)
    #expect(!MediaTime.zero.convertScale(0, method: .default).isValid)
    #expect(
      MediaTime(value: .max, timescale: 1).convertScale(2, method: .default).isPositiveInfinity)
  }

  @Test(.rule)
  func `seconds become the nearest unit, marked as rounded unless it gives the same seconds`() {
    let time = MediaTime(seconds: 1.5, preferredTimescale: 600)
    #expect((time.value, time.timescale) == (900, 600))
    #expect(!time.hasBeenRounded)
    #expect(MediaTime(seconds: 0.1, preferredTimescale: 10).value == 1)
    #expect(!MediaTime(seconds: 0.1, preferredTimescale: 10).hasBeenRounded)
    #expect(!MediaTime(seconds: -1.1, preferredTimescale: 600).hasBeenRounded)
    #expect(MediaTime(seconds: 0.1, preferredTimescale: 3).hasBeenRounded)
    #expect(MediaTime(seconds: 0x1p-60, preferredTimescale: 600).hasBeenRounded)
    #expect(MediaTime(seconds: 0.5, preferredTimescale: 1).value == 1)
    #expect(MediaTime(seconds: -0.5, preferredTimescale: 1).value == -1)
    #expect(MediaTime(seconds: -0.0, preferredTimescale: 1) == .zero)
    #expect(MediaTime(seconds: .leastNonzeroMagnitude, preferredTimescale: .max).value == 0)
  }

  @Test(.rule)
  func
    `a preferred timescale that is not positive makes invalid, and one that is too large is halved`()
  {
    let time = MediaTime(seconds: 0x1p62, preferredTimescale: 1000)
    #expect((time.value, time.timescale) == (1 << 62, 1))
    #expect(MediaTime(seconds: 0x1p63, preferredTimescale: 600).isPositiveInfinity)
    #expect(MediaTime(seconds: -.infinity, preferredTimescale: 600).isNegativeInfinity)
    #expect(!MediaTime(seconds: .nan, preferredTimescale: 600).isValid)
    #expect(!MediaTime(seconds: 1, preferredTimescale: 0).isValid)
    #expect(!MediaTime(seconds: 1, preferredTimescale: -600).isValid)
  }

  @Test(.rule) func `the seconds of an invalid or indefinite time are NaN`() {
    #expect(MediaTime.invalid.seconds.isNaN)
    #expect(MediaTime.indefinite.seconds.isNaN)
    #expect(MediaTime.positiveInfinity.seconds == .infinity)
    #expect(MediaTime.negativeInfinity.seconds == -.infinity)
    #expect(MediaTime(value: 3, timescale: 2).seconds == 1.5)
  }
}
