import Glibc
package import RespoolMedia

/// Text files that people write, of at most one megabyte.
package enum TextFile {
  static let sizeLimit = 1 << 20

  /// Reads the whole text.
  ///
  /// `noun` names the kind of file in errors.
  package static func read(_ path: String, called noun: String) throws(MediaError) -> String {
    // O_NONBLOCK: opening a pipe must not wait for a writer before it can be refused.
    let descriptor = PathName.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else {
      throw MediaError(.io, "the \(noun) cannot be opened", file: path, cause: reason())
    }
    defer { close(descriptor) }
    var status = stat()
    let isRegular = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    // `<(command)` of a shell and /dev/stdin already have a writer, so reading them does not wait forever.
    guard isRegular || path.hasPrefix("/dev/") || path.hasPrefix("/proc/") else {
      throw MediaError(
        .invalidArgument, "the \(noun) is a folder, a device or a pipe; expected a file",
        file: path)
    }
    if !isRegular { _ = fcntl(descriptor, F_SETFL, 0) }
    var bytes: [UInt8] = []
    while bytes.count <= sizeLimit {
      var got = 0
      // Not filled with zeros first: most files are much smaller.
      let chunk = [UInt8](unsafeUninitializedCapacity: bytes.isEmpty ? 8192 : 65536) {
        buffer, count in
        got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        count = max(0, got)
      }
      guard got >= 0 else {
        throw MediaError(.io, "the \(noun) cannot be read", file: path, cause: reason())
      }
      bytes += chunk
      if got == 0 {
        guard let text = String(validating: bytes, as: UTF8.self) else {
          throw MediaError(.malformed, "the \(noun) is not UTF-8 text", file: path)
        }
        return text
      }
    }
    throw MediaError(
      .limitExceeded, "the \(noun) is larger than the limit of \(sizeLimit) bytes", file: path)
  }

  /// Writes the text to a file, which is replaced as a whole; missing folders are created.
  package static func write(_ text: String, to path: String) throws(MediaError) {
    guard makeFolder(PathName.folder(path)) else {
      throw .system("the folder of the file cannot be created", errno, file: path)
    }
    let pending = PendingFile(for: path)
    let sink = try FileSink(path: pending.path)
    do throws(MediaError) {
      try sink.write(Array(text.utf8))
      try sink.finish()
      try pending.complete(replacing: true)
    } catch {
      sink.discard()
      throw error
    }
  }

  private static func reason() -> String { String(cString: strerror(errno)) }
}
