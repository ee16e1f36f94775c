import Foundation
import Glibc
import Testing

/// A folder that is removed with its content after the test.
final class TemporaryFolder: Sendable {
  let path: String

  init() {
    var template = Array((NSTemporaryDirectory() + "/respool-command-XXXXXX").utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func callAsFunction(_ name: String) -> String { path + "/" + name }

  /// Copies a clip of Tests/Media to `name`, which may be any bytes, and creates missing folders.
  func add(_ clip: String, as name: [UInt8]) throws {
    let data = try #require(FileManager.default.contents(atPath: Respool.media + "/" + clip))
    let path = Array(path.utf8) + [0x2F] + name
    for (index, byte) in path.enumerated() where byte == 0x2F && index > self.path.utf8.count {
      let folder = path[..<index].map { CChar(bitPattern: $0) } + [0]
      mkdir(folder, 0o777)
    }
    let file = open(path.map { CChar(bitPattern: $0) } + [0], O_WRONLY | O_CREAT | O_EXCL, 0o644)
    try #require(file >= 0, "\(String(cString: strerror(errno)))")
    defer { close(file) }
    let count = data.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    try #require(count == data.count)
  }

  func add(_ clip: String, as name: String) throws { try add(clip, as: Array(name.utf8)) }

  /// Writes a text file and creates missing folders.
  func write(_ text: String, as name: String) throws { try write(Data(text.utf8), as: name) }

  func write(_ bytes: Data, as name: String) throws {
    let parent = (self(name) as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try bytes.write(to: URL(fileURLWithPath: self(name)))
  }

  /// Sets the modification time, in seconds since 1970.
  func setTime(_ seconds: Int, of name: String) throws {
    let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
    try #require(utimensat(AT_FDCWD, self(name), times, 0) == 0)
  }

  /// Returns the result of stat(2) for a file.
  func status(_ name: String) throws -> stat {
    var status = stat()
    try #require(stat(self(name), &status) == 0, "\(name)")
    return status
  }

  /// Adds silence in a sparse file, by default two hours, whose conversion takes long enough to be interrupted.
  func addLongSound(as name: String, seconds: Int = 7200) throws {
    let rate = 48_000
    let size = rate * 2 * seconds
    var header: [UInt8] = []
    func put(_ text: String) { header += text.utf8 }
    func put(_ value: Int, _ bytes: Int) {
      for index in 0..<bytes { header.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }
    put("RIFF")
    put(size + 36, 4)
    put("WAVEfmt ")
    put(16, 4)
    put(1, 2)
    put(1, 2)
    put(rate, 4)
    put(rate * 2, 4)
    put(2, 2)
    put(16, 2)
    put("data")
    put(size, 4)
    try Data(header).write(to: URL(fileURLWithPath: self(name)))
    try #require(truncate(self(name), off_t(size + 44)) == 0)
  }

  /// All files and folders in the folder and its subfolders, sorted, with U+FFFD in names that are not UTF-8.
  var contents: [String] { Self.contents(of: path) }

  /// Returns the files and folders that a batch has written to its output folder, without its ledger.
  static func outputs(in folder: String) -> [String] {
    contents(of: folder).filter { !$0.hasPrefix(".respool/") && $0 != ".respool" }
  }

  static func contents(of folder: String) -> [String] {
    ((try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []).sorted()
  }
}
