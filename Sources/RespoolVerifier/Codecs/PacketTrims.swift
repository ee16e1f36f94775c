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

  /// Number of frames that a decoder holds back: the most packets before one that are shown after it.
  var reordering: Int {
    let times = filter { !$0.flags.contains(.discard) }.compactMap(\.pts)
    return times.indices.map { place in
      times[..<place].count { $0 > times[place] }
    }.max() ?? 0
  }

  /// Throws if more frames are reordered than the track states.
  func checkReordering(_ stated: Int) throws(Finding) {
    let found = reordering
    guard found > stated else { return }
    throw Finding(
      "reorder_depth is \(stated), but \(found.counting("packet", "precedes", "precede")) a packet that "
        + "is shown before: decoders and players output frames too early",
      cause: "reorder_depth is too small")
  }
}
