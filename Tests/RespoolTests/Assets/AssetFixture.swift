import Foundation
import TestFixtures
import RespoolMedia
import Testing

@testable import Respool

/// Clips as assets, and files with unusual headers.
enum AssetFixture {
  static func asset(_ name: String, registry: PluginRegistry = Pipeline.registry) -> Asset {
    Asset(path: Pipeline.clip(name), registry: registry)
  }

  static func track(_ name: String, _ type: MediaType = .video) throws -> AssetTrack {
    try #require(try asset(name).tracks(withMediaType: type).first)
  }

  /// Writes a copy of a clip with some bytes overwritten, and returns its path.
  ///
  /// Offsets are in bytes from the first byte of the box's type. The last box of that type is changed.
  static func patched(
    _ name: String, _ scratch: Scratch, _ changes: [(box: String, offset: Int, bytes: [UInt8])]
  ) throws -> String {
    var data = try Data(contentsOf: URL(filePath: Pipeline.clip(name)))
    for change in changes {
      let place = try #require(data.range(of: Data(change.box.utf8), options: .backwards))
      let start = place.lowerBound + change.offset
      data.replaceSubrange(start..<start + change.bytes.count, with: change.bytes)
    }
    let path = scratch.path("patched-" + name)
    try data.write(to: URL(filePath: path))
    return path
  }

  /// Writes a movie whose tracks are all marked as encrypted, and returns its path.
  static func encrypted(_ scratch: Scratch) throws -> String {
    try patched(
      "pattern-h264.mp4", scratch,
      [("avc1", 0, Array("encv".utf8)), ("mp4a", 0, Array("enca".utf8))])
  }

  /// Returns a registry of only these plugins, which is valid as long as the workshop.
  static func registry(of names: [String], in workshop: PluginWorkshop) throws -> PluginRegistry {
    let folder = try #require(Installation.folder)
    for name in names {
      try FileManager.default.copyItem(
        atPath: "\(folder)/librespool-\(name).so", toPath: workshop.path("librespool-\(name).so"))
    }
    return workshop.registry()
  }
}
