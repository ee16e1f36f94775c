import RespoolHost
import RespoolMedia

/// Signs of a file's content beside its size and modification time, which programs can set.
struct ContentMark: Hashable {
  /// Time of the last change of content or attributes (ctime), in nanoseconds since 1970.
  ///
  /// No program can set it, but copying, renaming and other permissions change it too.
  var changed: Int64
  /// MD5 of the samples.
  var samples: [UInt8]

  /// Size in bytes of each of the three samples: at the start, in the middle and at the end.
  private static let sampleSize: Int64 = 64 << 10

  init(changed: Int64, samples: [UInt8]) { (self.changed, self.samples) = (changed, samples) }

  /// Reads the samples of a file that was changed last at `changed`; `nil` if it cannot be read.
  init?(path: String, changed: Int64) {
    guard let source = try? FileSource(path: path) else { return nil }
    self.init(of: source, changed: changed)
  }

  /// Reads the samples of an open file that was changed last at `changed`; `nil` if it cannot be read.
  init?(of source: FileSource, changed: Int64) {
    guard let samples = Self.samples(of: source) else { return nil }
    self.init(changed: changed, samples: samples)
  }

  private static func samples(of source: FileSource) -> [UInt8]? {
    do throws(MediaError) {
      let (size, length) = (source.size, sampleSize)
      var hash = MD5()
      for start in size <= 3 * length ? [0] : [0, (size - length) / 2, size - length] {
        let bytes = try source.bytes(at: start, count: size <= 3 * length ? size : length)
        bytes.withUnsafeBytes { hash.update($0) }
      }
      return hash.finalize()
    } catch { return nil }
  }

  /// Returns `true` if a file with the change time `changed` probably still has the content.
  ///
  /// Its samples are read only if the time differs. A file that cannot be read counts as unchanged: reading it
  /// reports the reason.
  func matches(_ path: String, changed: Int64) -> Bool {
    if self.changed == changed { return true }
    return ContentMark(path: path, changed: changed).map { $0.samples == samples } ?? true
  }
}
