import Foundation
import TestFixtures
import Glibc
import RespoolMedia
import Testing

@testable import RespoolHost

@Suite struct PendingFiles {
  let fixtures: PluginWorkshop
  private var target: String { fixtures.path("film.mp4") }

  init() throws { fixtures = try PluginWorkshop() }

  private func parts() -> [String] {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: fixtures.folder.path)) ?? []
    return all.filter { $0.hasSuffix(".part") }.sorted()
  }

  private func removeAbandoned() { PendingFile.removeAbandoned(in: fixtures.folder.path) }

  @Test func `names are never the same`() {
    #expect(Set((0..<100).map { _ in PendingFile(for: target).path }).count == 100)
  }

  @Test func `a file without a lock is abandoned`() throws {
    for name in [
      ".respool-0123456789abcdef-3.part", ".respool-0123456789abcdef.part",
      ".respool-0123456789abcdef01234567.part",
    ] {
      try fixtures.write("left behind", as: name)
    }
    removeAbandoned()
    #expect(parts() == [])
  }

  @Test func `a file with a name that no process gives stays`() throws {
    let names = [
      ".respool-.part", ".respool-0123456789ABCDEF.part", ".respool-0123456789abcdef-.part",
      ".respool-0123456789abcdef-x.part", ".respool-1-0.part", ".respool-mine.part",
    ]
    for name in names { try fixtures.write("mine", as: name) }
    removeAbandoned()
    #expect(parts() == names)
  }

  @Test func `a file that is being written is not removed before it has its name`() throws {
    let pending = PendingFile(for: target)
    var sink: FileSink? = try FileSink(path: pending.path)
    removeAbandoned()
    #expect(parts().count == 1)
    try sink?.write([1, 2, 3])
    try sink?.finish()
    removeAbandoned()
    #expect(parts().count == 1)
    let lock = sink?.lock
    sink = nil
    removeAbandoned()
    #expect(parts().count == 1)
    withExtendedLifetime(lock) {}
    try pending.complete(replacing: false)
    #expect(parts() == [])
    #expect(FileManager.default.fileExists(atPath: target))
  }

  @Test func `a finished file is abandoned after its lock is released`() throws {
    let pending = PendingFile(for: target)
    try FileSink(path: pending.path).finish()
    removeAbandoned()
    #expect(parts() == [])
  }

  @Test func `only the files of an owner are removed`() throws {
    let (own, other) = ("0123abcd", "4567ef00")
    for owner in [own, other] {
      try FileSink(path: PendingFile(for: target, owner: owner).path).finish()
    }
    #expect(parts().count == 2)
    PendingFile.removeAbandoned(in: fixtures.folder.path, of: own)
    #expect(parts().count == 1 && parts()[0].contains(other))
  }

  @Test func `files of a set stay as long as the set is in use`() throws {
    var set: PendingSet? = try PendingSet(
      for: (0..<3).map { fixtures.path("\($0).png") })
    for file in set?.files ?? [] { try FileSink(path: file.path).finish() }
    removeAbandoned()
    #expect(parts().count == 4)
    set?.end()
    set = nil
    removeAbandoned()
    #expect(parts() == [])
  }

  @Test func `creating a file races with removing abandoned ones and always wins`() throws {
    let folder = fixtures.folder.path
    let remover = try PlainThread(name: "remover") {
      for _ in 0..<3000 { PendingFile.removeAbandoned(in: folder) }
    }
    for _ in 0..<1000 {
      let pending = PendingFile(for: target)
      let sink = try FileSink(path: pending.path)
      try sink.write([1])
      try sink.finish()
      try pending.complete(replacing: true)
    }
    remover.join()
  }
}
