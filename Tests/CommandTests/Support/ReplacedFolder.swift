import Foundation
import Glibc
import Testing

/// A folder whose files a batch replaces, with all files of its tests.
final class ReplacedFolder {
  let folder = TemporaryFolder()
  let preset: String
  private let disk: SmallDisk?

  /// A case of replacement.
  struct Case: CustomTestStringConvertible, Sendable {
    /// Preset: `small` gives outputs the names of their sources, `opus-128k` gives them others.
    var preset: String
    /// Place of the originals; `nil` if they are removed.
    var originals: Originals?

    enum Originals: String { case sameDisk, otherDisk }

    var testDescription: String { "\(preset), originals \(originals?.rawValue ?? "removed")" }

    static let all =
      ["small", "opus-128k"].flatMap { preset in
        [nil, .sameDisk, .otherDisk].map { Case(preset: preset, originals: $0) }
      }
  }

  let options: Case

  init(_ options: Case = Case(preset: "small", originals: .sameDisk)) throws {
    self.options = options
    mkdir(folder("in"), 0o755)
    try folder.write(
      "extends: wav\nname: small\naudio: {codec: pcm, sampleRate: 8000}\n", as: "small.yaml")
    preset = options.preset == "small" ? folder("small.yaml") : options.preset
    disk =
      options.originals == .otherDisk && SmallDisk.isPermitted
      ? try SmallDisk(folder("disk"), megabytes: 8) : nil
  }

  /// `true` if the case can be tested here: another file system must be mounted.
  var isPossible: Bool { options.originals != .otherDisk || disk != nil }

  /// Folder for the originals; `nil` if they are removed.
  var originals: String? {
    switch options.originals {
    case .sameDisk: folder("originals")
    case .otherDisk: folder("disk/originals")
    case nil: nil
    }
  }

  /// Arguments of the batch.
  var words: [String] {
    ["batch", folder("in"), "--replace", "--preset", preset, "--json"]
      + (originals.map { ["--originals", $0] } ?? [])
  }

  func run(_ more: [String] = [], environment: [String] = []) throws -> BatchRun {
    try BatchRun(Respool.start(words + more, environment: environment).wait())
  }

  func restore(_ more: [String] = [], environment: [String] = []) throws -> Respool.Result {
    try Respool.start(["restore", folder("in")] + more, environment: environment).wait()
  }

  func bytes(_ path: String) -> Data? { FileManager.default.contents(atPath: path) }

  /// Name of the output of a source.
  func output(of name: String) -> String {
    options.preset == "small" ? name : (name as NSString).deletingPathExtension + ".opus"
  }

  /// All files below the folder and the folder for originals, hidden ones too, without the ledger.
  var allFiles: [String] {
    [folder("in"), originals].compactMap(\.self).flatMap { root in
      TemporaryFolder.contents(of: root).filter { !$0.hasPrefix(".respool/") }.map {
        root + "/" + $0
      }
    }
  }

  /// Files that are not hidden.
  var visibleFiles: [String] {
    TemporaryFolder.contents(of: folder("in")).filter { !$0.contains(".respool") }
  }

  /// Returns the replacement that the case makes of a file.
  func replacement(of name: String) throws -> Data {
    let path = folder("expected-" + output(of: (name as NSString).lastPathComponent))
    _ = try Respool.run(
      "convert", folder("in/" + name), path, "--preset", preset, "--replace", "--no-preserve")
    return try #require(bytes(path))
  }
}
