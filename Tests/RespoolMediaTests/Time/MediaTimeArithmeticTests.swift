import RespoolMedia
import TestFixtures
import Testing

@Suite struct MediaTimeArithmeticTests {
  private func time(_ value: Int64, _ timescale: Int32, epoch: Int64 = 0) -> MediaTime {
    MediaTime(value: value, timescale: timescale, flags: .valid, epoch: epoch)
  }

  @Test(.rule) func `adding keeps equal timescales`() {
    let sum = time(1, 600) + time(2, 600)
    #expect((sum.value, sum.timescale) == (3, 600))
    #expect(!sum.hasBeenRounded)
  }

  @Test(.rule) func `adding uses the least common multiple of different timescales`() {
    let sum = time(1, 24) + time(1, 30)
    #expect((sum.value, sum.timescale) == (9, 120))
    let difference = time(1, 24) - time(1, 30)
    #expect((difference.value, difference.timescale) == (1, 120))
  }

  @Test(.rule)
  func `a common timescale beyond 0x7fffffff becomes that, with rounding that marks the time`() {
    let sum = time(1, 2_147_483_647) + time(1, 2_147_483_629)
    #expect((sum.value, sum.timescale) == (2, .max))
    #expect(sum.hasBeenRounded)
    #expect((sum + time(1, .max)).hasBeenRounded, "rounding stays with the time")
  }

  @Test(.rule)
  func `a value that overflows halves the timescale, and at timescale 1 becomes infinite`() {
    let sum = time(.max, 4) + time(.max, 4)
    #expect((sum.value, sum.timescale) == (.max, 2))
    #expect(!sum.hasBeenRounded)
    #expect((time(.max, 1) + time(1, 1)).isPositiveInfinity)
    #expect((time(.min, 1) - time(1, 1)).isNegativeInfinity)
  }

  @Test(.rule)
  func
    `invalid precedes infinite, infinite precedes indefinite, and opposite infinities make invalid`()
  {
    let (plus, minus) = (MediaTime.positiveInfinity, MediaTime.negativeInfinity)
    #expect(!(MediaTime.invalid + plus).isValid)
    #expect(!(plus + minus).isValid)
    #expect(!(plus - plus).isValid)
    #expect((plus - minus).isPositiveInfinity)
    #expect((plus + .indefinite).isPositiveInfinity)
    #expect((MediaTime.indefinite - plus).isNegativeInfinity)
    #expect((MediaTime.indefinite + time(1, 1)).isIndefinite)
    #expect((time(1, 1) + minus).isNegativeInfinity)
  }

  @Test(.rule) func `different epochs other than 0 make invalid, and equal ones make epoch 0`() {
    #expect((time(1, 1, epoch: 2) + time(1, 1)).epoch == 2)
    #expect((time(1, 1) + time(1, 1, epoch: 2)).epoch == 2)
    #expect((time(3, 1, epoch: 2) + time(1, 1, epoch: 2)) == time(4, 1))
    #expect((time(3, 1, epoch: 2) - time(1, 1, epoch: 2)).epoch == 0)
    #expect(!(time(1, 1, epoch: 2) + time(1, 1, epoch: 3)).isValid)
  }

  @Test(.rule) func `multiplying by an integer keeps the timescale`() {
    let product = time(7, 600).multiplied(by: 3)
    #expect((product.value, product.timescale) == (21, 600))
    #expect(!MediaTime.positiveInfinity.multiplied(by: 0).isValid)
    #expect(MediaTime.positiveInfinity.multiplied(by: -1).isNegativeInfinity)
    #expect(time(.max, 1).multiplied(by: 2).isPositiveInfinity)
    #expect(time(.max, 2).multiplied(by: 2) == time(.max, 1))
  }

  @Test(.rule) func `multiplying by a ratio is exact unless it overflows`() {
    let third = time(1, 600).multiplied(by: 1, dividedBy: 7)
    #expect(third.multiplied(by: 7) == time(1, 600))
    #expect(!third.hasBeenRounded)
    #expect(!time(1, 1).multiplied(by: 1, dividedBy: 0).isValid)
    #expect(time(1, 2_147_483_647).multiplied(by: 1, dividedBy: 2).hasBeenRounded)
  }

  @Test(.rule)
  func
    `multiplying by a floating-point number first doubles the timescale until it is 65536 or more`()
  {
    let product = time(1, 600).scaled(by: 0.5)
    #expect(product.timescale == 76800)
    #expect(product == time(1, 1200))
    #expect(time(1, 100_000).scaled(by: 2.0).timescale == 100_000)
    #expect(!time(1, 1).scaled(by: .nan).isValid)
    #expect(time(1, 1).scaled(by: -.infinity).isNegativeInfinity)
    #expect(time(1, 1).scaled(by: 1.0 / 3).hasBeenRounded)
  }

  @Test func `the absolute value of the least time exists`() {
    #expect(time(-3, 2).absoluteValue == time(3, 2))
    #expect(MediaTime.negativeInfinity.absoluteValue.isPositiveInfinity)
    #expect(time(.min, 2).absoluteValue == time(1 << 62, 1))
    #expect(time(.min, 1).absoluteValue.isPositiveInfinity)
  }
}
