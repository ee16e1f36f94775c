import CAVFormat
import RespoolPlugin

/// A damage check for raw audio streams: each frame states its length and is followed directly by the next
/// one.
///
/// If a frame is damaged, libavformat searches for the next one and counts positions as if nothing had been
/// skipped.
struct FrameChainCheck: DamageCheck {
  private let source: ByteSource
  private let header: AudioFrameHeader.Reader
  /// Version, layer and sample rate of the first frame, which all frames of the stream share.
  ///
  /// `nil` before the first packet of a stream that begins with other bytes.
  private var kind: Int?
  /// Offset of the next frame.
  ///
  /// `nil` if unknown, and after the last one.
  private var position: Int64?
  /// `true` if bytes after the last frame are damage, unless they are a tag.
  private let checksEnd: Bool
  private var window: SourceWindow
  /// Number of frames from the start of the file, if all of them were found.
  private var frameCount: Int64?
  /// The header that states the number of frames.
  private let stated: LengthHeader?

  /// Maximum number of bytes to search for the next frame.
  private static let longestSearch: Int64 = 1 << 20

  /// Returns `nil` for formats whose frames do not state their lengths.
  init?(_ source: ByteSource, _ format: String, checksEnd: Bool) throws(MediaError) {
    guard let header = AudioFrameHeader.reader(format: format) else { return nil }
    (self.source, self.header, self.checksEnd) = (source, header, checksEnd)
    window = SourceWindow(source)
    let start = try ID3Prefix.end(in: source)
    let head = try source.read(at: start, count: LengthHeader.size)
    stated = format == "mp3" ? LengthHeader(head) : nil
    guard let first = header(head.prefix(AudioFrameHeader.size)) else { return }
    kind = first.kind
    position = start
    frameCount = 0
  }

  /// Checks one frame per call: each packet is a frame, so this keeps up with libavformat.
  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String? {
    if kind == nil {
      // Padding and parts of a frame may precede the first one, as in a recording of a stream.
      let offset = packet.pointee.pos
      guard offset >= 0,
        let first = header(try window.bytes(at: offset, count: AudioFrameHeader.size))
      else { return nil }
      kind = first.kind
      position = offset
    }
    guard let start = position else { return nil }
    if let length = try frameLength(at: start) {
      position = start + Int64(length)
      frameCount = frameCount.map { $0 + 1 }
      return nil
    }
    position = nil
    frameCount = nil
    let next = try nextFrame(after: start)
    position = next
    // Without a next frame, libavformat has returned the bytes after the last one as audio: there is a
    // packet.
    guard let found = next ?? source.size, found > start else { return nil }
    // Concatenated files have tags in the middle.
    guard !TagMark.begins(try window.bytes(at: start, count: TagMark.longest)) else { return nil }
    let count = (found - start).counting("byte", "at offset \(start) is", "at offset \(start) are")
    return "\(count) not part of the stream"
  }

  /// Checks the bytes after the last frame, which libavformat may return as a packet or leave out.
  mutating func problemAtEnd() throws(MediaError) -> String? {
    guard checksEnd, let size = source.size else { return nil }
    while let start = position, start < size {
      if let length = try frameLength(at: start) {
        position = start + Int64(length)
        frameCount = frameCount.map { $0 + 1 }
        continue
      }
      position = nil
      if TagMark.begins(try window.bytes(at: start, count: TagMark.longest)) { break }
      let count = (size - start).counting(
        "byte", "at offset \(start) is", "from offset \(start) on are")
      return "\(count) not part of the stream"
    }
    return frameCount.flatMap { stated?.lack(of: $0) }
  }

  mutating func reset() {
    position = nil
    frameCount = nil
  }

  private mutating func frameLength(at offset: Int64) throws(MediaError) -> Int? {
    let found = header(try window.bytes(at: offset, count: AudioFrameHeader.size))
    return found?.kind == kind ? found?.length : nil
  }

  /// Returns the offset of the next frame that is followed by another frame or by the end of the file.
  private mutating func nextFrame(after start: Int64) throws(MediaError) -> Int64? {
    var candidate = start + 1
    while candidate < start + Self.longestSearch, candidate < source.size ?? 0 {
      if let length = try frameLength(at: candidate) {
        let next = candidate + Int64(length)
        if next == source.size { return candidate }
        if try frameLength(at: next) != nil { return candidate }
      }
      candidate += 1
    }
    return nil
  }
}
