import CAVFormat
import RespoolPlugin

/// Takes from packets of bare streams what is no sound: tags and padding, which libavformat leaves at packets, or makes
/// packets of.
struct SoundPacketTrim {
  /// `nil`: the frames are those of FLAC, which do not state their lengths.
  private let reader: SoundFrameHeader.Reader?
  /// Bytes that a frame begins with, and the bits of them that count.
  private let sync: (mark: UInt16, mask: UInt16)

  /// Returns `nil` for formats whose packets have nothing else.
  init?(format: String) {
    switch format {
    case "mp3": sync = (0xFFE0, 0xFFE0)
    case "ac3", "eac3": sync = (0x0B77, 0xFFFF)
    case "flac": sync = (0xFFF8, 0xFFFE)
    default: return nil
    }
    reader = SoundFrameHeader.reader(format: format)
  }

  /// Cuts a packet to its sound.
  ///
  /// Returns `false` for a packet that has none. Damage is left in, so that checks and decoders tell of it.
  func trim(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    guard let data = packet.pointee.data, packet.pointee.size > 0 else { return true }
    let bytes = UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
    guard let reader else {
      if Self.isTagOrPadding(bytes[...]) { return false }
      if let length = wholeFLACFrame(bytes) { av_shrink_packet(packet, Int32(length)) }
      return true
    }
    func header(_ place: Int) -> SoundFrameHeader? {
      reader(Array(bytes[place...].prefix(SoundFrameHeader.size))[...])
    }
    // A tag may stand in front of the frame that ends the packet.
    let start =
      isSync(bytes, 0)
      ? 0
      : bytes.indices.dropFirst().first { place in
        isSync(bytes, place) && header(place).map { place + $0.length } == bytes.count
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

  private func isSync(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    guard place + 1 < bytes.count else { return false }
    return (UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])) & sync.mask == sync.mark
  }

  private static func isTagOrPadding(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    TagMark.begins(bytes) || bytes.allSatisfy { $0 == 0 }
  }

  /// Returns the length of a frame that ends with its checksum and has a tag or padding behind it; else `nil`.
  ///
  /// CRC-16 over a frame and its checksum is 0 (RFC 9639 9.3).
  private func wholeFLACFrame(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    let table = av_crc_get_table(AV_CRC_16_ANSI)
    // With zeros behind it the checksum stays 0, so that it does not tell how many of them are its own: 2 at most. The
    // decoder passes over as few as are left then.
    let last = bytes.lastIndex { $0 != 0 } ?? 0
    let kept = last + 3
    if bytes.count - kept > 8, av_crc(table, 0, bytes.baseAddress, kept) == 0 { return kept }
    guard av_crc(table, 0, bytes.baseAddress, bytes.count) != 0 else { return nil }
    var candidates: [Int] = []
    for place in bytes.indices.dropFirst(8) where TagMark.begins(bytes[place...]) {
      candidates.append(place)
    }
    return candidates.prefix(64).first { av_crc(table, 0, bytes.baseAddress, $0) == 0 }
  }
}
