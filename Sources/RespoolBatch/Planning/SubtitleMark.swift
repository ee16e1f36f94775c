import Respool
import RespoolHost
import RespoolMedia

/// The files of subtitles beside a film, by which a change is noticed that leaves the film as it is.
struct SubtitleMark: Hashable, CustomStringConvertible {
  let count: Int
  /// Hash of what follows the film's name in theirs, of sizes, and of samples of the content.
  ///
  /// `nil` in ledgers of earlier versions.
  let hash: UInt64?

  /// Reads the samples of files, whose names begin with `stem`.
  init(of files: [String], stem: String) {
    count = files.count
    var hash = XXH64()
    for path in files.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      let suffix = PathName.bytes(PathName.last(path)).dropFirst(stem.utf8.count)
      Array(suffix + [0]).withUnsafeBytes { hash.update($0) }
      guard let source = try? FileSource(path: path),
        let mark = ContentMark(of: source, changed: 0)
      else { continue }
      withUnsafeBytes(of: source.size.littleEndian) { hash.update($0) }
      mark.samples.withUnsafeBytes { hash.update($0) }
    }
    self.hash = hash.value
  }

  /// Reads the form of `description`; `nil` if it is another one.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: " ")
    guard let count = parts.first.flatMap({ Int($0) }), parts.count <= 2 else { return nil }
    self.count = count
    hash = parts.count == 2 ? UInt64(parts[1], radix: 16) : nil
  }

  var description: String {
    hash.map { "\(count) \(String($0, radix: 16))" } ?? "\(count)"
  }
}
