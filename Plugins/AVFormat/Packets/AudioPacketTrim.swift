import CAVFormat
import RespoolPlugin

/// Removal of tags and padding from packets of raw audio streams.
///
/// libavformat leaves them in packets or returns them as packets.
struct AudioPacketTrim {
  /// The header parser.
  ///
  /// `nil` for FLAC, whose frames do not state their lengths.
  private let reader: AudioFrameHeader.Reader?
  /// First bytes of a frame, and the mask of the bits to compare.
  private let sync: (mark: UInt16, mask: UInt16)

  /// Returns `nil` for formats whose packets contain only audio.
  init?(format: String) {
    switch format {
    case "mp3": sync = (0xFFE0, 0xFFE0)
    case "ac3", "eac3": sync = (0x0B77, 0xFFFF)
    case "flac": sync = (0xFFF8, 0xFFFE)
    default: return nil
    }
    reader = AudioFrameHeader.reader(format: format)
  }

  /// Trims a packet to its audio.
  ///
  /// Returns `false` if the packet has none. Damage is kept, so that checks and decoders report it.
  func trim(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    guard let data = packet.pointee.data, packet.pointee.size > 0 else { return true }
    let bytes = UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
    guard let reader else {
      if Self.isTagOrPadding(bytes[...]) { return false }
      if let length = wholeFLACFrame(bytes) { av_shrink_packet(packet, Int32(length)) }
      return true
    }
    func header(_ position: Int) -> AudioFrameHeader? {
      reader(Array(bytes[position...].prefix(AudioFrameHeader.size))[...])
    }
    // A tag may precede the frame that ends the packet.
    let start =
      isSync(bytes, 0)
      ? 0
      : bytes.indices.dropFirst().first { position in
        isSync(bytes, position) && header(position).map { position + $0.length } == bytes.count
      }
    guard let start else { return false }
    if let length = header(start)?.length, length < bytes.count - start,
      Self.isTagOrPadding(bytes[(start + length)...])
    {
      av_shrink_packet(packet, Int32(start + length))
    }
    packet.pointee.data += start
    packet.pointee.size -= Int32(start)
    return true
  }

  private func isSync(_ bytes: UnsafeBufferPointer<UInt8>, _ position: Int) -> Bool {
    guard position + 1 < bytes.count else { return false }
    return (UInt16(bytes[position]) << 8 | UInt16(bytes[position + 1])) & sync.mask == sync.mark
  }

  private static func isTagOrPadding(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    TagMark.begins(bytes) || bytes.allSatisfy { $0 == 0 }
  }

  /// Returns the length of a frame that ends with its checksum and is followed by a tag or padding.
  ///
  /// Otherwise `nil`.
  ///
  /// The CRC-16 over a frame and its checksum is 0 (RFC 9639 9.3).
  private func wholeFLACFrame(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let table = av_crc_get_table(AV_CRC_16_ANSI)
    // Zeros after it leave the checksum at 0, so it does not show how many of them belong to the frame: 2 at
    // most. The decoder skips the few that are left.
    let last = bytes.lastIndex { $0 != 0 } ?? 0
    let kept = last + 3
    if bytes.count - kept > 8, av_crc(table, 0, bytes.baseAddress, kept) == 0 { return kept }
    guard av_crc(table, 0, bytes.baseAddress, bytes.count) != 0 else { return nil }
    var candidates: [Int] = []
    for position in bytes.indices.dropFirst(8) where TagMark.begins(bytes[position...]) {
      candidates.append(position)
    }
    return candidates.prefix(64).first { av_crc(table, 0, bytes.baseAddress, $0) == 0 }
  }
}
