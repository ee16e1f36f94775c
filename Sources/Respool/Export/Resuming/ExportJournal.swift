import Glibc
import RespoolMedia

/// File of the encoded packets of one video track, from which an interrupted export continues.
///
/// Packets are stored in parts. A part is valid after it is closed with an entry that has its start, its end and
/// a hash over all of it. Data after the last valid part belongs to an interrupted part and is discarded. Use it
/// from one thread at a time.
final class ExportJournal {
  /// Start times of parts, in units of the track's time base.
  struct ResumePoint: Equatable {
    /// Time of the first frame of the last stored part.
    let lastPart: Int64
    /// Time of the first frame that is not stored; the greatest number if the track is complete.
    let next: Int64
  }

  private let path: String
  private let descriptor: Int32
  /// End of the valid parts in the file, in bytes.
  private let validEnd: Int64
  /// Times at which encoding continues; `nil`: from the start.
  let resumePoint: ResumePoint?
  /// Minimum length of parts, for the stage that writes them.
  let parts: PartLength
  /// Hash of the part that is being written.
  private var hash = MD5()

  /// Opens or creates the file.
  ///
  /// Discards parts that were encoded with other settings or are damaged. Throws `io`.
  init(path: String, settings: String, parts: PartLength) throws(MediaError) {
    (self.path, self.parts) = (path, parts)
    let header = JournalRecord.header(settings)
    var scan = JournalScan(header: header)
    if fileExists(path) { try? scan.read(path) }
    (validEnd, resumePoint) = (scan.validEnd, scan.resumePoint)
    descriptor = PathName.withSystemPath(path) {
      open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0o600)
    }
    guard descriptor >= 0 else { throw .system("cannot be created", errno, file: path) }
    guard ftruncate(descriptor, off_t(validEnd)) == 0 else {
      close(descriptor)
      throw .system("cannot be written", errno, file: path)
    }
    if validEnd == 0 { try write(header) }
  }

  deinit { close(descriptor) }

  /// Returns `true` if there is a journal with at least one valid part, of any export.
  static func hasParts(at path: String) -> Bool {
    var scan = JournalScan(header: nil)
    try? scan.read(path)
    return scan.resumePoint != nil
  }

  /// Passes all packets of the parts that were stored when the journal was opened to `take`, in order.
  func replay(_ take: (Packet) throws(MediaError) -> Void) throws(MediaError) {
    guard resumePoint != nil else { return }
    let file = try FileSource(path: path)
    var offset = Int64(JournalRecord.headerSize)
    while offset < validEnd {
      let record = try JournalRecord(file, at: offset)
      if case .packet(let packet) = record.content { try take(try file.bytes(of: packet)) }
      offset = record.end
    }
  }

  /// Appends a packet, which contains its bytes, to the current part.
  func append(_ packet: Packet) throws(MediaError) {
    try add(JournalRecord.bytes(of: packet))
    guard let buffer = packet.buffer else { return }
    try buffer.withBytes { (bytes: UnsafeRawBufferPointer) throws(MediaError) in
      hash.update(bytes)
      try check(writeAll(bytes, to: descriptor))
    }
  }

  /// Closes the current part; when this returns, the part is on disk and survives a crash.
  func closePart(start: Int64, next: Int64) throws(MediaError) {
    try add(JournalRecord.partEnd(start: start, next: next))
    try write(hash.finalize())
    hash = MD5()
    while fdatasync(descriptor) != 0 {
      guard errno == EINTR else { throw .system("cannot be written", errno, file: path) }
    }
  }

  private func add(_ bytes: [UInt8]) throws(MediaError) {
    bytes.withUnsafeBytes { hash.update($0) }
    try write(bytes)
  }

  private func write(_ bytes: [UInt8]) throws(MediaError) {
    try check(bytes.withUnsafeBytes { writeAll($0, to: descriptor) })
  }

  private func check(_ failure: Int32) throws(MediaError) {
    if failure != 0 { throw .system("cannot be written", failure, file: path) }
  }
}
