import Glibc
import RespoolHost
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
    // Not a FileSink, which would wait for the disk.
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    defer { if descriptor >= 0 { close(descriptor) } }
    let failure = bytes.withUnsafeBytes { descriptor < 0 ? errno : writeAll($0, to: descriptor) }
    guard failure == 0 else {
      throw Finding("the input of the check cannot be written: \(systemMessage(failure))")
    }
    do throws(MediaError) { return try FileSource(path: path) } catch {
      throw Finding("the input of the check cannot be read: \(error)")
    }
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

  /// Returns a number from 0 to `limit` - 1; 0 if `limit` is not positive.
  mutating func below(_ limit: Int) -> Int { limit > 0 ? Int(next() >> 8) % limit : 0 }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 56) }
  }
}
