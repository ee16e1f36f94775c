import Foundation
import TestFixtures
import Testing

/// Completeness of the documentation pages and of their links.
@Suite struct DocumentationPages {
  private static let sources = PluginWorkshop.package.appending(path: "Sources")
  private static let catalog = sources.appending(path: "Respool/Respool.docc")

  static var names: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: catalog.path)) ?? []
    return names.filter { $0.hasSuffix(".md") }.sorted()
  }

  private static func text(_ file: URL) throws -> String {
    try String(contentsOf: file, encoding: .utf8)
  }

  @Test func `there is a page for each part`() {
    #expect(
      Self.names == [
        "AACEncoders.md", "AWSBatchArrays.md", "Assets.md", "Commands.md", "Editing.md",
        "Export.md",
        "KubernetesJobs.md", "ManyMachines.md", "Metadata.md", "OutputSettings.md", "Plugins.md",
        "Presets.md", "Reading.md", "Respool.md", "Samples.md",
        "Time.md",
        "VerifyingPlugins.md", "Writing.md", "WritingPlugins.md",
      ])
  }

  @Test func `every page is linked`() throws {
    let root = try Self.text(Self.catalog.appending(path: "Respool.md"))
    for page in Self.names where page != "Respool.md" {
      #expect(root.contains("<doc:\(page.dropLast(3))>"), "\(page)")
    }
  }

  @Test(arguments: ["Respool", "RespoolMedia", "RespoolPresets", "RespoolWaveform"])
  func `every public type is on a page`(module: String) throws {
    let waveforms = Self.sources.appending(path: "RespoolWaveform/RespoolWaveform.docc")
    let pages = try Self.names.map { try Self.text(Self.catalog.appending(path: $0)) }
    let text = try (pages + [Self.text(waveforms.appending(path: "RespoolWaveform.md"))]).joined()
    let folder = Self.sources.appending(path: module)
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    let types = try files.filter { $0.hasSuffix(".swift") }
      .flatMap { Self.publicTypes(in: try Self.text(folder.appending(path: $0))) }
    #expect(types.count > 5)
    #expect(Set(types).filter { !text.contains("\n- ``\($0)``\n") }.sorted() == [])
  }

  /// Returns the public types in a source that is formatted as in this package, such as `Asset/Status`.
  ///
  /// Type aliases in types are not included.
  private static func publicTypes(in source: String) -> [String] {
    let kinds: Set = ["class", "struct", "enum", "protocol", "actor", "extension", "typealias"]
    let modifiers: Set = ["public", "open", "package", "final", "indirect", "nonisolated"]
    var types: [String] = []
    var outer: [String] = []
    for line in source.split(separator: "\n") {
      let depth = line.prefix { $0 == " " }.count / 2
      let words = line.split(separator: " ").drop { $0.hasPrefix("@") }
      let before = words.prefix { modifiers.contains(String($0)) }
      guard depth <= outer.count, let kind = words.dropFirst(before.count).first,
        kinds.contains(String(kind)), let word = words.dropFirst(before.count + 1).first
      else { continue }
      let name = word.prefix { $0.isLetter || $0.isNumber || $0 == "." }
      guard name != "func", name != "var" else { continue }
      outer = outer.prefix(depth) + [name.split(separator: ".").joined(separator: "/")]
      guard before.contains("public") || before.contains("open"), kind != "extension",
        kind != "typealias" || depth == 0
      else { continue }
      types.append(outer.joined(separator: "/"))
    }
    return types
  }
}
