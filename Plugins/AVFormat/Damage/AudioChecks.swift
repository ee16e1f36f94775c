import CAVFormat
import RespoolPlugin

/// A damage check for FLAC: frames are numbered and end with a checksum (RFC 9639 9.1 and 9.3).
struct FLACCheck: DamageCheck {
  private let stream: Int32
  private let largestBlock: Int
  /// `true` if other streams may follow in the file, each with its own headers and frame numbers.
  private let isChained: Bool
  private var expected: Int64?

  /// Returns `nil` if the stream has no STREAMINFO.
  init?(_ stream: AVStream, isChained: Bool) {
    self.isChained = isChained
    guard let parameters = stream.codecpar?.pointee, let data = parameters.extradata,
      let info = try? FLACStreamInfo(
        UnsafeBufferPointer(start: data, count: Int(parameters.extradata_size)))
    else { return nil }
    self.stream = stream.index
    largestBlock = Int(info.maximumBlockSize)
  }

  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String? {
    guard packet.pointee.stream_index == stream, let data = packet.pointee.data else { return nil }
    let bytes = UnsafeBufferPointer(start: data, count: Int(packet.pointee.size))
    guard let header = FLACFrameHeader(bytes.prefix(FLACFrameHeader.largestSize)) else {
      if isChained, bytes.first != 0xFF {
        expected = nil
        return nil
      }
      return "a packet does not begin with the header of a FLAC frame"
    }
    let start = header.start(largestBlock: largestBlock)
    let previous = expected
    expected = start + Int64(header.blockSize)
    if let previous, previous != start, !(isChained && start == 0) {
      let difference =
        previous < start
        ? "\((start - previous).counting("sample", "is", "are")) missing" : "samples are repeated"
      return "\(difference) before the FLAC frame that begins with sample \(start)"
    }
    // The checksum over a frame and its checksum is 0.
    let isWhole = av_crc(av_crc_get_table(AV_CRC_16_ANSI), 0, data, bytes.count) == 0
    return isWhole
      ? nil : "the checksum of the FLAC frame that begins with sample \(start) is wrong"
  }

  mutating func reset() { expected = nil }
}

/// A damage check for True Audio: each frame ends with a CRC-32 (TTA1 format specification, "TTA1 Frames").
struct TTACheck: DamageCheck {
  private var frames = 0

  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String? {
    guard let data = packet.pointee.data, packet.pointee.size > 4 else { return nil }
    frames += 1
    let count = Int(packet.pointee.size) - 4
    let sum = ~av_crc(av_crc_get_table(AV_CRC_32_IEEE_LE), .max, data, count)
    let stored = (0..<4).reduce(UInt32(0)) { $0 | UInt32(data[count + $1]) << UInt32(8 * $1) }
    return sum == stored ? nil : "the checksum of a TTA frame is wrong"
  }

  mutating func reset() {}
}

/// A damage check for WavPack: blocks state the number of their first sample (WavPack 4 & 5 binary file
/// format, "Block header").
struct WavPackCheck: DamageCheck {
  private var expected: UInt32?

  mutating func problem(in packet: UnsafePointer<AVPacket>) throws(MediaError) -> String? {
    guard let data = packet.pointee.data, packet.pointee.size >= 32 else { return nil }
    func number(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(data[offset + $1]) << UInt32(8 * $1) }
    }
    // Several blocks may hold channels of the same audio samples; a flag marks the first of them.
    guard number(24) & 0x800 != 0 else { return nil }
    let (start, count, previous) = (number(16), number(20), expected)
    expected = start &+ count
    guard let previous, count > 0, previous != start else { return nil }
    return previous < start
      ? "\((start - previous).counting("sample", "is", "are")) missing before the WavPack block "
        + "of sample \(start)"
      : "the WavPack block of sample \(start) was expected to begin at sample \(previous)"
  }

  mutating func reset() { expected = nil }
}
