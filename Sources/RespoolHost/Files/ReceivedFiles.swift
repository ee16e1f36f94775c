import Glibc
import RespoolMedia
import Synchronization

/// Files that were opened before this process entered its ``Sandbox``, or by another process, each under its path.
///
/// A process in a sandbox cannot open its input and its output. ``FileSource`` and ``FileSink`` look here first,
/// so that the rest of the program uses paths in all processes. Usable from any thread.
package enum ReceivedFiles {
  /// A descriptor, or the reason why there is none.
  private static let files = Mutex<[PathKey: Result<Int32, MediaError>]>([:])

  /// Replaces the files by those of `files`, and closes the earlier ones.
  ///
  /// The descriptors belong to this type from now on.
  package static func replace(by files: [(path: String, descriptor: Int32)]) {
    var new: [PathKey: Result<Int32, MediaError>] = [:]
    for file in files {
      let other = new.updateValue(.success(file.descriptor), forKey: PathKey(file.path))
      if case .success(let descriptor)? = other { close(descriptor) }
    }
    let old = self.files.withLock { all in
      defer { all = new }
      return all
    }
    for case .success(let descriptor) in old.values { close(descriptor) }
  }

  /// Opens the files at `paths` for reading.
  ///
  /// Opening a file later, after a failure here, throws the error of this failure.
  package static func open(_ paths: [String]) {
    for path in paths {
      let file: Result<Int32, MediaError>
      do throws(MediaError) {
        let source = try FileSource(path: path)
        let descriptor = fcntl(source.descriptor, F_DUPFD_CLOEXEC, 0)
        file =
          descriptor >= 0
          ? .success(descriptor) : .failure(.system("cannot be opened", errno, file: path))
      } catch { file = .failure(error) }
      let old = files.withLock { $0.updateValue(file, forKey: PathKey(path)) }
      if case .success(let descriptor)? = old { close(descriptor) }
    }
  }

  /// Returns a new descriptor of the file at `path`, which the caller closes; `nil` if the file is not here.
  ///
  /// It shares the position and the lock of the file with the other ones. Throws `io` if the file could not be opened,
  /// or if the process has no descriptor left.
  static func descriptor(of path: String) throws(MediaError) -> Int32? {
    try files.withLock { (files) throws(MediaError) in
      guard !files.isEmpty, let file = files[PathKey(path)] else { return nil }
      let new = fcntl(try file.get(), F_DUPFD_CLOEXEC, 0)
      guard new >= 0 else { throw .system("cannot be opened", errno, file: path) }
      return new
    }
  }
}
