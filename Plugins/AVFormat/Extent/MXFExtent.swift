import RespoolPlugin

/// MXF: checks the offset of the footer partition in the header partition (SMPTE ST 377-1 7.1).
///
/// Writers that cannot seek back leave 0. Then the last packet has to be complete, and a footer partition has to be
/// there.
enum MXFExtent {
  /// Start of the key of a partition pack; the next byte is its kind.
  private static let partition: [UInt8] = [
    0x06, 0x0E, 0x2B, 0x34, 0x02, 0x05, 0x01, 0x01, 0x0D, 0x01, 0x02, 0x01, 0x01,
  ]
  private static let footer: UInt8 = 4
  /// Maximum size of the data before the header partition (SMPTE ST 377-1 6.5).
  private static let longestRunIn = 65536
  /// Maximum number of packets that are visited.
  private static let most = 200_000

  static func missing(in source: ByteSource, _ size: Int64) throws(MediaError) -> String? {
    let start = try source.read(at: 0, count: longestRunIn + partition.count)
    guard let partitionStart = start.firstRange(of: partition)?.lowerBound else { return nil }
    let runIn = Int64(partitionStart)
    guard let header = try Packet(source, at: runIn) else { return nil }
    // Versions, grid size, and the offsets of this partition and of the one before.
    var reader = ByteReader(try source.readExactly(at: header.start, count: 32))
    try reader.skip(24)
    let offset = try reader.big(UInt64.self)
    guard offset == 0 else {
      guard offset < 1 << 62, runIn + Int64(offset) >= size else { return nil }
      return "the header declares a footer at byte \(runIn + Int64(offset)), but \(size) bytes are "
        + "present"
    }
    return try missing(in: source, size, from: runIn)
  }

  private static func missing(in source: ByteSource, _ size: Int64, from start: Int64)
    throws(MediaError) -> String?
  {
    var offset = start
    var hasFooter = false
    for _ in 0..<most {
      if source.isCancelled { throw MediaError(.cancelled, "reading was cancelled") }
      guard offset < size else { return hasFooter ? nil : "there is no footer partition" }
      guard let packet = try Packet(source, at: offset) else {
        // Zeros and other data may follow the footer.
        return hasFooter ? nil : "there is no footer partition"
      }
      hasFooter = hasFooter || packet.key.starts(with: partition + [footer])
      guard packet.length <= size - packet.start else {
        return DeclaredExtent.sentence(
          "the packet at byte \(offset)", declares: packet.length, there: size - packet.start)
      }
      offset = packet.start + packet.length
    }
    return nil
  }

  /// Key, length and start of the value of a packet (SMPTE ST 336).
  private struct Packet {
    let key: [UInt8]
    let start: Int64
    let length: Int64

    /// `nil` if there is no packet.
    init?(_ source: ByteSource, at offset: Int64) throws(MediaError) {
      let head = try source.read(at: offset, count: 25)
      guard head.count > 16, head.starts(with: MXFExtent.partition.prefix(4)) else { return nil }
      key = Array(head.prefix(16))
      let first = head[16]
      let count = first < 0x80 ? 0 : Int(first & 0x7F)
      guard count <= 8, head.count >= 17 + count else { return nil }
      let stated =
        count == 0 ? UInt64(first) : head[17..<17 + count].reduce(0) { $0 << 8 | UInt64($1) }
      guard stated < 1 << 62 else { return nil }
      (start, length) = (offset + Int64(17 + count), Int64(stated))
    }
  }
}
