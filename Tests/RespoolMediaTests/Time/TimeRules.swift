import TestFixtures
import Testing

@testable import RespoolMedia

/// Documented rules for times and ranges that no other suite checks.
@Suite struct TimeRules {
  @Test(.rule) func `flags are the documented bits`() {
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

  @Test(.rule) func `rounding methods are numbered from 1, and half away from zero is the default`()
  {
    let methods: [MediaTime.RoundingMethod] = [
      .roundHalfAwayFromZero, .roundTowardZero, .roundAwayFromZero, .quickTime,
      .roundTowardPositiveInfinity, .roundTowardNegativeInfinity,
    ]
    #expect(methods.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
    #expect(MediaTime.RoundingMethod.default == .roundHalfAwayFromZero)
  }

  @Test(.rule) func `union, intersection and containment are within one epoch`() {
    func range(_ epoch: Int64) -> TimeRange {
      TimeRange(
        start: MediaTime(value: 0, timescale: 1, flags: .valid, epoch: epoch),
        duration: MediaTime(value: 9, timescale: 1))
    }
    #expect(!range(0).union(range(1)).isValid && !range(0).intersection(range(1)).isValid)
    #expect(!range(0).containsTimeRange(range(1)) && !range(1).containsTime(.zero))
    #expect(range(1).containsTimeRange(range(1)) && range(1).union(range(1)) == range(1))
  }

  @Test(.rule) func `folding, clamping and mapping make a time of another epoch invalid`() {
    func time(_ value: Int64, _ epoch: Int64 = 0) -> MediaTime {
      MediaTime(value: value, timescale: 10, flags: .valid, epoch: epoch)
    }
    func results(_ time: MediaTime, _ range: TimeRange) -> [MediaTime] {
      [
        time.folded(into: range), time.clamped(to: range), time.mapped(from: range, to: range),
        time.durationMapped(from: range, to: range),
      ]
    }
    let range = TimeRange(start: time(10), duration: time(10))
    #expect(results(time(15), range) == [time(15), time(15), time(15), time(15)])
    #expect(results(time(15, 1), range).allSatisfy { !$0.isValid })
    let later = TimeRange(start: time(10, 1), duration: time(10))
    #expect(results(time(15), later).map(\.isValid) == [false, false, false, true])
    // A duration has epoch 0, whatever the epoch of the range.
    #expect(results(time(15, 1), later).map(\.isValid) == [true, true, true, false])
    #expect(time(15, 1).folded(into: later) == time(15, 1))
  }

  @Test(.rule("Mapping a duration from an empty range makes invalid"))
  func `an empty range makes folding, clamping and mapping invalid`() {
    let (zero, range) = (
      TimeRange.zero, TimeRange(start: .zero, duration: .init(value: 1, timescale: 1))
    )
    let time = MediaTime(value: 1, timescale: 2)
    let made = [
      time.folded(into: zero), time.clamped(to: zero), time.mapped(from: zero, to: range),
      time.durationMapped(from: zero, to: range),
    ]
    #expect(made.allSatisfy { !$0.isValid })
    #expect(time.durationMapped(from: range, to: zero) == .zero)
  }
}
