/// Conversion of decoding times to presentation times, for packets in decoding order.
///
/// Frame `n` in display order is shown at the `n`th of the container's times: this holds for containers that
/// only number their frames (AVI, elementary streams). Decoding times are moved ahead by the reorder depth,
/// so that no frame is shown before it is decoded.
package struct PictureOrder {
  /// The position of a frame in display order.
  package struct Position {
    /// Sort key.
    ///
    /// Lower keys are shown first; equal ones in decoding order.
    package var key: Int64
    /// Lower bound for the keys of all frames that follow.
    package var floor: Int64

    package init(key: Int64, floor: Int64) { (self.key, self.floor) = (key, floor) }
  }

  /// Maximum reorder depth (ITU-T H.264 A.3.1: MaxDpbFrames is at most 16; H.265 A.4.2 the same).
  static let maximumDepth = 16

  private struct Entry {
    var packet: Packet
    let key: Int64
    var shown: Int64?
  }

  /// Entries in decoding order that have not been returned yet.
  private var entries: [Entry] = []
  /// Keys of the entries without a presentation time, lowest first.
  private var waiting: [(key: Int64, number: Int)] = []
  /// The container's times.
  ///
  /// The first of them has the number `firstTime`.
  private var times: [Int64] = []
  private var firstTime = 0
  /// Number of frames that have a presentation time, and number of packets that have been returned.
  private var shownCount = 0
  private var returnedCount = 0
  /// Number of frames by which decoding is ahead.
  ///
  /// Fixed when the first packet is returned.
  private var delay: Int?
  private var lead: Int64 = 0
  private let statedDepth: Int

  /// Creates the order.
  ///
  /// `depth` is the known minimum of frames by which decoding is ahead.
  package init(depth: Int) { statedDepth = min(max(0, depth), Self.maximumDepth) }

  /// Adds the next packet, which has a decoding time, and appends packets with complete times to `orderedPackets`.
  package mutating func add(
    _ packet: Packet, at position: Position, to orderedPackets: inout [Packet]
  ) {
    let number = returnedCount + entries.count
    entries.append(Entry(packet: packet, key: position.key))
    times.append(packet.dts ?? times.last ?? 0)
    let index = waiting.lastIndex { $0.key <= position.key }.map { $0 + 1 } ?? 0
    waiting.insert((position.key, number), at: index)
    while let first = waiting.first,
      first.key < position.floor || waiting.count > Self.maximumDepth
    {
      show(first.number)
    }
    returnPackets(to: &orderedPackets)
  }

  /// Ends the stream and appends the remaining packets to `orderedPackets`.
  package mutating func finish(to orderedPackets: inout [Packet]) {
    while let first = waiting.first { show(first.number) }
    returnPackets(to: &orderedPackets)
  }

  private mutating func show(_ number: Int) {
    waiting.removeFirst()
    entries[number - returnedCount].shown = times[shownCount - firstTime]
    shownCount += 1
  }

  private mutating func returnPackets(to orderedPackets: inout [Packet]) {
    while let entry = entries.first, let shown = entry.shown {
      let delay = delay ?? settleDelay()
      var packet = entry.packet
      packet.pts = shown
      packet.dts =
        returnedCount < delay
        ? times[returnedCount - firstTime].subtractingClamped(lead)
        : times[returnedCount - delay - firstTime]
      orderedPackets.append(packet)
      entries.removeFirst()
      returnedCount += 1
      while firstTime < min(shownCount, returnedCount - delay) {
        times.removeFirst()
        firstTime += 1
      }
    }
  }

  /// Fixes and returns the reorder depth of the frames seen so far.
  private mutating func settleDelay() -> Int {
    var depth = statedDepth
    for (index, entry) in entries.enumerated() {
      depth = max(depth, entries[..<index].count { $0.key > entry.key })
    }
    delay = depth
    let first = times.first ?? 0
    lead =
      depth < times.count
      ? times[depth].subtractingClamped(first)
      : (times.last ?? 0).subtractingClamped(first).addingClamped(
        Int64(depth + 1 - times.count) * max(1, entries.first?.packet.duration ?? 1))
    return depth
  }
}
