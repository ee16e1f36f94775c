import Glibc
import RespoolMedia

/// The packets that have been encoded of one picture track, in a file: what an interrupted export goes on
/// from.
///
/// Packets are gathered in parts. A part counts once it is closed, which says where it begins and ends,
/// with a hash over all of it; what stands behind the last such part is a part that was interrupted, and
/// goes. One thread at a time.
final class ExportJournal {
  /// Where parts begin, in units of the track's time base.
  struct ResumePoint: Equatable {
    /// Of the first picture of the last part that is there.
    let lastPart: Int64
    /// Of the first picture that is not; the greatest number where the track is complete.
    let next: Int64
  }

  private let path: String
  private let descriptor: Int32
  /// Up to here packets can be handed on.
  private let validEnd: Int64
  /// Where to go on; nil: from the start.
  let resumePoint: ResumePoint?
  /// For whoever writes it.
  let parts: PartLength
  /// Of the part that is being written.
  private var hash = MD5()

  /// Opens or creates the file.
  ///
  /// What was encoded by other settings, or is damaged, goes. Throws `io`.
  init(path: String, settings: String, parts: PartLength) throws(MediaError) {
    (self.path, self.parts) = (path, parts)
    let header = JournalRecord.header(settings)
    var scan = JournalScan(header: header)
    if fileExists(path) { try? scan.read(path) }
    (validEnd, resumePoint) = (scan.validEnd, scan.resumePoint)
    descriptor = FileName.withSystemPath(path) {
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

  /// Whether there is a journal with at least one part, whatever it is of.
  static func hasParts(at path: String) -> Bool {
    var scan = JournalScan(header: nil)
    try? scan.read(path)
    return scan.resumePoint != nil
  }

  /// Hands on all packets of the parts that were there when it was opened, in order.
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

  /// Adds a packet, which has its bytes, to the part that is being written.
  func append(_ packet: Packet) throws(MediaError) {
    try add(JournalRecord.bytes(of: packet))
    guard let buffer = packet.buffer else { return }
    try buffer.withBytes { (bytes: UnsafeRawBufferPointer) throws(MediaError) in
      hash.update(bytes)
      try write(bytes)
    }
  }

  /// Closes the part that is being written: it survives whatever happens when this returns.
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
    var failure: MediaError?
    bytes.withUnsafeBytes { part in
      do throws(MediaError) { try write(part) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(MediaError) {
    let failure = writeAll(bytes, to: descriptor)
    if failure != 0 { throw .system("cannot be written", failure, file: path) }
  }
}
