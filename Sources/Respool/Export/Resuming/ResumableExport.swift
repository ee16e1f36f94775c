import Glibc
import RespoolMedia

/// Minimum length of the parts in which video is encoded.
struct PartLength {
  /// Minimum duration, in seconds; a resumed export encodes about this much again.
  var seconds: Int64 = 30
  /// Minimum number of frames, so that no part is shorter than an encoder's lookahead.
  var frames = 60
}

/// Stored files of an export in its folder for temporary files.
///
/// One file identifies the export and is locked while the export exists. In addition there is a journal of
/// encoded packets for each video track and pass.
final class ResumableExport: Sendable {
  private static let name = "respool-export"
  private let folder: String
  private let descriptor: Int32
  /// `true` if an earlier export left parts that this one continues.
  let isResuming: Bool
  private let parts: PartLength

  /// Opens the folder.
  ///
  /// `identity` is a text of everything that determines the frames, and `parts` the minimum length of parts.
  /// Returns `nil` if the folder has parts of another export. Throws `io` if the folder cannot be used.
  init?(folder: String, identity: String, parts: PartLength) throws(MediaError) {
    (self.folder, self.parts) = (folder, parts)
    let path = PathName.join(folder, Self.name)
    descriptor = PathName.withSystemPath(path) {
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

  /// Returns the journal of a track in a pass.
  ///
  /// `settings` are the track's. Parts that were encoded with other settings are discarded. Throws `io`.
  func journal(pass: Int, track: Int, settings: String) throws(MediaError) -> ExportJournal {
    try ExportJournal(
      path: PathName.join(folder, "\(Self.name)-\(pass)-\(track)"), settings: settings,
      parts: parts)
  }

  /// Removes the export's files after it has completed.
  func remove() {
    // The file that identifies the export is removed last: without it the journals would belong to no export.
    for path in Self.journals(in: folder) + [PathName.join(folder, Self.name)] {
      _ = PathName.withSystemPath(path) { unlink($0) }
    }
  }

  private static func journals(in folder: String) -> [String] {
    guard let directory = PathName.withSystemPath(folder, { opendir($0) }) else { return [] }
    defer { closedir(directory) }
    var paths: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { PathName.text(system: $0) }
      }
      if name.hasPrefix(Self.name + "-") { paths.append(PathName.join(folder, name)) }
    }
    return paths
  }
}
