public import RespoolMedia

/// Packets of PCM that is stored in one part or several parts of a file, such as the blocks of a VOC file.
///
/// A demuxer of one PCM track appends the parts while it opens the file, then forwards `read` and `seek`. Times are in
/// units of a block, which is one audio sample of each channel. The payloads of a source of known size are ranges,
/// which the host copies without the plugin.
public struct PCMPackets {
  private struct Part {
    /// Time of the first block.
    var start: Int64
    /// Number of blocks; `nil`: up to the end of the source.
    var count: Int64?
    /// Offset in the source; `nil`: silence, for which there are no packets.
    var offset: Int64?
  }

  private let source: ByteSource
  private let blockAlign: Int64
  private let blocksPerPacket: Int64
  private var parts: [Part] = []
  private var index = 0
  private var time: Int64 = 0

  /// Creates a list without parts.
  ///
  /// - Parameters:
  ///   - blockAlign: number of bytes of a block, at least 1.
  ///   - blocksPerPacket: most blocks of a packet, at least 1.
  public init(source: ByteSource, blockAlign: Int, blocksPerPacket: Int = 1024) {
    self.source = source
    self.blockAlign = Int64(max(1, blockAlign))
    self.blocksPerPacket = Int64(max(1, blocksPerPacket))
  }

  /// Number of blocks in all parts; `nil` if the last part ends with a source of unknown size.
  public var duration: Int64? {
    guard let last = parts.last else { return 0 }
    return last.count.map { last.start + $0 }
  }

  /// Appends bytes of the source; `length` is their number, or `nil` for all up to the end of the source.
  ///
  /// Bytes after the end of the source are left out. Returns `false` if there are such bytes. Throws `malformed` if
  /// `offset` is negative, and if a part follows one without an end.
  @discardableResult
  public mutating func append(offset: Int64, length: Int64?) throws(MediaError) -> Bool {
    let start = try end()
    guard (0..<1 << 50).contains(offset), length ?? 0 >= 0, start < 1 << 50 else {
      throw MediaError(.malformed, "audio of \(length ?? 0) bytes begins at byte \(offset)")
    }
    // A length that a file declares without an end is no reason to compute with greater numbers.
    let present = source.size.map { max(0, $0 - offset) } ?? length.map { _ in 1 << 50 }
    let bytes = length.map { min($0, present ?? $0) } ?? present
    parts.append(Part(start: start, count: bytes.map { $0 / blockAlign }, offset: offset))
    return length == nil || bytes == length
  }

  /// Appends a gap of `blocks`, which is shown as silence.
  ///
  /// Throws `malformed` if `blocks` is negative or the gap is too long.
  public mutating func appendSilence(_ blocks: Int64) throws(MediaError) {
    let start = try end()
    guard blocks >= 0, blocks < 1 << 40, start < 1 << 50 else {
      throw MediaError(.malformed, "a silence has \(blocks) audio samples")
    }
    parts.append(Part(start: start, count: blocks, offset: nil))
  }

  private func end() throws(MediaError) -> Int64 {
    guard let duration else {
      throw MediaError(.malformed, "audio follows audio that has no end")
    }
    return duration
  }

  /// Returns the next packet of track 0; `nil` at the end.
  public mutating func read() throws(MediaError) -> Packet? {
    while index < parts.count {
      let part = parts[index]
      let done = max(0, time - part.start)
      let left = part.count.map { $0 - done } ?? .max
      guard left > 0, let offset = part.offset else {
        index += 1
        continue
      }
      let count = min(left, blocksPerPacket)
      let (place, length) = (offset + done * blockAlign, count * blockAlign)
      if source.size != nil {
        return packet(count, at: part.start + done, .range(offset: place, length: length))
      }
      var bytes = try source.read(at: place, count: Int(length))
      bytes.removeLast(bytes.count % Int(blockAlign))
      if bytes.count < Int(length) { index = parts.count }
      guard !bytes.isEmpty else { return nil }
      return packet(
        Int64(bytes.count) / blockAlign, at: part.start + done, .bytes(MediaBuffer(bytes)))
    }
    return nil
  }

  private mutating func packet(_ count: Int64, at time: Int64, _ payload: Packet.Payload) -> Packet
  {
    self.time = time + count
    return Packet(track: 0, pts: time, dts: time, duration: count, flags: .key, payload: payload)
  }

  /// Seeks to a time, at which the next packet begins, or to the end.
  public mutating func seek(to time: Int64) {
    self.time = max(0, min(time, duration ?? 1 << 40))
    let target = self.time
    index =
      parts.firstIndex { part in part.count.map { part.start + $0 > target } ?? true }
      ?? parts.count
  }
}
