import CLinux
package import Glibc
public import RespoolMedia

/// A file that is written: what muxers write to.
///
/// Appends are gathered in memory and reach the file in large parts. Usable from one thread at a
/// time. A sink that goes away without `finish()` takes its file with it.
// Sendable: one thread at a time uses a sink, which is the caller's duty.
public final class FileSink: @unchecked Sendable {
  public let path: String
  /// Where ranges of packets are copied from; nil: only packets with bytes can be written.
  public let source: FileSource?

  /// The first failure, for whoever only saw a status come back from a plugin.
  package private(set) var failure: MediaError?

  private var descriptor: Int32
  /// Whether it is a file that others can see, and not one in memory.
  private let isNamed: Bool
  /// Up to here `take` has taken everything.
  private var taken: Int64 = 0
  private let pending: UnsafeMutableRawBufferPointer
  private var pendingCount = 0
  /// Bytes that are in the file.
  private var written: Int64 = 0
  /// Up to here the disk has been told to write.
  private var started: Int64 = 0
  /// Whether long ranges are left to the kernel, until it refuses.
  ///
  /// A file server copies without the bytes travelling. On a disk it is slower than reading and writing: the
  /// kernel then passes page by page through a pipe.
  var copiesInKernel: Bool

  static let bufferSize = 256 << 10
  /// The disk is told in such parts what to write and what to expect.
  package static let stride: Int64 = 16 << 20
  /// Ranges below this are cheaper to read into the buffer than to copy by a call of their own.
  static let leastCopy: Int64 = 64 << 10

  /// The file's lock after `finish`; a complete file stays locked until this is released as well.
  ///
  /// Keep it until the file has its final name.
  package private(set) var lock: FileLock?

  /// Creates the file, which must not exist yet.
  ///
  /// Throws `io`.
  public convenience init(path: String, source: FileSource? = nil) throws(MediaError) {
    try self.init(path: path, source: source, permissions: 0o666)
  }

