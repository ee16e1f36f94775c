import RespoolMedia
import TestFixtures
import Testing

@Suite struct TimeRangeTests {
  private func time(_ value: Int64, epoch: Int64 = 0) -> MediaTime {
    MediaTime(value: value, timescale: 10, flags: .valid, epoch: epoch)
  }
  private func range(_ start: Int64, _ end: Int64) -> TimeRange {
    TimeRange(start: time(start), end: time(end))
  }

  @Test(.rule) func `a range does not contain its end`() {
    let range = range(10, 20)
    #expect(range.duration == time(10))
    #expect(range.containsTime(time(10)))
    #expect(range.containsTime(time(19)))
    #expect(!range.containsTime(time(20)))
    #expect(!range.containsTime(time(9)))
    #expect(!range.containsTime(time(15, epoch: 1)))
    #expect(!range.containsTime(.invalid))
  }

  @Test(.rule)
  func `a valid range has a valid start and a valid duration that is not negative and has epoch 0`()
  {
    #expect(!range(20, 10).isValid)
    #expect(!TimeRange.invalid.isValid)
    #expect(!TimeRange(start: .zero, duration: time(1, epoch: 1)).isValid)
    #expect(TimeRange.zero.isEmpty)
    #expect(TimeRange(start: .zero, duration: .positiveInfinity).isValid)
    #expect(TimeRange(start: .zero, duration: .indefinite).isIndefinite)
  }

  @Test(.rule("The intersection of disjoint ranges is the zero range"))
  func `a union spans both ranges, an intersection is shared`() {
    #expect(range(0, 10).union(range(20, 30)) == range(0, 30))
    #expect(range(0, 20).intersection(range(10, 30)) == range(10, 20))
    #expect(range(0, 10).intersection(range(10, 20)) == .zero)
    #expect(!range(0, 10).union(.invalid).isValid)
    #expect(!range(0, 10).intersection(.invalid).isValid)
    let endless = TimeRange(start: time(5), duration: .positiveInfinity)
    #expect(endless.intersection(range(0, 10)) == range(5, 10))
    #expect(endless.containsTimeRange(range(5, 10)))
    #expect(!endless.containsTimeRange(range(4, 10)))
  }

  @Test func `containment compares start and end`() {
    #expect(range(0, 10).containsTimeRange(range(0, 10)))
    #expect(range(0, 10).containsTimeRange(range(9, 9)))
    #expect(!range(0, 10).containsTimeRange(range(10, 10)))
    #expect(!range(0, 10).containsTimeRange(range(5, 11)))
  }

  @Test(.rule("Folding into an empty range makes invalid"))
  func `folding adds whole durations`() {
    let loop = range(10, 14)
    #expect(time(10).folded(into: loop) == time(10))
    #expect(time(14).folded(into: loop) == time(10))
    #expect(time(23).folded(into: loop) == time(11))
    #expect(time(9).folded(into: loop) == time(13))
    #expect(time(-7).folded(into: loop) == time(13))
    #expect(!time(9).folded(into: range(3, 3)).isValid)
  }

  @Test(.rule("Clamping to an empty range makes invalid"))
  func `clamping stops at both ends`() {
    #expect(time(5).clamped(to: range(10, 20)) == time(10))
    #expect(time(15).clamped(to: range(10, 20)) == time(15))
    #expect(time(25).clamped(to: range(10, 20)) == time(20))
    #expect(MediaTime.positiveInfinity.clamped(to: range(10, 20)) == time(20))
    #expect(!time(5).clamped(to: range(10, 10)).isValid)
  }

  @Test(.rule("Clamping keeps a time inside of the range, also in a range without an end"))
  func `clamping to a range without an end stops at its start`() {
    let endless = TimeRange(start: time(10), duration: .positiveInfinity)
    #expect(time(15).clamped(to: endless) == time(15))
    #expect(time(5).clamped(to: endless) == time(10))
    #expect(MediaTime.positiveInfinity.clamped(to: endless) == .positiveInfinity)
    #expect(time(15, epoch: 1).clamped(to: endless) == .invalid)
    #expect(time(15).clamped(to: .invalid) == .invalid)
    #expect(time(15).clamped(to: TimeRange(start: time(10), duration: .indefinite)) == .invalid)
  }

  @Test(.rule("Mapping from an empty range or another epoch makes invalid"))
  func `mapping scales and moves`() {
    let (from, to) = (range(0, 30), range(100, 110))
    #expect(time(15).mapped(from: from, to: to) == time(105))
    #expect(time(60).mapped(from: from, to: to) == time(120))
    let third = time(1).mapped(from: from, to: to)
    #expect(third == MediaTime(value: 301, timescale: 30))
    #expect(!third.hasBeenRounded)
    #expect(time(15).durationMapped(from: from, to: to) == time(5))
    #expect(!time(15).mapped(from: range(1, 1), to: to).isValid)
    #expect(!time(15, epoch: 1).mapped(from: from, to: to).isValid)
  }

  @Test(arguments: [1, 7, 601, -90_001] as [Int64])
  func `mapping there and back is exact`(value: Int64) {
    let from = TimeRange(
      start: MediaTime(value: 1, timescale: 90_000), duration: MediaTime(value: 7, timescale: 30))
    let to = TimeRange(start: .zero, duration: MediaTime(value: 11, timescale: 24))
    let there = MediaTime(value: value, timescale: 90_000).mapped(from: from, to: to)
    #expect(there.mapped(from: to, to: from) == MediaTime(value: value, timescale: 90_000))
  }
}
