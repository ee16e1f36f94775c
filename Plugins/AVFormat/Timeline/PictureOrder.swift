import RespoolPlugin

/// Gives packets in decoding order, of which only the decoding times are known, the times at which their
/// pictures are shown.
///
/// Picture `n` in the order of display is shown at time `n` of those that the container tells: so it is where
/// a container numbers what it stores and nothing else (AVI, elementary streams). Decoding times are moved
/// ahead by as many pictures as the order differs, so that nothing is shown before it is decoded.
struct PictureOrder {
  /// Where a picture stands in the order of display.
  struct Place {
    /// The lower is shown first; of equal ones the one that is decoded first.
    var key: Int64
    /// No picture that is still to come has a lower key.
    var floor: Int64
  }

  /// Most pictures that may come before one in decoding order and behind it in display (ITU-T H.264 A.3.1:
  /// MaxDpbFrames is at most 16; H.265 A.4.2 the same).
  static let maximumDepth = 16

  private struct Entry {
    var packet: Packet
    let key: Int64
    var shown: Int64?
  }

  /// In decoding order; what has been handed on is gone.
  private var entries: [Entry] = []
  /// Keys of the entries that have no time yet, lowest first.
  private var waiting: [(key: Int64, number: Int)] = []
  /// The container's times, the first of them with the number `firstTime`.
  private var times: [Int64] = []
  private var firstTime = 0
  /// How many pictures have got a time, and how many packets have been handed on.
  private var shownCount = 0
  private var givenCount = 0
  /// By how many pictures decoding is ahead; settled with the first packet that is handed on.
  private var delay: Int?
  private var lead: Int64 = 0
  private let toldDepth: Int

  /// `depth`: by how many pictures decoding is ahead at least, as far as known.
  init(depth: Int) { toldDepth = min(max(0, depth), Self.maximumDepth) }

  /// Takes the next packet, which has a decoding time, and appends to `ready` what has got its times.
  mutating func enter(_ packet: Packet, at place: Place, to ready: inout [Packet]) {
    let number = givenCount + entries.count
    entries.append(Entry(packet: packet, key: place.key))
    times.append(packet.dts ?? times.last ?? 0)
    let index = waiting.lastIndex { $0.key <= place.key }.map { $0 + 1 } ?? 0
    waiting.insert((place.key, number), at: index)
    while let first = waiting.first,
      first.key < place.floor || waiting.count > Self.maximumDepth
    {
      show(first.number)
    }
    give(to: &ready)
  }

  /// Nothing more comes: appends the rest to `ready`.
  mutating func finish(to ready: inout [Packet]) {
    while let first = waiting.first { show(first.number) }
    give(to: &ready)
  }

  private mutating func show(_ number: Int) {
    waiting.removeFirst()
    entries[number - givenCount].shown = times[shownCount - firstTime]
    shownCount += 1
  }

  private mutating func give(to ready: inout [Packet]) {
    while let entry = entries.first, let shown = entry.shown {
      let delay = delay ?? settleDelay()
      var packet = entry.packet
      packet.pts = shown
      packet.dts =
        givenCount < delay
        ? times[givenCount - firstTime].subtractingClamped(lead)
        : times[givenCount - delay - firstTime]
      ready.append(packet)
      entries.removeFirst()
      givenCount += 1
      while firstTime < min(shownCount, givenCount - delay) {
        times.removeFirst()
        firstTime += 1
      }
    }
  }

  /// As many pictures as are shown behind one that is decoded later, among those seen so far.
  private mutating func settleDelay() -> Int {
    var depth = toldDepth
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
