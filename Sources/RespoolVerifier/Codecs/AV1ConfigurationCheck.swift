import RespoolMedia

/// Check of `av1C` and of packets with open bitstream units of AV1.
struct AV1ConfigurationCheck {
  let track: TrackDescription
  let packets: [Packet]

  func run() throws(Finding) {
    let extradata = track.extradata
    guard AV1Configuration.isRecord(extradata), extradata.count > 4 else {
      throw Finding(
        "extradata is not av1C: it must begin with 81 and have a sequence header after 4 bytes")
    }
    let parsed = try ConfigurationChecks.parsed("av1C") { () throws(MediaError) in
      try AV1Configuration(units: extradata.dropFirst(4))
    }
    guard let parsed else { throw Finding("av1C has no sequence header") }
    guard parsed.bytes.prefix(3).elementsEqual(extradata.prefix(3)) else {
      throw Finding("av1C states another profile, level or format than its sequence header")
    }
    for (index, packet) in packets.enumerated() {
      guard let types = Self.unitTypes(packet) else {
        throw Finding("the units of packet \(index) do not fill it: each must have a size field")
      }
      if types.contains(2) {
        throw Finding("packet \(index) has a temporal delimiter, which containers leave out")
      }
    }
  }

  /// Returns the types of the units in a packet; `nil` if their sizes do not fill it.
  private static func unitTypes(_ packet: Packet) -> [UInt8]? {
    let bytes = packet.buffer.map { $0.withBytes { Array($0) } } ?? []
    var types: [UInt8] = []
    var position = 0
    while position < bytes.count {
      let head = bytes[position]
      position += head & 4 != 0 ? 2 : 1
      guard head & 0x82 == 2 else { return nil }
      var (size, shift) = (0, 0)
      while true {
        guard position < bytes.count, shift < 56 else { return nil }
        size |= Int(bytes[position] & 0x7F) << shift
        shift += 7
        position += 1
        if bytes[position - 1] & 0x80 == 0 { break }
      }
      guard size <= bytes.count - position else { return nil }
      types.append(head >> 3 & 15)
      position += size
    }
    return types
  }
}
