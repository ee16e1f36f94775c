import Foundation
import TestFixtures
import Glibc
import RespoolMedia
import Testing

@testable import RespoolHost

@Suite struct Discovery {
  @Test func `a plugin in C is described completely`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", as: "libtoy.so")
    let record = try #require(fixtures.registry().plugins.first)
    #expect(record.status == .ok)
    #expect(record.name == "toy")
    #expect(record.version == "1.2.3")
    #expect(record.license == "MIT")
    #expect(record.path == path)
    #expect(record.factories.map(\.kind) == [.demuxer, .decoder, .encoder, .muxer])
    let encoder = try #require(record.factories.first { $0.kind == .encoder })
    #expect(encoder.flags == .variableFrameSize)
    #expect(encoder.sampleFormats == [.s16])
    #expect(encoder.channelCounts == 1...8)
    #expect(
      encoder.options == [
        OptionSchema("level", .int(0...9), default: "3", help: "How hard to try"),
        OptionSchema(
          "flavour", .choice(["plain", "fancy"]), default: "plain", help: "What it tastes of"),
      ])
    let demuxer = try #require(record.factories.first)
    #expect(demuxer.tier == .preferred)
    #expect(demuxer.magics == [.init(Array("TOYREEL1".utf8))])
  }

  @Test func `a description is read from the cache without opening the plugin again`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.build("toy.c", as: "toy.so")
    let first = fixtures.registry().plugins
    // Without a helper no plugin can be described, so the records come from the cache.
    let second = withoutHelper(fixtures)
    #expect(second == first)
    #expect(second.first?.status == .ok)
  }

  @Test func `a note says if new plugins cannot be described`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.build("toy.c", as: "toy.so")
    let record = try #require(withoutHelper(fixtures).first)
    #expect(record.status == .failed)
    #expect(record.advice?.contains("RESPOOL_HELPER") == true)
  }

  @Test func `a changed file is described again`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.build("toy.c", as: "toy.so")
    #expect(fixtures.registry().plugins.map(\.name) == ["toy"])
    try fixtures.build("toy.c", defining: ["TOY_NAME=\"other\""], as: "toy.so")
    #expect(fixtures.registry().plugins.map(\.name) == ["other"])
  }

  @Test
  func `a plugin is described again after a library that it needs has changed or disappeared`()
    throws
  {
    let fixtures = try PluginWorkshop()
    try fixtures.write("int stub_library_function(void) { return 1; }", as: "stub.c")
    let stub = fixtures.path("stub.so.1")
    try PluginWorkshop.run("cc", ["-shared", "-fPIC", "-o", stub, fixtures.path("stub.c")])
    try fixtures.build("broken.c", defining: ["MISSING_LIBRARY"], as: "needs.so", linking: [stub])
    #expect(fixtures.registry().plugins.map(\.status) == [.ok])
    #expect(withoutHelper(fixtures).map(\.status) == [.ok])
    try #require(utimensat(AT_FDCWD, stub, [timespec(), timespec()], 0) == 0)
    #expect(withoutHelper(fixtures).map(\.status) == [.failed])
    #expect(fixtures.registry().plugins.map(\.status) == [.ok])
    try FileManager.default.removeItem(atPath: stub)
    #expect(fixtures.registry().plugins.first?.reason?.contains("stub.so.1") == true)
  }

  @Test func `files that are removed or added are noticed`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", as: "toy.so")
    #expect(fixtures.registry().plugins.count == 1)
    try FileManager.default.removeItem(atPath: path)
    #expect(fixtures.registry().plugins.isEmpty)
    try fixtures.build("toy.c", as: "again.so")
    #expect(fixtures.registry().plugins.map(\.status) == [.ok])
  }

  @Test func `the first of two plugins with one name wins`() throws {
    let fixtures = try PluginWorkshop()
    _ = try fixtures.subfolder("a")
    _ = try fixtures.subfolder("b")
    try fixtures.build("toy.c", as: "a/one.so")
    try fixtures.build("toy.c", as: "b/two.so")
    let registry = fixtures.registry(["b", "a"])
    #expect(registry.plugins.map(\.status) == [.ok, .shadowed])
    #expect(registry.plugins.map(\.path) == [fixtures.path("b/two.so"), fixtures.path("a/one.so")])
    #expect(registry.plugins.last?.reason?.contains(fixtures.path("b/two.so")) == true)
    #expect(registry.factories(.muxer).map(\.plugin.path) == [fixtures.path("b/two.so")])
  }

  @Test func `one folder given twice shadows nothing`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.build("toy.c", as: "toy.so")
    #expect(fixtures.registry(["", "."]).plugins.map(\.status) == [.ok])
  }

  @Test func `in a folder of libraries only files with the plugins' prefix count`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.build("toy.c", as: "librespool-toy.so")
    try fixtures.build("broken.c", as: "libother.so")
    let folder = PluginSearchPath.Folder(fixtures.folder.path, isShared: true)
    let registry = PluginRegistry(
      searchPath: PluginSearchPath(folders: [folder]), cacheFolder: fixtures.cache.path)
    #expect(registry.plugins.map(\.name) == ["toy"])
  }

  @Test func `a damaged cache is replaced`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.build("toy.c", as: "toy.so")
    let first = fixtures.registry()
    let cache = URL(filePath: try #require(first.cachePath))
    let good = try Data(contentsOf: cache)
    for damaged in [
      Data(), good.prefix(20), good.prefix(good.count - 1), good + Data([0]),
      Data(good.enumerated().map { $0.offset == good.count / 2 ? ~$0.element : $0.element }),
    ] {
      try damaged.write(to: cache)
      #expect(fixtures.registry().plugins == first.plugins)
      #expect(try Data(contentsOf: cache) == good)
    }
  }

  @Test func `a truncated cache never decodes`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.build("toy.c", as: "toy.so")
    let path = try #require(fixtures.registry().cachePath)
    let good = Array(try Data(contentsOf: URL(filePath: path)))
    #expect(good.withUnsafeBytes { DescriptionCache.decode($0) }?.count == 1)
    for count in 0..<good.count {
      #expect(good.prefix(count).withUnsafeBytes { DescriptionCache.decode($0) } == nil)
    }
  }

  @Test func `a cache that cannot be written is not needed`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.build("toy.c", as: "toy.so")
    try fixtures.write("in the way", as: "file")
    let registry = PluginRegistry(
      searchPath: PluginSearchPath(folders: [.init(fixtures.folder.path)]),
      cacheFolder: fixtures.path("file/cache"))
    #expect(registry.plugins.map(\.status) == [.ok])
  }

  private func withoutHelper(_ fixtures: PluginWorkshop) -> [PluginRecord] {
    var discovery = fixtures.discovery
    discovery.describer.program = "/nowhere/respool"
    return discovery.run()
  }
}
