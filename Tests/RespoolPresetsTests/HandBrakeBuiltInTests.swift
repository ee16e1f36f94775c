import Foundation
import RespoolHost
import Testing

@testable import RespoolPresets

/// Imports of all presets that HandBrake has, if its command is installed.
@Suite struct HandBrakeBuiltInTests {
  private static let program = "/usr/bin/HandBrakeCLI"

  private func run(_ arguments: [String]) throws -> (output: String, errors: String) {
    let folder = try PresetFolder([:])
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    var texts: [String] = []
    var handles: [FileHandle] = []
    for name in ["out", "err"] {
      let path = "\(folder.path)/\(name)"
      _ = FileManager.default.createFile(atPath: path, contents: nil)
      handles.append(try FileHandle(forWritingTo: URL(fileURLWithPath: path)))
    }
    (process.standardOutput, process.standardError) = (handles[0], handles[1])
    try process.run()
    process.waitUntilExit()
    for name in ["out", "err"] {
      texts.append(try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8))
    }
    return (texts[0], texts[1])
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: program)))
  func `every key of every preset of HandBrake has one note`() throws {
    let list = try run(["-z"])
    let names = (list.output + list.errors).split(separator: "\n").filter {
      $0.hasPrefix("    ") && !$0.hasPrefix("     ")
    }.map { String($0.dropFirst(4)) }
    #expect(names.count > 50)
    let folder = try PresetFolder([:])
    for name in names {
      let file = "\(folder.path)/one.json"
      _ = try run(["-Z", name, "--preset-export", name, "--preset-export-file", file])
      let text = try String(contentsOfFile: file, encoding: .utf8)
      let document = try JSONReader.read(text, file: file)
      let source = try #require(document["PresetList"]?.elements.first)
      var keys = source.members.map(\.name)
      for (index, entry) in (source["AudioList"]?.elements ?? []).enumerated() {
        keys += entry.members.map { "AudioList[\(index)].\($0.name)" }
      }
      let preset = try HandBrakeImport.presets(in: text, file: file)[0]
      #expect(preset.notes.map(\.key).sorted() == keys.sorted(), "\(name)")
      #expect(!preset.notes.contains { $0.text == "the key is unknown" }, "\(name)")
      let path = "\(folder.path)/\(preset.name).yaml"
      try preset.text.write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try PresetLibrary(folders: []).check(path).problems.isEmpty, "\(name)")
    }
  }
}
