import CAVFormat
import RespoolPlugin

/// Takes from packets of bare streams what is no sound: tags and padding, which libavformat leaves at packets, or makes
/// packets of.
struct SoundPacketTrim {
  private enum Form { case mpegAudio, ac3, flac }

  private let form: Form

  /// Returns `nil` for formats whose packets have nothing else.
  init?(format: String) {
    switch format {
    case "mp3": form = .mpegAudio
    case "ac3", "eac3": form = .ac3
    case "flac": form = .flac
    default: return nil
    }
  }

  /// Cuts a packet to its sound.
  ///
  /// Returns `false` for a packet that has none. Damage is left in, so that checks and decoders tell of it.
  func trim(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    guard let data = packet.pointee.data, packet.pointee.size > 0 else { return true }
    let bytes = UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
    switch form {
    case .flac:
      if Self.isTagOrPadding(bytes[...]) { return false }
      if let length = wholeFLACFrame(bytes) { av_shrink_packet(packet, Int32(length)) }
      return true
    case .mpegAudio, .ac3:
      guard let start = firstFrame(bytes) else { return false }
      guard let header = header(bytes[start...]), header.length < bytes.count - start else {
        return drop(start, of: packet)
      }
      let rest = bytes[(start + header.length)...]
      if Self.isTagOrPadding(rest) { av_shrink_packet(packet, Int32(start + header.length)) }
      return drop(start, of: packet)
    }
  }

  private func drop(_ count: Int, of packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    packet.pointee.data += count
    packet.pointee.size -= Int32(count)
    return true
  }

  /// Returns where the first frame of the packet begins; `nil` if no frame of it is whole.
  ///
  /// 0 unless a tag stands in front.
  private func firstFrame(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    if isSync(bytes, 0) { return 0 }
    for place in bytes.indices.dropFirst() where isSync(bytes, place) {
      if let header = header(bytes[place...]), place + header.length == bytes.count { return place }
    }
    return nil
  }

  private func isSync(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Bool {
    guard place + 1 < bytes.count else { return false }
    switch form {
    case .ac3: return bytes[place] == 0x0B && bytes[place + 1] == 0x77
    default: return bytes[place] == 0xFF && bytes[place + 1] & 0xE0 == 0xE0
    }
  }

  private func header(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> SoundFrameHeader? {
    let head = Array(bytes.prefix(SoundFrameHeader.size))
    return form == .ac3 ? SoundFrameHeader(ac3: head[...]) : SoundFrameHeader(mpegAudio: head[...])
  }

  private static let tags = ["TAG", "ID3", "APETAGEX", "LYRICSBEGIN"].map { Array($0.utf8) }

  private static func isTagOrPadding(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    tags.contains { bytes.starts(with: $0) } || bytes.allSatisfy { $0 == 0 }
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
    for place in bytes.indices.dropFirst(8)
    where Self.tags.contains(where: { bytes[place...].starts(with: $0) }) {
      candidates.append(place)
    }
    return candidates.prefix(64).first { av_crc(table, 0, bytes.baseAddress, $0) == 0 }
  }
}
