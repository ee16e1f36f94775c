import Foundation
import TestFixtures
import Testing

@testable import Respool

/// The examples of README and of the documentation pages, each as a program with top-level code.
@Suite struct TopLevelPrograms {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let prelude =
    "import Dispatch\nimport Foundation\nimport Respool\nimport Synchronization\n"

  static let pages =
    ["README.md", "Sources/RespoolWaveform/RespoolWaveform.docc/RespoolWaveform.md"]
    + DocumentationTests.pages.map { "Sources/Respool/Respool.docc/\($0)" }

  /// Returns the programs on a page.
  ///
  /// A comment before an example states its requirements: `<!-- follows -->` prepends the previous example,
  /// `<!-- given: code -->` prepends declarations.
  static func programs(_ page: String) throws -> [String] {
    let text = try String(
      contentsOf: PluginWorkshop.package.appending(path: page), encoding: .utf8)
    var programs: [String] = []
    var (body, before): (String?, String) = (nil, "")
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if let code = body {
        if line == "```" {
          programs.append(code)
          (body, before) = (nil, "")
        } else {
          body = code + line + "\n"
        }
      } else if line == "```swift" {
        body = before.hasPrefix(prelude) ? before : prelude + before
      } else if line == "<!-- follows -->" {
        before = (programs.last ?? "") + before
      } else if line.hasPrefix("<!-- given: "), line.hasSuffix(" -->") {
        before += line.dropFirst("<!-- given: ".count).dropLast(" -->".count) + "\n"
      }
    }
    return programs
  }

  @Test(arguments: TopLevelPrograms.pages)
  func `every example compiles without a warning`(page: String) throws {
    let programs = try Self.programs(page)
    #expect(!programs.isEmpty)
    for program in programs { try ClientProgram(program, in: scratch).check() }
  }

  /// Runs an example that is identified by its page and a text in it, and checks its output.
  @Test(arguments: [
    ("README.md", "holiday.mov", "web-720p", ["2.0 s, lost: []"]),
    ("Sources/Respool/Respool.docc/Export.md", "clap-and-flash.mp4", "display", ["100 %"]),
    ("Sources/Respool/Respool.docc/Samples.md", "speech.wav", "loudest", ["0."]),
    ("Sources/Respool/Respool.docc/Samples.md", "clap-and-flash.mp4", "withPlane", ["1.96"]),
    ("Sources/Respool/Respool.docc/Writing.md", "pattern-h264.mp4", "requestMediaData", []),
  ])
  func `an example does what the page says`(
    page: String, clip: String, mark: String, wanted: [String]
  ) throws {
    let program = try #require(try Self.programs(page).first { $0.contains(mark) })
    let source = clip == "holiday.mov" ? "clap-and-flash.mp4" : clip
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path(clip), withDestinationPath: Pipeline.clip(source))
    let printed = try ClientProgram(program, in: scratch).run()
    for text in wanted { #expect(printed.contains(text), "\(printed)") }
    #expect(!printed.contains("warning"))
  }
}
