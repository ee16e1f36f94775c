import Foundation
import TestFixtures
import Testing

@testable import Respool

/// A program of one file that uses the library built with the tests.
struct ClientProgram {
  let source: URL
  private static let build = URL(filePath: Installation.folder ?? ".")
  /// C modules that the library's module imports.
  private static let shims = ["CLinux", "CConversion", "CDrawing", "CYAML", "CZlib"]
  /// Modules of swift-collections that the library uses.
  private static let collections = [
    "DequeModule", "ContainersPreview", "InternalCollectionsUtilities",
  ]

  init(_ text: String, in scratch: Scratch) throws {
    source = URL(filePath: scratch.path("main.swift"))
    try Data(text.utf8).write(to: source)
  }

  private static var imports: [String] {
    let maps =
      shims.map { build.appending(path: "\($0).build/module.modulemap").path } + [
        PluginWorkshop.package.appending(
          path: "Sources/CRespool/include/module.modulemap"
        ).path
      ]
    return ["-swift-version", "6", "-I", build.appending(path: "Modules").path]
      + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0)"] }
  }

  /// Fails if the program does not compile without a warning.
  func check() throws {
    try PluginWorkshop.run(
      "swiftc", ["-typecheck", "-warnings-as-errors"] + Self.imports + [source.path])
  }

  /// Compiles the program with files of `Tests/Fixtures`, runs it in the folder of its source, and returns its output.
  func run(with files: [String]) throws -> String {
    let folder = source.deletingLastPathComponent()
    let modules = ["", "Host", "Media", "Pipeline", "Presets", "Processing", "Waveform"].map {
      "Respool" + $0
    }
    let objects = try (modules + ["CRespool"] + Self.shims + Self.collections)
      .flatMap { target in
        let place = Self.build.appending(path: "\(target).build")
        let sources = Self.sources(of: target)
        return try FileManager.default.contentsOfDirectory(atPath: place.path)
          .filter { $0.hasSuffix(".o") && (sources?.contains($0) ?? true) }
          .map { place.appending(path: $0).path }
      }
    let program = folder.appending(path: "program").path
    try PluginWorkshop.run(
      "swiftc",
      ["-suppress-warnings"] + Self.imports + [source.path]
        + files.map { PluginWorkshop.sources.appending(path: $0).path } + objects + ["-o", program])
    return try PluginWorkshop.run(
      "env", ["-C", folder.path, program],
      environment: [
        "RESPOOL_PLUGIN_PATH": Self.build.path,
        "RESPOOL_HELPER": Self.build.appending(path: "respool").path,
        "RESPOOL_PRESETS": PluginWorkshop.package.appending(path: "presets").path,
      ])
  }

  /// Returns the names of the object files of a Swift module of this package; `nil` for other modules.
  ///
  /// An incremental build leaves the object files of removed sources behind.
  private static func sources(of target: String) -> Set<String>? {
    let folder = PluginWorkshop.package.appending(path: "Sources/\(target)").path
    guard target.hasPrefix("Respool"), let files = FileManager.default.enumerator(atPath: folder)
    else { return nil }
    return Set(
      files.compactMap { $0 as? String }.map { ($0 as NSString).lastPathComponent + ".o" })
  }
}
