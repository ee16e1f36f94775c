import Foundation
import RespoolMedia
import Testing

@testable import Respool

/// Files that say something unusual of themselves.
enum AssetFixture {
  static func asset(_ name: String, registry: PluginRegistry = Pipeline.registry) -> Asset {
    Asset(path: Pipeline.clip(name), registry: registry)
  }

  static func track(_ name: String, _ type: MediaType = .video) throws -> AssetTrack {
    try #require(try asset(name).tracks(withMediaType: type).first)
  }

  /// A copy of a clip with bytes written over those that stand `offset` behind a box's type.
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

  /// A movie of which all tracks say that they are encrypted.
  static func encrypted(_ scratch: Scratch) throws -> String {
    try patched(
      "pattern-h264.mp4", scratch,
      [("avc1", 0, Array("encv".utf8)), ("mp4a", 0, Array("enca".utf8))])
  }

  /// The plugins of these names and no others; they go with the workshop.
  static func registry(of names: [String], in workshop: PluginWorkshop) throws -> PluginRegistry {
    let folder = try #require(Installation.folder)
    for name in names {
      try FileManager.default.copyItem(
        atPath: "\(folder)/librespool-\(name).so", toPath: workshop.path("librespool-\(name).so"))
    }
    return workshop.registry()
  }
}
