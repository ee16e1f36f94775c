/// Information from the first bytes of an Opus packet (RFC 6716 3.1).
public enum OpusPacket {
  /// Returns the duration of the decoded packet in audio samples at 48 kHz.
  ///
  /// `nil` if the packet violates RFC 6716, for example if it is empty or longer than 120 ms.
  public static func duration(of packet: some Collection<UInt8>) -> Int? {
    guard let toc = packet.first else { return nil }
    let frames: Int
    switch toc & 3 {
    case 0: frames = 1
    case 1, 2: frames = 2
    default:
      guard let count = packet.dropFirst().first else { return nil }
      frames = Int(count & 0x3F)
    }
    let samples = frames * frameSize(toc)
    return frames > 0 && samples <= 5760 ? samples : nil
  }

  /// Samples at 48 kHz in each frame of a packet (RFC 6716 table 2).
  private static func frameSize(_ toc: UInt8) -> Int {
    let configuration = Int(toc >> 3)
    return switch configuration {
    case 0..<12: [480, 960, 1920, 2880][configuration & 3]
    case 12..<16: [480, 960][configuration & 1]
    default: 120 << (configuration & 3)
    }
  }
}
