import Glibc
import Respool
import RespoolMedia

/// A folder of its own for the inputs that a check makes; it goes with the value.
final class TemporaryFiles {
  let folder: String
  private var paths: [String] = []

  init() throws(Finding) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/respool-verify-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Finding("no temporary folder can be made in \(base)")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for path in paths { unlink(path) }
    rmdir(folder)
  }

  /// The path of a file that does not exist yet.
  func newPath(extension suffix: String?) -> String {
    let path = "\(folder)/\(paths.count)\(suffix.map { ".\($0)" } ?? "")"
    paths.append(path)
    return path
  }

  /// A file that holds these bytes, open for reading.
  func source(_ bytes: [UInt8], extension suffix: String?) throws(Finding) -> FileSource {
    let path = newPath(extension: suffix)
    do throws(MediaError) {
      let sink = try FileSink(path: path)
      try sink.write(bytes)
      try sink.finish()
      return try FileSource(path: path)
    } catch { throw Finding("the input of the check cannot be written: \(error)") }
  }
}

/// The same bytes in every run (xorshift64*).
struct Noise {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 56) }
  }
}
