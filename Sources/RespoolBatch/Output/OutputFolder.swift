import Glibc
import Respool
import RespoolMedia

/// The output folder of a batch, locked against a second batch, with the record of finished outputs.
///
/// The lock (flock(2)) is on the record's file. It ends with the process in every case. It also works
/// between containers and on file servers that support locks.
final class OutputFolder {
  let path: String
  private(set) var record = BatchRecord()
  /// Descriptor of the record's file; -1 without one.
  private var descriptor: Int32 = -1
  private var lockOfNewRecord: FileLock?
  private var isWritable = false
  /// Error number of the attempt to open the record for writing; 0 if it succeeded.
  private var openingError: Int32 = 0
  private var isMade = false
  private var hasReportedProblem = false
  /// Sentence about a record that cannot be used; `nil` if there is no such problem.
  private(set) var problem: String?
  /// `true` if the last line was cut off, so that the next one needs a line feed before it.
  private var endsWithinLine = false

  static let recordName = ".respool-record"

  private var recordPath: String { PathName.join(path, Self.recordName) }

  /// Opens the folder.
  ///
  /// With `isLocked`, creates it if necessary and locks it against other batches.
  ///
  /// Throws `io` if the folder cannot be created or another batch works on it.
  init(_ path: String, isLocked: Bool) throws(MediaError) {
    self.path = path
    errno = ENOENT
    if isLocked {
      isMade = !fileExists(path)
      guard makeFolder(path) else {
        throw MediaError(
          .io, "the output folder cannot be created", file: path, cause: errorText(errno))
      }
      var status = stat()
      guard PathName.withSystemPath(path, { stat($0, &status) }) == 0,
        status.st_mode & S_IFMT == S_IFDIR
      else { throw MediaError(.invalidArgument, "the output folder is not a folder", file: path) }
      try lock()
    } else {
      descriptor = PathName.withSystemPath(recordPath) {
        open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      }
    }
    let failure = errno
    let bytes = try content()
    endsWithinLine = !bytes.isEmpty && bytes.last != 0x0A
    record = BatchRecord(bytes: bytes)
    if descriptor < 0, failure != ENOENT {
      problem = unknownOutputs("cannot be read: \(errorText(failure))")
    } else if !bytes.isEmpty, !bytes.starts(with: BatchRecord.header) {
      problem = unknownOutputs("is damaged or from another version")
    }
    if isLocked { compact() }
  }

  private func unknownOutputs(_ words: String) -> String {
    "the record \(recordPath) \(words); existing outputs count as done unless they cannot be read, "
      + "are older than their sources, or have other tracks or another duration than the preset "
      + "makes"
  }

  /// Releases the lock.
  ///
  /// Removes the record if it is empty, and the folder if it was created and not used.
  func close() {
    guard descriptor >= 0 else { return }
    if isWritable, size == 0 {
      _ = PathName.withSystemPath(recordPath) { unlink($0) }
      if isMade { _ = PathName.withSystemPath(path) { rmdir($0) } }
    }
    Glibc.close(descriptor)
    descriptor = -1
  }

  private func lock() throws(MediaError) {
    while true {
      descriptor = PathName.withSystemPath(recordPath) {
        open($0, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o666)
      }
      isWritable = descriptor >= 0
      openingError = isWritable ? 0 : errno
      if descriptor < 0 {
        // Another user's record can be read and locked. In a read-only folder, each file reports the
        // failure.
        descriptor = PathName.withSystemPath(recordPath) {
          open($0, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        }
        guard descriptor >= 0 else { return }
      }
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        Glibc.close(descriptor)
        descriptor = -1
        throw MediaError(
          .io,
          "another batch is using this output folder; wait until it ends, or name another folder "
            + "with --to", file: path)
      }
      // A batch that ended meanwhile may have removed the file.
      var status = stat()
      if fstat(descriptor, &status) == 0, FileIdentity(status) == FileIdentity(recordPath) {
        return
      }
      Glibc.close(descriptor)
    }
  }

  private var size: Int64 {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int64(status.st_size) : 0
  }

  private func content() throws(MediaError) -> [UInt8] {
    guard descriptor >= 0 else { return [] }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw MediaError(
        .io, "the record of the output folder is not a regular file; remove it", file: recordPath)
    }
    var bytes: [UInt8] = []
    while true {
      let chunk = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, off_t(bytes.count)))
      }
      if chunk.isEmpty { return bytes }
      bytes += chunk
    }
  }

  /// Rewrites the record if most of its lines are superseded or it has another format.
  private func compact() {
    let isForeign = size > 0 && record.lineCount == 0 && size != Int64(BatchRecord.header.count)
    guard isWritable,
      isForeign || record.lineCount > 1000 && record.lineCount > 2 * record.entries.count
    else { return }
    let pending = PendingFile(for: recordPath)
    do throws(MediaError) {
      let sink = try FileSink(path: pending.path)
      try sink.write(record.bytes)
      try sink.finish()
      let fresh = PathName.withSystemPath(pending.path) { open($0, O_RDWR | O_APPEND | O_CLOEXEC) }
      guard fresh >= 0 else { return pending.discard() }
      // The sink has locked the new file since its creation.
      lockOfNewRecord = sink.lock
      do throws(MediaError) { try pending.complete(replacing: true) } catch {
        Glibc.close(fresh)
        throw error
      }
      Glibc.close(descriptor)
      descriptor = fresh
    } catch { pending.discard() }
  }

  /// Records the finished output of a file.
  ///
  /// Returns a sentence if that cannot be written.
  func record(
    _ file: BatchFile, preset: String, losses: Int, isIncomplete: Bool
  ) -> String? {
    var status = stat()
    guard PathName.withSystemPath(file.output, { stat($0, &status) }) == 0 else { return nil }
    let entry = BatchRecord.Entry(
      output: file.outputName, source: PathName.absolute(file.path),
      sourceStamp: FileStamp(size: file.size, modified: file.modified),
      outputStamp: FileStamp(status), preset: preset, losses: losses, isIncomplete: isIncomplete,
      sourceMark: ContentMark(path: file.path, changed: file.changed),
      outputMark: ContentMark(path: file.output, changed: status.changed))
    let failure = put(entry)
    if failure == 0 || hasReportedProblem { return nil }
    hasReportedProblem = true
    return "\(recordPath) cannot be written: \(errorText(failure)); a later batch may not "
      + "recognize the outputs of this one"
  }

  /// Replaces the entry of an output.
  ///
  /// Returns an error number; 0 if it was written.
  @discardableResult func put(_ entry: BatchRecord.Entry) -> Int32 {
    record.put(entry)
    let before = size == 0 ? BatchRecord.header : endsWithinLine ? [0x0A] : []
    return append(before + entry.line)
  }

  /// Appends with one write, so that a line is complete or recognizable as incomplete.
  ///
  /// Returns an error number; 0 if all was written.
  private func append(_ bytes: [UInt8]) -> Int32 {
    guard isWritable else { return openingError }
    let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    let failure = count < 0 ? errno : 0
    endsWithinLine = count != bytes.count
    // The kernel writes a part of a line only if there is no space for the rest.
    return endsWithinLine && failure == 0 ? ENOSPC : failure
  }
}
