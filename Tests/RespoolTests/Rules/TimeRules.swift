import Testing

@testable import Respool

/// What is documented of times and ranges and is proven nowhere else.
@Suite struct TimeRules {
  @Test func flagsAreTheDocumentedBits() {
    let flags: [MediaTime.Flags] = [
      .valid, .hasBeenRounded, .positiveInfinity, .negativeInfinity, .indefinite,
    ]
    #expect(flags.map(\.rawValue) == [1, 2, 4, 8, 16])
    #expect(MediaTime.Flags.impliedValueFlagsMask.rawValue == 28)
    for time in [MediaTime.positiveInfinity, .negativeInfinity, .indefinite] {
      #expect(time.isValid && !time.isNumeric)
      var invalid = time
      invalid.flags.remove(.valid)
      #expect(
        !invalid.isPositiveInfinity && !invalid.isNegativeInfinity && !invalid.isIndefinite)
    }
  }

  @Test func roundingMethodsHaveTheirNumbers() {
    let methods: [MediaTime.RoundingMethod] = [
      .roundHalfAwayFromZero, .roundTowardZero, .roundAwayFromZero, .quickTime,
      .roundTowardPositiveInfinity, .roundTowardNegativeInfinity,
    ]
    #expect(methods.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
    #expect(MediaTime.RoundingMethod.default == .roundHalfAwayFromZero)
  }

  @Test func rangesOfDifferentEpochsHaveNothingInCommon() {
    func range(_ epoch: Int64) -> TimeRange {
      TimeRange(
        start: MediaTime(value: 0, timescale: 1, flags: .valid, epoch: epoch),
        duration: MediaTime(value: 9, timescale: 1))
    }
    #expect(!range(0).union(range(1)).isValid && !range(0).intersection(range(1)).isValid)
    #expect(!range(0).containsTimeRange(range(1)) && !range(1).containsTime(.zero))
    #expect(range(1).containsTimeRange(range(1)) && range(1).union(range(1)) == range(1))
  }
}
