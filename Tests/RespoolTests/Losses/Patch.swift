import Foundation
import Testing

/// Changes of single bytes in boxes of a file.
enum Patch {
  /// Overwrites bytes of a file written by FFmpeg, `offset` bytes after the type code of its box `index` of a type.
  static func apply(
    _ path: String, _ type: String, _ index: Int, at offset: Int, _ bytes: [UInt8]
  ) throws {
    var file = try Data(contentsOf: URL(fileURLWithPath: path))
    var place = file.startIndex
    for _ in 0...index {
      place = try #require(file.range(of: Data(type.utf8), in: place..<file.endIndex)).upperBound
    }
    file.replaceSubrange(place + offset..<place + offset + bytes.count, with: bytes)
    try file.write(to: URL(fileURLWithPath: path))
  }
}
