import RespoolPlugin

/// Blocks that are written together behind one timestamp (RFC 9559 5.1.3).
struct Cluster {
  struct Block {
    var packet: Packet
    var track: Int
    /// Milliseconds from the start of the segment.
    var time: Int64
    /// Milliseconds; nil: not written.
    var duration: Int64?
    /// Nanoseconds; 0: nothing to discard.
    var discardPadding: Int64
    /// Milliseconds from this block to the one it refers to; nil for key frames.
    var reference: Int64?

    var isKey: Bool { packet.flags.contains(.key) }
    var isSimple: Bool { duration == nil && discardPadding == 0 && packet.sideData.isEmpty }
  }

  private(set) var blocks: [Block] = []
  /// Bytes of payload.
  private(set) var payloadSize = 0

  var time: Int64 { blocks.first?.time ?? 0 }
  var isEmpty: Bool { blocks.isEmpty }

  mutating func append(_ block: Block) {
    blocks.append(block)
    payloadSize += block.packet.size
  }

  /// Gives a duration to the block of `track` that is shown last.
  ///
  /// Nothing follows from whose time a reader could tell it.
  mutating func setLastDuration(of track: Int, _ duration: (Block) -> Int64?) {
    let last = blocks.indices.filter { blocks[$0].track == track }
      .max { blocks[$0].time < blocks[$1].time }
    if let last { blocks[last].duration = duration(blocks[last]) }
  }

  /// What goes into the file, in order: bytes made here, and payloads that the sink copies.
  enum Part {
    case bytes([UInt8])
    case payload(Packet)
  }

  /// The cluster, and where each block starts within its payload.
  func parts() -> (parts: [Part], offsets: [Int]) {
    var head = EBMLWriter()
    head.unsigned(.timestamp, UInt64(clamping: time))
    var offsets: [Int] = []
    var size = head.count
    var parts: [Part] = []
    for block in blocks {
      offsets.append(size)
      let pieces = pieces(of: block)
      size += pieces.front.count + block.packet.size + pieces.back.count
      parts.append(.bytes(pieces.front))
      parts.append(.payload(block.packet))
      if !pieces.back.isEmpty { parts.append(.bytes(pieces.back)) }
    }
    var writer = EBMLWriter()
    writer.identifier(.cluster)
    writer.size(size)
    writer.append(head.bytes)
    parts.insert(.bytes(writer.bytes), at: 0)
    return (parts, offsets)
  }

  /// What stands in front of and behind the payload of `block`.
  private func pieces(of block: Block) -> (front: [UInt8], back: [UInt8]) {
    let relative = Int16(clamping: block.time - time)
    let isSimple = block.isSimple
    var header = EBMLWriter.size(block.track)
    header += [UInt8(truncatingIfNeeded: relative >> 8), UInt8(truncatingIfNeeded: relative)]
    header.append(isSimple && block.isKey ? 0x80 : 0)
    var front = EBMLWriter()
    front.identifier(isSimple ? .simpleBlock : .block)
    front.size(header.count + block.packet.size)
    front.append(header)
    if isSimple { return (front.bytes, []) }

    var back = EBMLWriter()
    if !block.packet.sideData.isEmpty {
      back.master(.blockAdditions) { additions in
        additions.master(.blockMore) { more in
          more.unsigned(.blockAddID, 1)
          more.binary(.blockAdditional, block.packet.sideData)
        }
      }
    }
    if let duration = block.duration { back.unsigned(.blockDuration, UInt64(clamping: duration)) }
    if let reference = block.reference { back.signed(.referenceBlock, reference) }
    if block.discardPadding != 0 { back.signed(.discardPadding, block.discardPadding) }
    var group = EBMLWriter()
    group.identifier(.blockGroup)
    group.size(front.count + block.packet.size + back.count)
    group.append(front.bytes)
    return (group.bytes, back.bytes)
  }
}
