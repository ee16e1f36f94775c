import Foundation
import RespoolMedia
import Testing

@testable import RespoolBatch

@Suite struct PlannedFilesTests {
  private func file(_ number: Int, _ name: String, cost: Double, size: Int64 = 1) -> BatchFile {
    var file = BatchFile(
      number,
      Walker.Found(
        path: "/in/" + name, relative: name, size: size, modified: 5, changed: 6, inode: 7))
    file.plan = FilePlan(
      action: .convert, reason: "because\tof\nit", outputExtension: "opus", duration: 1.5,
      cost: cost, memory: 8, size: 9, plugins: ["A", "B"], drops: ["one", "two"])
    return file.named(name + ".opus", in: "/out")
  }

  /// Without a folder, descriptions stay in memory, as on a full disk.
  @Test(arguments: [NSTemporaryDirectory(), "/nowhere"])
  func `files round-trip, those with the most work first`(folder: String) throws {
    let planned = PlannedFiles(in: folder)
    let names = [
      PathName.text([0xFF, 0x41]), "tab\t.wav", "line\n.wav", "\u{1F600}", "back\\slash", "z",
    ]
    let costs = [1.0, 5, 5, 1e30, 0.1 + 0.2, 5]
    let sizes: [Int64] = [1, 1, 2, 1, 1, 2]
    for number in names.indices {
      planned.insert(file(number, names[number], cost: costs[number], size: sizes[number]))
    }
    #expect(planned.count == 6)
    var order: [Int] = []
    while let first = try planned.first() {
      #expect(try planned.first()?.number == first.number)
      order.append(first.number)
      planned.removeFirst()
      guard names.indices.contains(first.number) else { continue }
      let expected = file(
        first.number, names[first.number], cost: costs[first.number], size: sizes[first.number])
      #expect(first.line == expected.line)
      #expect(PathKey(first.path) == PathKey(expected.path))
      #expect(first.plan.cost == expected.plan.cost && first.plan.drops == ["one", "two"])
      // A larger file that comes later is first then.
      if first.number == 3 { planned.insert(file(9, "late", cost: 6)) }
    }
    #expect(order.filter { $0 != 9 } == [3, 2, 5, 1, 0, 4])
    #expect(order.firstIndex(of: 9) == 1)
    #expect(planned.isEmpty)
  }
}
