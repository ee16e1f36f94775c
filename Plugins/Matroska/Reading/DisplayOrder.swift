import RespoolPlugin

/// The display order of video whose blocks have decoding times, as in `V_MS/VFW/FOURCC`: see ``BidirectionalFrames``.
struct DisplayOrder {
  private var order: PictureOrder
  /// Number of frames that are not bidirectional.
  private var count: Int64 = 0

  init(depth: Int) { order = PictureOrder(depth: depth) }

  /// Adds the next packet, and appends packets with complete times to `orderedPackets`.
  mutating func add(
    _ packet: Packet, isBidirectional: Bool, to orderedPackets: inout [Packet]
  ) {
    if isBidirectional {
      order.add(packet, at: .init(key: 2 * count - 1, floor: 2 * count), to: &orderedPackets)
    } else {
      count += 1
      order.add(packet, at: .init(key: 2 * count, floor: 2 * count), to: &orderedPackets)
    }
  }

  /// Ends the stream and appends the remaining packets to `orderedPackets`.
  mutating func finish(to orderedPackets: inout [Packet]) { order.finish(to: &orderedPackets) }
}
