import Foundation
import TestFixtures
import Testing

@testable import RespoolBatch

@Suite struct BuildIDTests {
  private let scratch: Scratch
  init() throws { scratch = try Scratch() }

  private static func run(_ words: [String]) throws -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    (process.arguments, process.standardOutput) = (words, pipe)
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return String(decoding: output, as: UTF8.self)
  }

  /// A program of the system that has a build ID.
  private static let program = "/bin/ls"

  @Test func `the hash of a program is that which readelf prints`() throws {
    let notes = try Self.run(["readelf", "--notes", Self.program])
    let printed = notes.split(separator: "\n").first { $0.contains("Build ID: ") }?.split(
      separator: " "
    ).last
    let found = try #require(BuildID(Self.program)).bytes
    #expect(found.map { String(format: "%02x", $0) }.joined() == printed.map(String.init))
  }

  @Test func `a stripped copy has the same hash, and a file that is cut off has none or the same`()
    throws
  {
    let expected = try #require(BuildID(Self.program)).bytes
    let content = try Data(contentsOf: URL(filePath: Self.program))
    let (copy, cut) = (scratch.path("copy"), scratch.path("cut"))
    try content.write(to: URL(filePath: copy))
    _ = try Self.run(["strip", copy])
    #expect(BuildID(copy)?.bytes == expected)
    for length in [0, 3, 63, 64, 100, 500, 700, 900, 1000, 5000] {
      try content.prefix(length).write(to: URL(filePath: cut))
      if let found = BuildID(cut) { #expect(found.bytes == expected) }
    }
  }

  @Test func `other files have no hash`() throws {
    let text = scratch.path("text")
    try Data("#!/bin/sh\n".utf8).write(to: URL(filePath: text))
    #expect(BuildID(text) == nil && BuildID(scratch.path("missing")) == nil)
    // The table of headers is far beyond the end.
    var content = try Data(contentsOf: URL(filePath: Self.program))
    content.replaceSubrange(32..<40, with: [UInt8](repeating: 0xFF, count: 8))
    try content.write(to: URL(filePath: text))
    #expect(BuildID(text) == nil)
  }
}
