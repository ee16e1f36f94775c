import Foundation
import RespoolMedia
import Testing

@testable import RespoolBatch

@Suite struct FolderListingTests {
  /// Names whose first eight bytes are equal, that end within them, or that are not UTF-8.
  private static let names: [[UInt8]] =
    [
      "a", "a b", "a.wav", "b", "caf\u{E9}", "cafe\u{301}", "clip-0001.wav", "clip-0001.wave",
      "clip-00010.wav", ".x",
    ]
    .map { Array($0.utf8) } + [[0xFF, 0x41], [0x61, 0xFF], Array(repeating: 0x7A, count: 255)]

  @Test func `names are in byte order and are found by their bytes`() throws {
    let folder = NSTemporaryDirectory() + "/respool-listing-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for name in Self.names.shuffled() {
      let path = Array(folder.utf8) + [0x2F] + name
      let file = open(path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT, 0o644)
      try #require(file >= 0)
      close(file)
    }
    let sorted = Self.names.sorted { $0.lexicographicallyPrecedes($1) }
    let listing = try #require(FolderListing(folder))
    #expect(listing.count == sorted.count)
    for (index, name) in sorted.enumerated() where index < listing.count {
      #expect(PathName.bytes(listing.text(index)) == name)
      #expect(listing.isHidden(index) == (name[0] == UInt8(ascii: ".")))
      #expect(listing.status(index)?.st_size == 0)
      for (other, bytes) in sorted.enumerated() {
        let order = bytes.withUnsafeBytes { listing.compare(index, $0) }
        #expect(order.signum() == (index - other).signum(), "\(index) \(other)")
      }
      let stem = PathName.bytes(PathName.splitExtension(PathName.text(name)).stem)
      #expect(listing.withName(index) { Array($0.prefix($1)) } == stem)
    }
    listing.close()
    #expect(listing.status(0)?.st_size == 0)
    #expect(FolderListing(folder + "/none") == nil && errno == ENOENT)
  }
}
