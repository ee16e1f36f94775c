import Glibc
import RespoolMedia

/// How long the parts are that pictures are encoded in.
struct PartLength {
  /// A resumed export encodes about as much anew.
  var seconds: Int64 = 30
  /// So that no part is shorter than what an encoder looks ahead.
  var pictures = 60
}

/// What of an export lies in its folder for temporary files, and which export it is of.
///
/// A file that says what is exported, locked as long as the export lives, and for each picture track and
/// pass a journal of what has been encoded.
// Sendable: it is set before the export begins and not changed from then on.
final class ResumableExport: @unchecked Sendable {
  private static let name = "respool-export"
  private let folder: String
  private let descriptor: Int32
  /// Whether an earlier export left parts that this one goes on from.
  let isResuming: Bool
  /// What a part has at least.
  var parts = PartLength()

  /// `identity` is all that makes the pictures what they are.
  ///
  /// Nil where the folder has parts of another export. Throws `io` where it cannot be used.
  init?(folder: String, identity: String) throws(MediaError) {
    self.folder = folder
    let path = FileName.join(folder, Self.name)
    descriptor = FileName.withSystemPath(path) {
      open($0, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600)
    }
    guard descriptor >= 0 else { throw .system("cannot be created", errno, file: path) }
    do throws(MediaError) {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        throw .system("is used by another export", errno, file: path)
      }
      let hash = Array("respool export 1 \(MD5.hex(identity.utf8))\n".utf8)
      isResuming = Self.journals(in: folder).contains { ExportJournal.hasParts(at: $0) }
      var found = [UInt8](repeating: 0, count: hash.count + 1)
      let count = pread(descriptor, &found, found.count, 0)
      if Array(found.prefix(max(0, count))) == hash { return }
      guard !isResuming else { return nil }
      guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, hash, hash.count, 0) == hash.count,
        fsync(descriptor) == 0
      else { throw .system("cannot be written", errno, file: path) }
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  /// What has been encoded of a track, to be gone on with.
  ///
  /// `settings` are the track's: parts that were encoded by others do not count. Throws `io`.
  func journal(pass: Int, track: Int, settings: String) throws(MediaError) -> ExportJournal {
    try ExportJournal(
      path: FileName.join(folder, "\(Self.name)-\(pass)-\(track)"), settings: settings,
      parts: parts)
  }

  /// Removes the export's files; for one that has completed.
  func remove() {
    // The file that says what is exported goes last: without it the others would be nobody's.
    for path in Self.journals(in: folder) + [FileName.join(folder, Self.name)] {
      _ = FileName.withSystemPath(path) { unlink($0) }
    }
  }

  private static func journals(in folder: String) -> [String] {
    guard let directory = FileName.withSystemPath(folder, { opendir($0) }) else { return [] }
    defer { closedir(directory) }
    var paths: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { FileName.text(system: $0) }
      }
      if name.hasPrefix(Self.name + "-") { paths.append(FileName.join(folder, name)) }
    }
    return paths
  }
}
