import Foundation
import RespoolMedia
import Testing

@testable import RespoolHost
@testable import RespoolPresets

/// The page about presets: its table of keys, which `RECORD_SNAPSHOTS=1` writes again, and its examples.
@Suite struct PresetPageTests {
  private static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Sources/Respool/Respool.docc/Presets.md")

  private static func values(_ kind: PresetKey.Kind) -> String {
    switch kind {
    case .text: "text"
    case .choice(let words): words.map { "`\($0)`" }.joined(separator: ", ")
    case .flag: "`true`, `false`"
    case .integer(let bounds): "\(bounds.lowerBound) to \(bounds.upperBound)"
    case .number(let bounds):
      "\(bounds.lowerBound.decimalText) to \(bounds.upperBound.decimalText)"
    case .numberOrWord(let bounds, let word):
      "\(bounds.lowerBound.decimalText) to \(bounds.upperBound.decimalText), `\(word)`"
    case .bitRate: "`160k`, `2.5M`"
    case .bytes: "`8M`, `2GiB`"
    case .size: "`1280x720`"
    case .frameRate: "`30`, `29.97`, `30000/1001`"
    case .pixelFormats: "`yuv420p`, or a list"
    case .options: "a mapping"
    case .extensions: "an extension, or a list"
    case .filters: "a list"
    case .trackRules(let words): words.map { "`\($0)`" }.joined(separator: ", ") + ", rules"
    case .variants: "a list"
    case .section: "a mapping, `none`"
    }
  }

  private static func rows(_ keys: [PresetKey], in section: String) -> String {
    keys.map { key in
      var row = "| `\(section)\(key.name)` | \(values(key.kind)) | \(key.help) |\n"
      if case .section(let inner) = key.kind { row += rows(inner, in: "\(key.name).") }
      return row
    }.joined()
  }

  @Test func `the table has every key of the reader`() throws {
    let page = try String(contentsOf: Self.url, encoding: .utf8)
    let (start, end) = ("<!-- keys -->\n", "<!-- end of keys -->")
    let from = try #require(page.range(of: start)?.upperBound)
    let to = try #require(page.range(of: end)?.lowerBound)
    let table =
      "| key | values | meaning |\n| --- | --- | --- |\n" + Self.rows(PresetKey.root, in: "")
    if ProcessInfo.processInfo.environment["RECORD_SNAPSHOTS"] != nil {
      try Data((page[..<from] + table + page[to...]).utf8).write(to: Self.url)
    }
    #expect(page[from..<to] == table, "RECORD_SNAPSHOTS=1 writes it anew")
  }

  @Test func `the examples of whole presets are valid`() throws {
    let readme = Self.url.deletingLastPathComponent().appendingPathComponent("../../../README.md")
    let pages = try [Self.url, readme].map { try String(contentsOf: $0, encoding: .utf8) }
    let presets = pages.joined().split(separator: "```yaml\n").dropFirst().compactMap {
      $0.split(separator: "```").first
    }.filter { $0.hasPrefix("container:") || $0.hasPrefix("extends:") }
    try #require(presets.count == 6)
    for text in presets {
      let folder = try PresetFolder(["p.yaml": String(text)])
      let library = PresetLibrary(folders: folder.library.folders + PackagePresets.library.folders)
      let check = try library.check("p", available: PluginFixtures.ofPackage)
      #expect(check.problems == [])
    }
  }
}
