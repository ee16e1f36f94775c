import Glibc
import Respool
import RespoolMedia

/// Finds the files of a batch: every regular file below the inputs, in the order of their names.
struct Walker {
  /// A file to look at.
  struct Found: Sendable {
    /// As the user would name it: the input joined with the path below it.
    var path: String
    /// Path below the input, for the tree of the output; for an input that is a file its name.
    var relative: String
    var size: Int64
  }

  /// What could not be walked, with the reason.
  private(set) var problems: [(path: String, reason: String)] = []
  private(set) var files: [Found] = []
  /// Folders on the way down, so that a link to one of them is not followed round and round.
  private var ancestors: [FileIdentity] = []
  private let excluded: FileIdentity?

  /// `excluding` is the output folder: it is not walked when it lies inside an input.
  init(excluding folder: String?) {
    excluded = folder.flatMap { FileIdentity($0) }
  }

  /// Adds what lies at `path`, a file or a folder.
  mutating func walk(_ path: String) {
    guard let status = Self.status(path) else {
      problems.append((path, "\(errorText(errno))"))
      return
    }
    if status.isFolder {
      let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
      descend(trimmed, relative: "", identity: FileIdentity(status))
    } else {
      add(path, relative: FileName.last(path), status)
    }
  }

  private mutating func descend(_ folder: String, relative: String, identity: FileIdentity) {
    guard identity != excluded, !ancestors.contains(identity) else { return }
    guard ancestors.count < 256 else {
      problems.append((folder, "folders are nested more than 256 deep"))
      return
    }
    guard let names = Self.names(in: folder) else {
      problems.append((folder, errorText(errno)))
      return
    }
    ancestors.append(identity)
    defer { ancestors.removeLast() }
    for name in names {
      let path = FileName.join(folder, name)
      let below = relative.isEmpty ? name : relative + "/" + name
      // Settings, thumbnails, macOS's "._" companions, our own unfinished outputs.
      if name.hasPrefix(".") {
        problems.append((path, "hidden: its name starts with a dot"))
        continue
      }
      guard let status = Self.status(path) else {
        problems.append((path, errorText(errno)))
        continue
      }
      if status.isFolder {
        descend(path, relative: below, identity: FileIdentity(status))
      } else {
        add(path, relative: below, status)
      }
    }
  }

  private mutating func add(_ path: String, relative: String, _ status: stat) {
    guard status.st_mode & S_IFMT == S_IFREG else {
      problems.append((path, "not a regular file"))
      return
    }
    files.append(Found(path: path, relative: relative, size: Int64(status.st_size)))
  }

  /// Names in byte order; nil with `errno` where the folder cannot be read.
  private static func names(in folder: String) -> [String]? {
    guard let directory = FileName.withSystemPath(folder, { opendir($0) }) else { return nil }
    defer { closedir(directory) }
    var names: [(bytes: [UInt8], text: String)] = []
    while let entry = readdir(directory) {
      let text = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        tuple.withMemoryRebound(to: CChar.self, capacity: 256) { FileName.text(system: $0) }
      }
      if text == "." || text == ".." { continue }
      names.append((FileName.bytes(text), text))
    }
    return names.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map(\.text)
  }

  private static func status(_ path: String) -> stat? {
    var status = stat()
    return FileName.withSystemPath(path) { stat($0, &status) } == 0 ? status : nil
  }
}

extension stat {
  fileprivate var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}

/// What the system says about an error number.
func errorText(_ number: Int32) -> String { String(cString: strerror(number)) }
