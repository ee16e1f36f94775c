import Foundation
import TestFixtures
import Testing

@testable import RespoolHost

@Suite struct BrokenPlugins {
  /// Macros of `broken.c`, one for each fault, and text that the reported reason contains.
  static let cases: [(macro: String, words: String)] = [
    ("CRASH", "crashed while loading: SIGSEGV"),
    ("CRASH_IN_DESCRIBE", "crashed while describing itself: SIGABRT"),
    ("ENDS", "ended the process while loading"),
    ("NO_SYMBOL", "without the symbol respool_plugin"),
    ("WRONG_ABI", "built for version 42.0 of the plugin ABI, and this program has version 1."),
    ("REFUSES", "describe returned NULL"),
    ("SMALL_STRUCT", "respool_plugin.struct_size is 8"),
    ("SMALL_FACTORY", "demuxer 0 has the struct_size"),
    ("NULL_FUNCTION", "the function read of the demuxer broken is NULL"),
    (
      "NO_EXTENSION",
      "the demuxer broken declares abilities of the extension demuxing, which it does not have"
    ),
    ("SMALL_EXTENSION", "extension demuxing of the demuxer broken has the struct_size 8"),
    ("NULL_EXTENSION", "the function open of the extension demuxing of the demuxer broken is NULL"),
    ("EMPTY_NAME", "the plugin name is empty"),
    ("TWICE", "lists the demuxer broken twice"),
    ("UNDEFINED_SYMBOL", "uses the symbol stub_library_function"),
  ]

  @Test(arguments: cases)
  func `a broken plugin is listed with its own reason and advice`(macro: String, words: String)
    throws
  {
    let fixtures = try PluginWorkshop()
    try fixtures.build("broken.c", defining: [macro], as: "libbroken.so")
    let record = try #require(fixtures.registry().plugins.first)
    #expect(record.status == .failed)
    #expect(record.name == "broken")
    #expect(record.reason?.contains(words) == true, "\(record.reason ?? "")")
    #expect(record.advice?.isEmpty == false)
    #expect(record.factories.isEmpty)
  }

  @Test func `a missing library is named`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.write("int stub_library_function(void) { return 1; }", as: "stub.c")
    let stub = fixtures.path("libstub-for-the-test.so.7")
    try PluginWorkshop.run(
      "cc",
      [
        "-shared", "-fPIC", "-Wl,-soname,libstub-for-the-test.so.7", "-o", stub,
        fixtures.path("stub.c"),
      ]
    )
    try fixtures.build("broken.c", defining: ["MISSING_LIBRARY"], as: "needs.so", linking: [stub])
    try FileManager.default.removeItem(atPath: stub)
    let record = try #require(fixtures.registry().plugins.first)
    #expect(record.status == .failed)
    #expect(record.reason?.contains("the library libstub-for-the-test.so.7") == true)
    #expect(record.advice?.contains("Debian package") == true)
  }

  @Test func `a plugin works after the missing library appears`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.write("int stub_library_function(void) { return 1; }", as: "stub.c")
    let stub = fixtures.path("stub.so.1")
    let make = ["-shared", "-fPIC", "-o", stub, fixtures.path("stub.c")]
    try PluginWorkshop.run("cc", make)
    try fixtures.build("broken.c", defining: ["MISSING_LIBRARY"], as: "needs.so", linking: [stub])
    try FileManager.default.removeItem(atPath: stub)
    #expect(fixtures.registry().plugins.first?.status == .failed)
    try PluginWorkshop.run("cc", make)
    #expect(fixtures.registry().plugins.first?.status == .ok)
  }

  @Test func `a plugin that hangs is stopped, and the others are listed`() throws {
    let fixtures = try PluginWorkshop()
    try fixtures.build("broken.c", defining: ["HANG"], as: "hang.so")
    try fixtures.build("toy.c", as: "toy.so")
    var discovery = fixtures.discovery
    discovery.describer.timeLimit = 2
    let plugins = discovery.run()
    #expect(plugins.map(\.status) == [.failed, .ok])
    #expect(plugins.first?.reason?.contains("hung while loading: it was stopped") == true)
  }

  static let files: [(content: [UInt8], words: String)] = [
    (Array("hello, I am a text file\n".utf8), "a text file"),
    (Array("#!/bin/sh\necho\n".utf8), "a script"),
    ([], "an empty file"),
    (Array("!<arch>\n".utf8), "an archive"),
    ([0x7F, 0x45, 0x4C, 0x46, 2, 1, 1], "a truncated one"),
    ([0x00, 0xFF, 0x80], "data of another kind"),
  ]

  @Test(arguments: files)
  func `a file that is not a shared object is reported as such`(content: [UInt8], words: String)
    throws
  {
    let fixtures = try PluginWorkshop()
    try Data(content).write(to: URL(filePath: fixtures.path("thing.so")))
    let record = try #require(fixtures.registry().plugins.first)
    #expect(record.status == .failed)
    #expect(record.reason?.contains("not a shared object") == true)
    #expect(record.reason?.contains(words) == true, "\(record.reason ?? "")")
  }

  @Test func `a plugin for another machine is not reported as broken`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", as: "toy.so")
    var bytes = try Data(contentsOf: URL(filePath: path))
    bytes[18] = 243
    bytes[19] = 0
    try bytes.write(to: URL(filePath: path))
    let record = try #require(fixtures.registry().plugins.first)
    #expect(record.reason?.contains("built for RISC-V 64") == true, "\(record.reason ?? "")")
  }

  @Test func `a truncated plugin is not loaded`() throws {
    let fixtures = try PluginWorkshop()
    let path = try fixtures.build("toy.c", as: "toy.so")
    let bytes = try Data(contentsOf: URL(filePath: path))
    try bytes.prefix(bytes.count / 2).write(to: URL(filePath: path))
    let record = try #require(fixtures.registry().plugins.first)
    #expect(
      record.reason?.contains("cut off at \(bytes.count / 2)") == true, "\(record.reason ?? "")")
  }
}
