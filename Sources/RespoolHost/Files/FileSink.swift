import CLinux
import Glibc
package import RespoolMedia

/// A file that muxers write to.
///
/// Appended bytes are buffered in memory and written to the file in large parts. Usable from one thread at
/// a time. A sink that is released without `finish()` removes its file.
package final class FileSink {
  package let path: String
  /// File from which payloads that are ranges are copied.
  ///
  /// `nil` if only packets with bytes can be written.
  package let source: FileSource?

  /// The first failure, for callers that got only a status from a plugin.
  package private(set) var failure: MediaError?

  private var descriptor: Int32
  /// `true` if the file has a name in the file system; `false` if it is in memory.
  private let isNamed: Bool
  /// End of the bytes that `take` has returned.
  private var taken: Int64 = 0
  private let pending: UnsafeMutableRawBufferPointer
  private var pendingCount = 0
  /// Bytes written to the file.
  private var written: Int64 = 0
  /// End of the bytes for which writing to the disk has been started.
  private var started: Int64 = 0
  /// `true` if long ranges are copied by the kernel.
  ///
  /// Becomes `false` when the kernel refuses.
  ///
  /// On a remote file system, the server copies without transferring the bytes. On a local disk, this is
  /// slower than reading and writing, because the kernel passes each page through a pipe.
  var copiesInKernel: Bool

  static let bufferSize = 256 << 10
  /// Bytes for which space is reserved, and writing to the disk is started, at a time.
  package static let stride: Int64 = 16 << 20
  /// Bytes from which on a copy by the kernel is worth its own call.
  ///
  /// Shorter ranges are read into the buffer.
  static let leastCopy: Int64 = 64 << 10

  /// The file's lock after `finish`.
  ///
  /// A complete file stays locked until this object is released as well.
  ///
  /// Keep it until the file has its final name.
  package private(set) var lock: OpenFile?

  /// Creates the file, which must not exist yet.
  ///
  /// Throws `io`.
  package convenience init(path: String, source: FileSource? = nil) throws(MediaError) {
    try self.init(path: path, source: source, permissions: 0o666)
  }

  /// Creates the file with `permissions`, reduced by the umask of the process.
  ///
  /// Throws `io`.
  package init(path: String, source: FileSource?, permissions: UInt32) throws(MediaError) {
    descriptor = try Self.create(path, permissions: permissions)
    self.path = path
    self.source = source
    isNamed = true
    copiesInKernel = source != nil && linux_is_remote(descriptor)
    pending = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 4096)
  }

  /// Creates a file in memory, whose bytes are taken part by part (`take`).
  ///
  /// Throws `limitExceeded`.
  package init() throws(MediaError) {
    descriptor = linux_memory_file()
    guard descriptor >= 0 else {
      throw MediaError(
        .limitExceeded, "no memory for segments", cause: systemMessage(errno))
    }
    (path, source, isNamed, copiesInKernel) = ("segments", nil, false, false)
    pending = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 4096)
  }

  deinit {
    abandon()
    pending.deallocate()
  }

  /// Bytes to buffer, chosen so that the next part begins at a page boundary of the file.
  private var capacity: Int { Self.bufferSize - Int(written & 4095) }

  /// Bytes written so far.
  ///
  /// The next write appends at this offset.
  package var size: Int64 { written + Int64(pendingCount) }

  /// Appends `bytes`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
    try guarded { () throws(MediaError) in
      if bytes.count > capacity - pendingCount { try flush() }
      if bytes.count >= capacity {
        try put(bytes, at: written)
        written += Int64(bytes.count)
      } else if !bytes.isEmpty {
        UnsafeMutableRawBufferPointer(rebasing: pending[pendingCount...]).copyMemory(from: bytes)
        pendingCount += bytes.count
      }
    }
  }

  /// Appends `bytes`.
  package func write(_ bytes: [UInt8]) throws(MediaError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(MediaError) in
      try write(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Appends `length` bytes from `offset` of the source.
  ///
  /// Throws `malformed` if the range lies outside the source.
  package func copy(rangeAt offset: Int64, length: Int64) throws(MediaError) {
    try guarded { () throws(MediaError) in
      guard let source else {
        throw MediaError(
          .invalidArgument, "a packet refers to a range of a file, but there is no source file",
          file: path)
      }
      try source.check(range: offset, length)
      var copied: Int64 = 0
      if copiesInKernel, length >= Self.leastCopy {
        try flush()
        copied = copyInKernel(source, offset, length)
      }
      while copied < length {
        if pendingCount >= capacity { try flush() }
        let room = pending[pendingCount..<capacity].prefix(
          Int(min(length - copied, Int64(capacity))))
        let count = try source.read(
          at: offset + copied, into: UnsafeMutableRawBufferPointer(rebasing: room))
        pendingCount += count
        copied += Int64(count)
      }
    }
  }

  /// Overwrites bytes that were written before.
  ///
  /// Throws `invalidArgument` if the range does not lie within them.
  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MediaError) {
    try guarded { () throws(MediaError) in
      guard offset >= 0, offset <= size, Int64(bytes.count) <= size - offset else {
        throw MediaError(
          .invalidArgument,
          "\(bytes.count.counting("byte")) cannot be overwritten: only \(size) have been written",
          file: path,
          offset: offset)
      }
      if offset >= written {
        let part = pending[Int(offset - written)...]
        UnsafeMutableRawBufferPointer(rebasing: part).copyMemory(from: bytes)
      } else {
        if offset + Int64(bytes.count) > written { try flush() }
        try put(bytes, at: offset)
      }
    }
  }

  /// Inserts `bytes` at `offset` and moves the bytes after `offset` back.
  ///
  /// The tail is moved in parts of the buffer's size, beginning with its end. It is not moved if it is
  /// long, `bytes` fill whole blocks of 4,096 and the file system can insert blocks. Throws
  /// `invalidArgument` if `offset` is beyond the end.
  package func insert(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MediaError) {
    try guarded { () throws(MediaError) in
      guard offset >= 0, offset <= size else {
        throw MediaError(
          .invalidArgument,
          "bytes cannot be inserted after the end of the file, at byte \(size)", file: path,
          offset: offset)
      }
      guard !bytes.isEmpty else { return }
      try flush()
      let room = Int64(bytes.count)
      if try insertBlocks(bytes, at: offset) {
        written += room
        return
      }
      var end = written
      while end > offset {
        let count = min(Int64(Self.bufferSize), end - offset)
        let part = UnsafeMutableRawBufferPointer(rebasing: pending[..<Int(count)])
        try get(part, at: end - count)
        try put(UnsafeRawBufferPointer(part), at: end - count + room)
        end -= count
      }
      try put(bytes, at: offset)
      written += room
    }
  }

  /// Length of a tail in bytes, below which copying it is quicker than inserting blocks.
  ///
  /// To insert blocks, the file system first writes the tail out.
  static let leastTail: Int64 = 8 << 20

  /// Inserts blocks at the start of the file, then writes the bytes before `offset` again, and `bytes`
  /// after them.
  ///
  /// Returns `false`, with nothing changed, if that is not possible or not worthwhile.
  private func insertBlocks(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MediaError)
    -> Bool
  {
    guard bytes.count % 4096 == 0, offset <= Self.bufferSize, written - offset >= Self.leastTail
    else { return false }
    let head = UnsafeMutableRawBufferPointer(rebasing: pending[..<Int(offset)])
    try get(head, at: 0)
    guard linux_insert_range(descriptor, 0, Int64(bytes.count)) == 0 else { return false }
    try put(UnsafeRawBufferPointer(head), at: 0)
    try put(bytes, at: offset)
    return true
  }

  /// Completes the file and closes the sink.
  ///
  /// All bytes are on the disk when it returns.
  ///
  /// Throws `io`; the file then still exists and is removed with the sink.
  package func finish() throws(MediaError) { try finish(with: nil) }

  /// Completes the file as `finish()` does, with the given attributes.
  ///
  /// `nil` for the attributes of a new file.
  package func finish(with attributes: FileAttributes?) throws(MediaError) {
    try guarded { () throws(MediaError) in
      try flush()
      // Removes space that was reserved and not needed.
      if started > 0 { ftruncate(descriptor, off_t(written)) }
      if let attributes {
        if let broker = OutputBroker.current {
          broker.keep(attributes, of: path)
        } else {
          attributes.apply(to: descriptor)
        }
      }
      while fsync(descriptor) != 0 {
        // EINVAL: the file system or device cannot sync, such as a pipe at /dev/stdout.
        if errno == EINVAL || errno == EROFS { break }
        guard errno == EINTR else { throw .system("cannot be written", errno, file: path) }
      }
      let closing = descriptor
      descriptor = -1
      if isNamed { lock = OpenFile(sharing: closing) }
      // Linux closes the file even if it reports an error, such as an exceeded quota that NFS reports late.
      if close(closing) != 0, errno != EINTR {
        let number = errno
        if isNamed { removeFile(path) }
        throw .system("cannot be written", number, file: path)
      }
    }
  }

  /// Closes the file and removes it, unless it has been finished.
  package func abandon() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    guard isNamed else { return }
    removeFile(path)
  }

  /// Closes the file and removes it, even if it has been finished.
  package func discard() {
    abandon()
    if isNamed { removeFile(path) }
  }

  /// Returns the bytes written since the last call, and frees their memory.
  ///
  /// Returned bytes can still be overwritten, without effect: they are never returned again.
  package func take() throws(MediaError) -> [UInt8] {
    try handOver()
    let (offset, count) = (taken, Int(written - taken))
    let bytes = try [UInt8](unsafeUninitializedCapacity: count) {
      (room, filled) throws(MediaError) in
      try get(
        UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<count]),
        at: offset)
      filled = count
    }
    // Only whole pages are freed; the page in which the next part begins stays.
    linux_release_range(descriptor, 0, written & ~4095)
    taken = written
    return bytes
  }

  /// Writes the buffered bytes to the system, so that they survive the end of the process.
  package func handOver() throws(MediaError) {
    try guarded { () throws(MediaError) in try flush() }
  }

  /// Runs `body` on an open sink and stores the failure that it throws.
  private func guarded(_ body: () throws(MediaError) -> Void) throws(MediaError) {
    guard descriptor >= 0 else {
      throw MediaError(.invalidArgument, "the file is already closed", file: path)
    }
    do throws(MediaError) { try body() } catch {
      if failure == nil { failure = error }
      throw error
    }
  }

  private func flush() throws(MediaError) {
    guard pendingCount > 0 else { return }
    try put(UnsafeRawBufferPointer(rebasing: pending[..<pendingCount]), at: written)
    written += Int64(pendingCount)
    pendingCount = 0
    startWriting()
  }

  /// Starts writing to the disk while a long file is being made, so that `finish` has less to wait for.
  ///
  /// It also reserves space for the bytes that come next, so that the file system need not allocate page by
  /// page. It reserves first, because reserving waits for bytes of the file that are being written.
  private func startWriting() {
    guard isNamed, written - started >= Self.stride else { return }
    linux_reserve(descriptor, written, Self.stride)
    linux_start_writing(descriptor, started, written - started)
    started = written
  }

  private func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MediaError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = pwrite(descriptor, base + done, bytes.count - done, off_t(offset) + done)
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        throw .system("cannot be written", errno, file: path)
      }
    }
  }

  private func get(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int64) throws(MediaError) {
    guard let base = bytes.baseAddress else { return }
    var done = 0
    while done < bytes.count {
      let count = pread(descriptor, base + done, bytes.count - done, off_t(offset) + done)
      if count > 0 {
        done += count
      } else if count == 0 {
        throw MediaError(.io, "the file became shorter while it was written", file: path)
      } else if errno != EINTR {
        throw .system("cannot be read back", errno, file: path)
      }
    }
  }

  /// Copies as many bytes as the kernel accepts and returns their number.
  ///
  /// The caller reads and writes the rest, which also finds the reason of a failure.
  private func copyInKernel(_ source: FileSource, _ offset: Int64, _ length: Int64) -> Int64 {
    var done: Int64 = 0
    while done < length {
      let part = Int(min(length - done, 1 << 30))
      let count = linux_copy_range(
        source.descriptor, offset + done, descriptor, written, part)
      if count > 0 {
        done += count
        written += count
      } else if count < 0, errno == EINTR {
        continue
      } else {
        // 0 within the file: some file systems return that instead of an error (EXDEV, EINVAL, ENOSYS).
        copiesInKernel = false
        break
      }
    }
    return done
  }
}
