import Glibc
package import RespoolMedia
import Synchronization

/// A file that demuxers read from and that holds the bytes of packets that are ranges.
///
/// Usable from any thread. The file must not change while it is read. If it gets shorter, reading the
/// missing bytes throws `io`.
package final class FileSource: Sendable {
  /// Path as the user gave it.
  package let path: String
  /// The path's last component.
  package let name: String
  /// Bytes at the time of opening.
  package let size: Int64
  /// Permissions and times at the time of opening.
  package let attributes: FileAttributes

  package let descriptor: Int32
  private let window = Mutex(Window())
  private let cancelled = Atomic<Bool>(false)
  private let lastFailure = Mutex<MediaError?>(nil)

  /// Reads shorter than this go through the window, because parsers read eight bytes at a time.
  static let smallRead = 8 << 10
  static let windowSize = 64 << 10

  private struct Window {
    var start: Int64 = 0
    var bytes: [UInt8] = []
    /// End of the window.
    ///
    /// A read that continues the last one crosses it.
    var next: Int64 = -1
  }

  /// Opens a regular file for reading.
  ///
  /// Throws `io` if it cannot be opened, `invalidArgument` if it is not a regular file.
  package init(path: String) throws(MediaError) {
    // O_NONBLOCK: opening a pipe must not wait for a writer before it can be refused.
    var descriptor =
      try ReceivedFiles.descriptor(of: path)
      ?? PathName.withSystemPath(path) { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) }
    if descriptor < 0, errno == EACCES, Sandbox.current?.restrictsFiles == true {
      // An output that is read back.
      descriptor = OutputBroker.current?.open(path) ?? -1
      guard descriptor >= 0 else {
        throw MediaError(.io, "cannot be opened: it is outside of the sandbox", file: path)
      }
    }
    guard descriptor >= 0 else { throw .system("cannot be opened", errno, file: path) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let number = errno
      close(descriptor)
      throw .system("cannot be examined", number, file: path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      let what = status.st_mode & S_IFMT == S_IFDIR ? "is a folder" : "is a device or a pipe"
      throw MediaError(.invalidArgument, "\(what); expected a file", file: path)
    }
    self.descriptor = descriptor
    self.path = path
    self.name = PathName.last(path)
    self.size = Int64(status.st_size)
    attributes = FileAttributes(status)
  }

  /// Opens the file of another source again, even if its path now names another file.
  ///
  /// The new source has its own window and is cancelled by itself. Throws `io` if the process has no
  /// descriptor left.
  package init(again other: FileSource) throws(MediaError) {
    descriptor = fcntl(other.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .system("cannot be opened", errno, file: other.path) }
    (path, name, size, attributes) = (other.path, other.name, other.size, other.attributes)
  }

  deinit { close(descriptor) }

  /// Cancels all reads from this source.
  package func cancel() { cancelled.store(true, ordering: .relaxed) }

  package var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

  /// The last failure of a read, for callers that got only a status from a plugin.
  package var failure: MediaError? { lastFailure.withLock { $0 } }

  /// Fills `bytes` from `offset` on and returns their number, which is smaller only at the end of the file.
  ///
  /// Throws `io`, also if the file has become shorter, and `invalidArgument` if `offset` is negative.
  package func read(at offset: Int64, into bytes: UnsafeMutableRawBufferPointer)
    throws(MediaError) -> Int
  {
    guard offset >= 0 else {
      throw MediaError(.invalidArgument, "byte offset \(offset) is negative", file: path)
    }
    guard offset < size, !bytes.isEmpty else { return 0 }
    let wanted = Int(min(Int64(bytes.count), size - offset))
    let part = UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted])
    do throws(MediaError) {
      if wanted < Self.smallRead {
        try window.withLock { (window) throws(MediaError) in
          try readThroughWindow(&window, at: offset, into: part)
        }
      } else {
        try fill(part, from: offset)
      }
    } catch {
      lastFailure.withLock { $0 = error }
      throw error
    }
    return wanted
  }

  /// Returns the packet with its payload in memory.
  ///
  /// A payload that is a range of this file is read; other payloads stay as they are. Throws `malformed` if
  /// the range lies outside the file.
  package func bytes(of packet: Packet) throws(MediaError) -> Packet {
    guard case .range(let offset, let length) = packet.payload else { return packet }
    try check(range: offset, length)
    // The length is within the file, so no more memory is allocated than the file has bytes.
    let buffer = MediaBuffer(count: Int(length))
    _ = try read(at: offset, into: buffer.bytes)
    var packet = packet
    packet.payload = .bytes(buffer)
    return packet
  }

  /// Returns the bytes of a range.
  ///
  /// Throws `malformed` if it does not lie in the file.
  package func bytes(at offset: Int64, count: Int64) throws(MediaError) -> [UInt8] {
    try check(range: offset, count)
    return try [UInt8](unsafeUninitializedCapacity: Int(count)) {
      (room, filled) throws(MediaError) in
      let part = UnsafeMutableRawBufferPointer(room)[..<Int(count)]
      filled = try read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: part))
    }
  }

  /// Throws `malformed` if the range does not lie in the file.
  package func check(range offset: Int64, _ length: Int64) throws(MediaError) {
    let (end, overflow) = offset.addingReportingOverflow(length)
    guard offset >= 0, length >= 0, !overflow, end <= size else {
      throw MediaError(
        .malformed,
        "a packet of \(length.counting("byte")) lies beyond the end of the file, at \(size)",
        file: path, offset: offset)
    }
  }

  private func readThroughWindow(
    _ window: inout Window, at offset: Int64, into bytes: UnsafeMutableRawBufferPointer
  ) throws(MediaError) {
    let count = Int64(bytes.count)
    if offset < window.start || offset + count > window.start + Int64(window.bytes.count) {
      // After a jump, little is read ahead, because another jump often follows. Sequential reads read more
      // ahead.
      let isSequential = offset <= window.next && offset >= window.next - Int64(Self.smallRead)
      let ahead = isSequential ? Self.windowSize : 2 * Self.smallRead
      let fetched = Int(min(Int64(ahead), size - offset))
      do throws(MediaError) {
        window.bytes = try [UInt8](unsafeUninitializedCapacity: fetched) {
          (buffer, initialized) throws(MediaError) in
          try fill(
            UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: fetched), from: offset)
          initialized = fetched
        }
      } catch {
        // The requested bytes may be readable even if the bytes read ahead are not.
        window.bytes = []
        return try fill(bytes, from: offset)
      }
      window.start = offset
    }
    window.bytes.withUnsafeBytes {
      let from = Int(offset - window.start)
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[from..<from + bytes.count]))
    }
    window.next = window.start + Int64(window.bytes.count)
  }

  /// Fills `bytes` completely; the range is known to lie within the size at opening.
  private func fill(_ bytes: UnsafeMutableRawBufferPointer, from offset: Int64)
    throws(MediaError)
  {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = pread(descriptor, base + done, bytes.count - done, off_t(offset) + done)
      if count > 0 {
        done += count
      } else if count == 0 {
        throw MediaError(
          .io, "the file became shorter while it was read: it had \(size.counting("byte"))",
          file: path, offset: offset + Int64(done))
      } else if errno != EINTR {
        var error = MediaError.system("cannot be read", errno, file: path)
        error.offset = offset + Int64(done)
        throw error
      }
    }
  }
}
