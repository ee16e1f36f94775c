import Testing

@testable import RespoolBatch

@Suite struct PlanPartTests {
  private func parts(_ work: [Double]) -> [PlanPart] {
    work.enumerated().map {
      PlanPart(
        number: $0.offset, first: Int64($0.offset), last: Int64($0.offset), files: 1,
        work: $0.element)
    }
  }

  @Test func `few files are parts of their own`() {
    var division = PlanDivision(files: 4, work: 10)
    for (number, work) in [(0, 1.0), (3, 2), (7, 3), (9, 4)] {
      division.add(Int64(number), work: work)
    }
    division.close()
    #expect(division.parts.map(\.files).reduce(0, +) == 4)
    #expect(division.parts.map(\.work).reduce(0, +) == 10)
    #expect(division.parts.first?.first == 0 && division.parts.last?.last == 9)
    #expect(division.parts.map(\.number) == Array(0..<division.parts.count))
  }

  @Test func `a million files are parts of about equal work`() {
    let files = 1_000_000
    var generator = SystemRandomNumberGenerator()
    let work = (0..<files).map { _ in Double.random(in: 1...100, using: &generator) }
    var division = PlanDivision(files: files, work: work.reduce(0, +))
    for (number, work) in work.enumerated() { division.add(Int64(number), work: work) }
    division.close()
    let parts = division.parts
    #expect(parts.count > 16_000 && parts.count <= PlanPart.most)
    #expect(parts.map(\.files).reduce(0, +) == files)
    // Parts follow each other without gaps.
    #expect(zip(parts, parts.dropFirst()).allSatisfy { $0.last + 1 == $1.first })
    let average = work.reduce(0, +) / Double(parts.count)
    #expect(parts.allSatisfy { $0.work < average + 200 })
  }

  @Test func `a file with most of the work is one part`() {
    var division = PlanDivision(files: 5, work: 104)
    for (number, work) in [1.0, 100, 1, 1, 1].enumerated() {
      division.add(Int64(number), work: work)
    }
    division.close()
    #expect(division.parts.count >= 4)
    #expect(division.parts.contains { $0.work <= 101 && $0.work >= 100 && $0.files <= 2 })
    #expect(division.parts.map(\.files).reduce(0, +) == 5)
  }

  @Test(arguments: [1, 2, 3, 7, 100])
  func `shares have about the same work, and each part is in one`(count: Int) {
    let all = parts((0..<300).map { Double(1 + $0 * 37 % 41) })
    let shares = PlanPart.divide(all, into: count)
    #expect(shares.count == count)
    #expect(shares.flatMap(\.self).map(\.number).sorted() == Array(0..<300))
    let work = shares.map { $0.reduce(0) { $0 + $1.work } }
    let ideal = all.reduce(0) { $0 + $1.work } / Double(count)
    #expect(work.allSatisfy { $0 <= ideal * 4 / 3 })
    // Every machine has to come to the same shares.
    #expect(PlanPart.divide(all.reversed(), into: count) == shares)
  }

  @Test func `a share is a number of a count`() {
    #expect(Shard("2/3")?.number == 2 && Shard("2/3")?.count == 3)
    for text in ["0/3", "4/3", "1", "1/0", "/", "a/b", "1/2/3", "-1/3", "1/100001"] {
      #expect(Shard(text) == nil, "\(text)")
    }
  }
}