  /// Creates the file with `permissions`, less what the process's umask takes away.
  ///
  /// Throws `io`.
  package init(path: String, source: FileSource?, permissions: mode_t) throws(MediaError) {
    descriptor = try Self.create(path, permissions: permissions)
    self.path = path
    self.source = source
    isNamed = true
    copiesInKernel = source != nil && linux_is_remote(descriptor)
    pending = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 4096)
  }

  /// A file in memory, which is taken part by part (`take`).
  ///
  /// Throws `limitExceeded`.
  package init() throws(MediaError) {
    descriptor = linux_memory_file()
    guard descriptor >= 0 else {
      throw MediaError(
        .limitExceeded, "there is no memory for segments", cause: systemMessage(errno))
    }
    (path, source, isNamed, copiesInKernel) = ("segments", nil, false, false)
    pending = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.bufferSize, alignment: 4096)
  }

  deinit {
    abandon()
    pending.deallocate()
  }

  /// How much is gathered, so that the next part begins with a page of the file.
  private var capacity: Int { Self.bufferSize - Int(written & 4095) }

  /// Bytes written so far, which is where the next write goes.
  public var size: Int64 { written + Int64(pendingCount) }

  /// Appends `bytes`.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
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
  public func write(_ bytes: [UInt8]) throws(MediaError) {
    var failure: MediaError?
    bytes.withUnsafeBytes { part in
      do throws(MediaError) { try write(part) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Appends the payload of `packet`.
  ///
  /// Throws `malformed` where a range lies outside the source.
  public func write(payloadOf packet: Packet) throws(MediaError) {
    switch packet.payload {
    case .bytes(let buffer):
      try buffer.withBytes { (bytes: UnsafeRawBufferPointer) throws(MediaError) in try write(bytes)
      }
    case .range(let offset, let length): try copy(rangeAt: offset, length: length)
    }
  }

  /// Appends `length` bytes that stand at `offset` in the source.
  public func copy(rangeAt offset: Int64, length: Int64) throws(MediaError) {
    try guarded { () throws(MediaError) in
      guard let source else {
        throw MediaError(
          .invalidArgument, "a packet is a range of a file, and there is no file to copy from",
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
  /// Throws `invalidArgument` where the range does not lie within them.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MediaError) {
    try guarded { () throws(MediaError) in
      guard offset >= 0, offset <= size, Int64(bytes.count) <= size - offset else {
        throw MediaError(
          .invalidArgument,
          "\(bytes.count) bytes cannot be overwritten where \(size) have been written", file: path,
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

  /// Makes room at `offset`, moving everything behind it, and writes `bytes` there.
  ///
  /// The tail moves in parts of the buffer's size, from its end on; not at all where much lies behind,
  /// `bytes` fill whole blocks of 4,096 and the file system can insert these. Throws `invalidArgument`
  /// for an offset beyond the end.
  public func insert(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(MediaError) {
    try guarded { () throws(MediaError) in
      guard offset >= 0, offset <= size else {
        throw MediaError(
          .invalidArgument, "bytes cannot be inserted beyond the end, at \(size)", file: path,
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

  /// Below this, copying the tail is quicker than what the file system does first: writing it out.
  static let leastTail: Int64 = 8 << 20

  /// Inserts blocks before the first, then writes what came before `offset` anew.
  ///
  /// False, with nothing changed, where that does not work or is not worth it.
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

  /// Completes the file: everything is on the disk when it returns, and the sink is closed.
  ///
  /// Throws `io`; the file is still there then, and goes with the sink.
  public func finish() throws(MediaError) { try finish(with: nil) }

  /// Completes the file as `finish()` does, with the given attributes; `nil`: those of a new file.
  package func finish(with attributes: FileAttributes?) throws(MediaError) {
    try guarded { () throws(MediaError) in
      try flush()
      // What has been reserved and was not needed.
      if started > 0 { ftruncate(descriptor, off_t(written)) }
      attributes?.apply(to: descriptor)
      while fsync(descriptor) != 0 {
        // EINVAL: the file lives where nothing can be synced, such as a pipe behind /dev/stdout.
        if errno == EINVAL || errno == EROFS { break }
        guard errno == EINTR else { throw .system("cannot be written", errno, file: path) }
      }
      let closing = descriptor
      descriptor = -1
      if isNamed { lock = FileLock(sharing: closing) }
      // Linux closes the file also where it reports an error, such as a quota found late (NFS).
      if close(closing) != 0, errno != EINTR {
        let number = errno
        if isNamed { _ = FileName.withSystemPath(path) { unlink($0) } }
        throw .system("cannot be written", number, file: path)
      }
    }
  }

  /// Closes the file and removes it, unless it has been finished.
  public func abandon() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    guard isNamed else { return }
    _ = FileName.withSystemPath(path) { unlink($0) }
  }

  /// Closes the file and removes it, even if it has been finished.
  package func discard() {
    abandon()
    if isNamed { _ = FileName.withSystemPath(path) { unlink($0) } }
  }

  /// What has been written since this was called last; its memory is given back.
  ///
  /// Bytes that have been taken can still be overwritten, to no effect: nobody sees them again.
  package func take() throws(MediaError) -> [UInt8] {
    try handOver()
    let (offset, count) = (taken, Int(written - taken))
    var failure: MediaError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      do throws(MediaError) {
        try get(
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<count]),
          at: offset)
        filled = count
      } catch { failure = error }
    }
    if let failure { throw failure }
    // Pages are given back whole; the one that the next part begins in stays.
    linux_release_range(descriptor, 0, written & ~4095)
    taken = written
    return bytes
  }

  /// Hands what is gathered in memory to the system, so that it survives the end of the process.
  package func handOver() throws(MediaError) {
    try guarded { () throws(MediaError) in try flush() }
  }

  /// Runs `body` on an open sink and keeps the failure that it ends with.
  private func guarded(_ body: () throws(MediaError) -> Void) throws(MediaError) {
    guard descriptor >= 0 else {
      throw MediaError(.invalidArgument, "the file has been closed already", file: path)
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

  /// Lets the disk write long files while they are made: all of it has to be there when `finish`
  /// returns, and nothing is done meanwhile.
  ///
  /// It is told how much comes next, too: space that is had in one piece is not looked for page by page. That comes
  /// first, because it waits for what the disk is writing of the file.
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
        throw MediaError(.io, "the file has become shorter while it was written", file: path)
      } else if errno != EINTR {
        throw .system("cannot be read back", errno, file: path)
      }
    }
  }

  /// Copies as much as the kernel is willing to and returns how much; reading and writing does the
  /// rest, and finds out what is wrong where something is.
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
        // 0 within the file: some file systems answer so instead of refusing (EXDEV, EINVAL, ENOSYS).
        copiesInKernel = false
        break
      }
    }
    return done
  }
}
