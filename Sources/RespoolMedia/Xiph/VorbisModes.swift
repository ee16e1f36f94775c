/// Lengths of Vorbis packets, from the modes of the setup header (Vorbis I specification 4.2.4 and 4.3.1).
package struct VorbisModes {
  /// Number of samples of a short and of a long block.
  private let blockSizes: [Int]
  /// `true` for modes with long blocks.
  private let isLong: [Bool]
  private let modeBits: Int
  private var previous: Int?

  /// Parses the three headers in Xiph lacing.
  ///
  /// `nil` if they are invalid.
  package init?(_ extradata: [UInt8]) {
    guard let headers = try? XiphLacing.split(extradata), headers.count >= 3,
      headers[0].count >= 29, headers[0][0] == 1
    else { return nil }
    let sizes = headers[0][28]
    blockSizes = [1 << Int(sizes & 15), 1 << Int(sizes >> 4)]
    guard let modes = Self.modes(headers[2]) else { return nil }
    isLong = modes
    modeBits = modes.count <= 1 ? 0 : Int.bitWidth - (modes.count - 1).leadingZeroBitCount
  }

  /// Parses the modes from the end of the setup header, because only a decoder can skip the fields before
  /// them.
  ///
  /// A mode has a bit for the block size, two 16-bit fields of 0, and 8 bits for its mapping. A count of 6
  /// bits precedes the modes.
  private static func modes(_ setup: [UInt8]) -> [Bool]? {
    func bit(_ index: Int) -> Int { Int(setup[index >> 3] >> UInt8(index & 7) & 1) }
    func number(_ index: Int, _ count: Int) -> Int {
      (0..<count).reduce(0) { $0 | bit(index + $1) << $1 }
    }
    var end = setup.count * 8 - 1
    while end >= 0, bit(end) == 0 { end -= 1 }
    // `end` is the framing bit; the modes precede it.
    var found: Int?
    var count = 0
    var place = end
    while place >= 41 + 6, count < 64 {
      place -= 41
      guard number(place + 1, 32) == 0, number(place + 33, 8) < 64 else { break }
      count += 1
      if number(place - 6, 6) + 1 == count { found = count }
    }
    guard let found else { return nil }
    return (0..<found).map { bit(end - 41 * (found - $0)) == 1 }
  }

  /// Returns the number of samples that a packet adds.
  ///
  /// The first packet after a seek decodes to none, but has a length in the file.
  package mutating func length(of packet: ArraySlice<UInt8>) -> Int {
    guard let first = packet.first, first & 1 == 0 else { return 0 }
    let mode = Int(first >> 1) & (1 << modeBits - 1)
    guard mode < isLong.count else { return 0 }
    let size = blockSizes[isLong[mode] ? 1 : 0]
    defer { previous = size }
    return ((previous ?? size) + size) / 4
  }

  package mutating func reset() { previous = nil }
}
