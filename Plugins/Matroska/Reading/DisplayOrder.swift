import RespoolPlugin

/// The display order of MPEG-4 video whose blocks have decoding times, as in `V_MS/VFW/FOURCC`.
///
/// A bidirectional frame is shown immediately. Any other frame is shown when the next one that is not bidirectional
/// arrives (ISO/IEC 14496-2 7.7).
struct DisplayOrder {
  private var order: PictureOrder
  /// Number of frames that are not bidirectional.
  private var count: Int64 = 0

  init(depth: Int) { order = PictureOrder(depth: depth) }

  /// Adds the next packet, and appends packets with complete times to `orderedPackets`.
  mutating func add(
    _ packet: Packet, _ type: MPEG4VideoHeader.CodingType?, to orderedPackets: inout [Packet]
  ) {
    if type == .bidirectional {
      order.add(packet, at: .init(key: 2 * count - 1, floor: 2 * count), to: &orderedPackets)
    } else {
      count += 1
      order.add(packet, at: .init(key: 2 * count, floor: 2 * count), to: &orderedPackets)
    }
  }

  /// Ends the stream and appends the remaining packets to `orderedPackets`.
  mutating func finish(to orderedPackets: inout [Packet]) { order.finish(to: &orderedPackets) }
}
