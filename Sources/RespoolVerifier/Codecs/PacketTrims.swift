import RespoolMedia

extension [Packet] {
  /// Cause of findings about trims.
  static let excessiveTrims = "a packet is shorter than its trims"

  /// Throws if more is to be dropped from a packet than it has.
  func checkTrims() throws(Finding) {
    for (index, packet) in enumerated() where packet.duration > 0 {
      guard packet.trimStart + packet.trimEnd > packet.duration else { continue }
      throw Finding(
        "packet \(index) has the duration \(packet.duration), a trim_start of \(packet.trimStart) and "
          + "a trim_end of \(packet.trimEnd): more is to be dropped than it has",
        cause: Self.excessiveTrims)
    }
  }
}
