import Foundation
import RespoolMedia
import Testing

@testable import RespoolBatch

@Suite final class WalkerTests {
  private let root = NSTemporaryDirectory() + "/respool-walk-\(UUID().uuidString)"

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func add(_ paths: String...) throws {
    for path in paths {
      let url = URL(fileURLWithPath: root + "/" + path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data([1]).write(to: url)
    }
  }

  /// Returns the groups as paths below the folder of the test, and the problems.
  private func walk(_ inputs: [String]) -> (groups: [[String]], problems: [String]) {
    var walker = Walker(inputs.map { root + "/" + $0 }, excluding: nil, followsLinks: true)
    walker.findDoubles()
    var groups: [[String]] = []
    while let group = walker.next() {
      groups.append(group.files.map { String($0.path.dropFirst(root.count + 1)) })
    }
    return (groups, walker.takeProblems().map(\.reason))
  }

  @Test func `files whose names differ only in their extensions are together`() throws {
    try add("in/a", "in/a b.wav", "in/a.b.wav", "in/a.mp3", "in/a.wav", "in/b/a.wav", "in/v1.2")
    let groups = walk(["in"]).groups
    #expect(
      groups == [
        ["in/a", "in/a.mp3", "in/a.wav"], ["in/a b.wav"], ["in/a.b.wav"], ["in/v1.2"],
        ["in/b/a.wav"],
      ])
  }

  @Test func `folders with the same path below several inputs are searched together`() throws {
    try add("x/a.wav", "y/a.mp3", "x/deep/b.wav", "y/deep/b.flac", "y/other/b.wav", "c.wav")
    try add("z/c.mp3")
    let groups = walk(["x", "y", "c.wav", "z"]).groups
    #expect(
      groups == [
        ["y/a.mp3", "x/a.wav"], ["z/c.mp3", "c.wav"], ["y/deep/b.flac", "x/deep/b.wav"],
        ["y/other/b.wav"],
      ])
  }

  @Test func `names that are one on the outputs' file system are together`() throws {
    try add("in/a.wav", "in/A.flac", "in/b.wav", "in/Deep/x.wav", "in/deep/X.mp3")
    var walker = Walker(
      [root + "/in"], excluding: nil, followsLinks: false, rule: .folded)
    var groups: [[String]] = []
    while let group = walker.next() {
      groups.append(group.files.map(\.relative))
      #expect(!group.folder.hasStem("c") && group.folder.hasStem(groups.count < 3 ? "B" : "x"))
    }
    #expect(groups == [["A.flac", "a.wav"], ["b.wav"], ["Deep/X.mp3", "Deep/x.wav"]])
  }

  @Test func `a file of several inputs belongs to the first one`() throws {
    try add("in/a.wav", "in/sub/b.wav", "in/sub/c.wav")
    let inputs = ["in/sub/b.wav", "in", "in/sub", "in"]
    #expect(
      walk(inputs).groups.flatMap(\.self).sorted() == ["in/a.wav", "in/sub/b.wav", "in/sub/c.wav"])
    var walker = Walker(
      inputs.map { root + "/" + $0 }, excluding: nil, followsLinks: false)
    walker.findDoubles()
    var relatives: [String] = []
    while let group = walker.next() { relatives += group.files.map(\.relative) }
    #expect(relatives.sorted() == ["a.wav", "b.wav", "sub/c.wav"])
  }

  @Test func `many inputs do not need as many descriptors`() throws {
    for number in 0..<40 { try add("\(number)/a\(number).wav") }
    let (groups, problems) = walk((0..<40).map { "\($0)" })
    #expect(groups.count == 40 && problems.isEmpty)
  }

  @Test func `links to folders come last and lead into no loop`() throws {
    try add("in/b/x.wav", "else/y.wav")
    try FileManager.default.createSymbolicLink(
      atPath: root + "/in/a", withDestinationPath: root + "/in/b")
    try FileManager.default.createSymbolicLink(
      atPath: root + "/in/b/up", withDestinationPath: root + "/in")
    try FileManager.default.createSymbolicLink(
      atPath: root + "/in/c", withDestinationPath: root + "/else")
    let (groups, problems) = walk(["in"])
    #expect(groups == [["in/b/x.wav"], ["in/c/y.wav"]])
    #expect(problems.count == 2, "\(problems)")
  }

  @Test func `a search can be ended`() throws {
    try add("in/a.wav", "in/b/c.wav")
    var walker = Walker([root + "/in"], excluding: nil, followsLinks: false)
    walker.step = { _ in false }
    #expect(walker.next() == nil)
    #expect(walker.isStopped)
  }

  @Test func `inputs are recognised by their paths`() throws {
    try add("in/a.wav", "in/out/a.opus", "other/b.wav", "out/sub/c.wav", "out/d.wav")
    let inputs = InputPaths([root + "/in", root + "/other/b.wav"], output: root + "/in/out")
    #expect(inputs.contain(root + "/in/a.wav"))
    #expect(inputs.contain(root + "/other/b.wav"))
    #expect(inputs.contain(root + "/in/out/../a.wav"))
    #expect(!inputs.contain(root + "/in/out/a.opus"))
    #expect(!inputs.contain(root + "/in/none"))
    let inside = InputPaths([root + "/out/sub"], output: root + "/out")
    #expect(inside.contain(root + "/out/sub/c.wav"))
    #expect(!inside.contain(root + "/out/d.wav"))
  }
}
