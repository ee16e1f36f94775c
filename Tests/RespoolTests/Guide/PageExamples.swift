import Foundation
import TestFixtures
import Testing

@testable import Respool

/// The examples of README and of the documentation pages, compiled and run as they are.
///
/// A comment before an example states its requirements: `<!-- follows -->` prepends the previous example,
/// `<!-- given: code -->` prepends declarations. A comment after it has its result: `<!-- check: expression -->`
/// is true, `<!-- prints: text -->` is in the output. Checks use `Tests/Fixtures/ExampleChecks.swift`.
@Suite struct PageExamples {
  let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private struct Example {
    var code: String
    var checks: [String] = []
    var outputs: [String] = []
  }

  private static let imports =
    "import Dispatch\nimport Foundation\nimport Respool\nimport Synchronization\n"

  static let pages =
    ["README.md", "Sources/RespoolWaveform/RespoolWaveform.docc/RespoolWaveform.md"]
    // Pages without Swift: the test with Slurm runs three of them, and AACEncodersPage compiles the other.
    + DocumentationPages.names.filter {
      !["AACEncoders.md", "AWSBatchArrays.md", "KubernetesJobs.md", "ManyMachines.md"].contains($0)
    }
    .map { "Sources/Respool/Respool.docc/\($0)" }

  private static func text(_ page: String) throws -> String {
    try String(contentsOf: PluginWorkshop.package.appending(path: page), encoding: .utf8)
  }

  private static func examples(_ page: String) throws -> [Example] {
    var examples: [Example] = []
    var (body, before): (String?, String) = (nil, "")
    for line in try text(page).split(separator: "\n", omittingEmptySubsequences: false) {
      func comment(_ kind: String) -> String? {
        guard line.hasPrefix("<!-- \(kind): "), line.hasSuffix(" -->") else { return nil }
        return String(line.dropFirst(kind.count + 7).dropLast(4))
      }
      if let code = body {
        body = code + line + "\n"
        guard line == "```" else { continue }
        examples.append(Example(code: code))
        (body, before) = (nil, "")
      } else if line == "```swift" {
        body = before
      } else if line == "<!-- follows -->" {
        before = examples[examples.count - 1].code + before
      } else if let code = comment("given") {
        before += code + "\n"
      } else if let check = comment("check") {
        examples[examples.count - 1].checks.append(check)
      } else if let output = comment("prints") {
        examples[examples.count - 1].outputs.append(output)
      }
    }
    return examples
  }

  @Test(arguments: PageExamples.pages)
  func `every example compiles without a warning`(page: String) throws {
    let examples = try Self.examples(page)
    #expect(!examples.isEmpty)
    for example in examples {
      try ClientProgram(Self.imports + example.code, in: scratch).check()
    }
  }

  /// Runs the examples of a page in one program, each as a function in a folder of its own.
  @Test(arguments: PageExamples.pages)
  func `every example has the result that its page states`(page: String) throws {
    let examples = try Self.examples(page)
    try makeFiles(for: try Self.text(page))
    var (functions, calls) = ("", "")
    for (number, example) in examples.enumerated() {
      #expect(!example.checks.isEmpty || !example.outputs.isEmpty, "no result of \(example.code)")
      let lines = example.code.split(separator: "\n").filter { !$0.hasPrefix("import ") }
      let checks = example.checks.map {
        "guard (\($0)) else { fatalError(\"example \(number + 1) is wrong\") }\n"
      }
      functions +=
        "func example\(number)() async throws {\n\(lines.joined(separator: "\n"))\n"
        + checks.joined() + "}\n"
      let folder = try makeFolder(number)
      calls +=
        "_ = FileManager.default.changeCurrentDirectoryPath(\"\(folder)\")\n"
        + "try await example\(number)()\n"
    }
    let program = try ClientProgram(
      Self.imports + "import RespoolWaveform\n" + functions + calls, in: scratch)
    let printed = try program.run(with: ["ExampleChecks.swift"])
    for text in examples.flatMap(\.outputs) { #expect(printed.contains(text), "\(printed)") }
    #expect(!printed.contains("warning"))
  }

  /// Makes the files of a page that `Tests/Media` does not have.
  private func makeFiles(for text: String) throws {
    for name in ["walk.mov", "travel.mov"] where text.contains("\"\(name)\"") {
      _ = try TimedMetadata.movie(scratch, name)
    }
    if text.contains("\"captions.mp4\"") {
      _ = try Captions.write(scratch, "captions.mp4", "mp4", "mov_text") {
        try #require($0.append(Captions.caption("What a day!", 0, 2000)))
      }
    }
    if text.contains("\"book.mka\"") {
      let list = try Captions.file(
        scratch, "chapters.txt",
        ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=Anfang\n"
          + "[CHAPTER]\nTIMEBASE=1/1\nSTART=1\nEND=2\ntitle=Ende\n")
      try PluginWorkshop.run(
        "ffmpeg",
        ["-v", "error", "-i", Pipeline.clip("speech.wav"), "-i", list]
          + ["-map_metadata", "1", scratch.path("book.mka")])
    }
  }

  /// Makes a folder with links to all clips, and returns its path.
  private func makeFolder(_ number: Int) throws -> String {
    let files = FileManager.default
    let folder = scratch.path("example\(number)")
    for name in ["stream", "plugins", "holiday-film"] {
      try files.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
    }
    let media = PluginWorkshop.package.appending(path: "Tests/Media").path
    var clips = try files.contentsOfDirectory(atPath: media).map { ($0, "\(media)/\($0)") }
    clips += scratch.names.filter { $0.contains(".") }.map { ($0, scratch.path($0)) }
    clips.append(("holiday.mov", Pipeline.clip("clap-and-flash.mp4")))
    for (name, path) in clips {
      try files.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: path)
    }
    return folder
  }
}
