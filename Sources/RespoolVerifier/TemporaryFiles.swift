import Glibc
import Respool
import RespoolMedia

/// A temporary folder for the inputs of a check, which is removed with this object.
final class TemporaryFiles {
  let folder: String
  private var paths: [String] = []

  init() throws(Finding) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/respool-verify-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Finding("no temporary folder can be created in \(base)")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    for path in paths { unlink(path) }
    rmdir(folder)
  }

  /// Returns the path of a file that does not exist yet.
  func newPath(extension suffix: String?) -> String {
    let path = "\(folder)/\(paths.count)\(suffix.map { ".\($0)" } ?? "")"
    paths.append(path)
    return path
  }

  /// Returns a file that contains these bytes, open for reading.
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

/// A generator of pseudorandom numbers, equal in every run (xorshift64*).
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
