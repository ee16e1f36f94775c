import Glibc
import RespoolMedia
import Testing

@testable import RespoolBatch

@Suite struct FileFilterTests {
  @Test(arguments: [
    ("*.mov", "a.mov", "x/a.mov", true), ("*.mov", "a.MOV", "x/a.MOV", true),
    ("*.mov", "a.move", "a.move", false), ("x/*", "a.mov", "x/a.mov", true),
    ("x/*", "a.mov", "x/y/a.mov", true), ("x/*", "a.mov", "y/x/a.mov", false),
    ("*/x/*", "a.mov", "y/x/a.mov", true), ("a?.mov", "a\u{F1}.mov", "a\u{F1}.mov", true),
    ("Trash/", "Trash", "y/Trash", true), ("\\*.mov", "*.mov", "*.mov", true),
    ("[", "[", "[", true), ("/a.mov", "a.mov", "a.mov", true), ("./a.mov", "a.mov", "a.mov", true),
    ("/a.mov", "a.mov", "x/a.mov", false), ("/x/a.mov", "a.mov", "x/a.mov", true),
  ])
  func `patterns apply to the name or to the path below the input`(
    pattern: String, name: String, path: String, matches: Bool
  ) {
    var filter = FileFilter()
    filter.exclude = [pattern]
    #expect((filter.reason(againstFolder: name, path) != nil) == matches)
    filter = FileFilter()
    filter.include = ["*.nothing", pattern]
    #expect(
      (filter.reason(againstFile: name, path, size: 1, modified: 1) == nil) == matches)
  }

  @Test(arguments: [
    ("x", true), ("y", true), ("x/", true), ("x/y", true), ("/x", true), ("/y", false),
    ("z", false),
    ("y/x", false),
  ])
  func `a folder that is included stands for all in it`(pattern: String, matches: Bool) {
    var filter = FileFilter()
    filter.include = [pattern]
    #expect(
      (filter.reason(againstFile: "a.mov", "x/y/a.mov", size: 1, modified: 1) == nil) == matches)
  }

  @Test func `size and time are lower limits`() {
    var filter = FileFilter()
    filter.leastSize = 10
    #expect(filter.reason(againstFile: "a", "a", size: 9, modified: 0) != nil)
    #expect(filter.reason(againstFile: "a", "a", size: 10, modified: 0) == nil)
    filter = FileFilter()
    filter.newerThan = 5
    #expect(filter.reason(againstFile: "a", "a", size: 0, modified: 5) != nil)
    #expect(filter.reason(againstFile: "a", "a", size: 0, modified: 6) == nil)
  }

  @Test(
    arguments: [
      ("800", 800), ("0", 0), ("1.5k", 1500), ("10M", 10_000_000), ("2GB", 2_000_000_000),
      ("2 GiB", 2 << 30), ("1Ti", 1 << 40), ("3B", 3), ("", nil), ("M", nil), ("-1", nil),
      ("1X", nil), ("1i", nil), ("1e3", nil), ("9999999999T", nil), ("1.2.3", nil), ("5 k k", nil),
    ] as [(String, Int64?)])
  func `sizes have units`(text: String, bytes: Int64?) {
    #expect(ByteCount(text)?.bytes == bytes)
  }

  @Test func `moments are dates in local time or ages`() throws {
    let day = try #require(Moment("2026-01-31")).nanoseconds
    #expect(Moment("2026-01-31 00:00")?.nanoseconds == day)
    #expect(Moment("2026-01-31T00:00:01")?.nanoseconds == day + 1_000_000_000)
    #expect(Moment("2026-02-01")?.nanoseconds == day + 86_400_000_000_000)
    let before = Int64(time(nil)) - 36 * 3600
    let age = try #require(Moment("36h")).nanoseconds / 1_000_000_000
    #expect((before...before + 5).contains(age))
    for text in ["", "yesterday", "2026-02-31", "2026-13-01", "31.1.2026", "-1d", "d", "1y"] {
      #expect(Moment(text) == nil, "\(text)")
    }
  }
}
