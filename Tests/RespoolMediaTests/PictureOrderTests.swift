import RespoolMedia
import Testing

@Suite struct PictureOrderTests {
  /// Returns the packets of frames with the display positions `keys`, decoded at `times`.
  private func order(
    _ keys: [Int64], times: [Int64]? = nil, floor: Int64 = .min, depth: Int = 0
  ) -> [Packet] {
    var order = PictureOrder(depth: depth)
    var ready: [Packet] = []
    for (index, key) in keys.enumerated() {
      let packet = Packet(
        track: 0, pts: nil, dts: times?[index] ?? Int64(index), duration: 1,
        payload: .bytes(MediaBuffer([UInt8(truncatingIfNeeded: index)])))
      order.add(packet, at: .init(key: key, floor: floor), to: &ready)
    }
    order.finish(to: &ready)
    #expect(ready.compactMap { $0.buffer?.bytes.first.map(Int.init) } == Array(keys.indices))
    return ready
  }

  @Test func `frames are presented in order and decoded before`() {
    let packets = order([0, 8, 4, 2, 6, 16, 12, 10, 14])
    #expect(packets.map(\.pts) == [0, 4, 2, 1, 3, 8, 6, 5, 7])
    #expect(packets.map(\.dts) == [-2, -1, 0, 1, 2, 3, 4, 5, 6])
  }

  @Test func `frames in order keep their times`() {
    let packets = order(Array(0..<40))
    #expect(packets.map(\.pts) == (0..<40).map { $0 })
    #expect(packets.map(\.dts) == packets.map(\.pts))
  }

  @Test func `a missing frame leaves its time free`() {
    let packets = order([0, 6, 2, 4], times: [0, 2, 3, 4])
    #expect(packets.map(\.pts) == [0, 4, 2, 3])
    #expect(packets.map(\.dts) == [-2, 0, 2, 3])
    #expect(packets.allSatisfy { ($0.dts ?? 0) <= ($0.pts ?? 0) })
  }

  @Test(arguments: [0, 1, 2, 3])
  func `a stream shorter than its reorder depth is decoded before it is shown`(count: Int) {
    let packets = order((0..<count).map { Int64($0) }, depth: 2)
    #expect(packets.map(\.pts) == (0..<count).map { Int64($0) })
    #expect(packets.map(\.dts) == (0..<count).map { Int64($0) - 2 })
  }

  @Test func `frames wait for as many as may precede them`() {
    // The first decoded frame is shown after 16 others, the maximum that may be held for display.
    let packets = order([100] + (0..<16).map { Int64($0) } + [101, 102])
    #expect(packets.first?.pts == 16)
    #expect(packets.dropFirst().prefix(16).map(\.pts) == (0..<16).map { Int64($0) })
    #expect(packets.suffix(2).map(\.pts) == [17, 18])
  }

  @Test func `a frame that nothing can precede is returned at once`() {
    var order = PictureOrder(depth: 0)
    var ready: [Packet] = []
    for time in 0..<3 as Range<Int64> {
      let packet = Packet(
        track: 0, pts: nil, dts: time, duration: 1, payload: .bytes(MediaBuffer([])))
      order.add(packet, at: .init(key: time, floor: time + 1), to: &ready)
      #expect(ready.last?.pts == time)
    }
  }
}
