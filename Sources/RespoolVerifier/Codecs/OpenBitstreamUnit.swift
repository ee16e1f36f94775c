/// An open bitstream unit of AV1 (AV1 specification 5.3).
struct OpenBitstreamUnit {
  static let sequenceHeader: UInt8 = 1
  static let temporalDelimiter: UInt8 = 2

  /// `obu_type` (6.2.2).
  var type: UInt8
  var payload: ArraySlice<UInt8>

  /// Returns the units of a packet; `nil` if their sizes do not fill it.
  static func units(in bytes: [UInt8]) -> [OpenBitstreamUnit]? {
    var units: [OpenBitstreamUnit] = []
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
      units.append(
        OpenBitstreamUnit(type: head >> 3 & 15, payload: bytes[position..<position + size]))
      position += size
    }
    return units
  }
}
