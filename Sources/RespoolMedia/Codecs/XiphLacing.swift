/// Several packets as one block of bytes: the lacing of Xiph, by which Matroska and FFmpeg keep the
/// three headers of Vorbis and Theora.
public enum XiphLacing {
  /// Takes the packets apart: a count less one, all sizes but the last, then the packets.
  public static func split(_ bytes: some Collection<UInt8>) throws(MediaError) -> [[UInt8]] {
    var reader = ByteReader(Array(bytes))
    let sizes = Int(try reader.u8())
    var counts: [Int] = []
    for _ in 0..<sizes {
      var count = 0
      var byte: UInt8
      repeat {
        byte = try reader.u8()
        count += Int(byte)
      } while byte == 255
      counts.append(count)
    }
    var packets: [[UInt8]] = []
    for count in counts { packets.append(Array(try reader.take(count))) }
    packets.append(Array(try reader.take(reader.remaining)))
    return packets
  }

  /// Takes the three headers of Vorbis or Theora apart, also those in FFmpeg's other form with sizes of 16 bits.
  package static func headers(_ bytes: [UInt8]) throws(MediaError) -> [[UInt8]] {
    guard bytes.first != 2 else { return try split(bytes) }
    var reader = ByteReader(bytes)
    var packets: [[UInt8]] = []
    while packets.count < 3 {
      let count = Int(try reader.big(UInt16.self))
      packets.append(Array(try reader.take(count)))
    }
    return packets
  }

  /// Joins 1 to 256 packets; `nil` for any other number.
  public static func join(_ packets: [[UInt8]]) -> [UInt8]? {
    guard let sizes = UInt8(exactly: packets.count - 1) else { return nil }
    var result = [sizes]
    for packet in packets.dropLast() {
      result += [UInt8](repeating: 255, count: packet.count / 255)
      result.append(UInt8(packet.count % 255))
    }
    for packet in packets { result += packet }
    return result
  }
}
