import RespoolPlugin

/// Metadata units of AV1 with messages of ITU-T T.35 (AV1 specification 5.8.2): HDR10+, captions and others.
enum MetadataUnits {
  private enum UnitType {
    static let temporalDelimiter: UInt8 = 2
    static let frameHeader: UInt8 = 3
    static let metadata: UInt8 = 5
    static let frame: UInt8 = 6
  }

  private static let messageType: UInt8 = 4

  /// Returns the units of a frame's messages.
  static func units(_ sideData: [SideData]) -> [UInt8] {
    sideData.filter { $0.type == .registeredUserData && !$0.bytes.isEmpty }.flatMap { data in
      let payload = [messageType] + data.bytes + [0x80]
      return [UnitType.metadata << 3 | 2] + payload.count.leb128Bytes + payload
    }
  }

  /// Returns a temporal unit without its delimiter (AV1 binding 2.4), and with `units` before the frame that it shows.
  ///
  /// That is the last one (7.5): frames before it are references that are not shown.
  static func insert(_ units: [UInt8], into temporalUnit: UnsafeRawBufferPointer) -> MediaBuffer {
    var start = 0
    var place = 0
    var position = 0
    while position < temporalUnit.count, let end = end(of: position, in: temporalUnit) {
      switch temporalUnit[position] >> 3 & 15 {
      case UnitType.temporalDelimiter where position == start: (start, place) = (end, end)
      case UnitType.frameHeader, UnitType.frame: place = position
      default: break
      }
      position = end
    }
    let head = UnsafeRawBufferPointer(rebasing: temporalUnit[start..<place])
    let rest = UnsafeRawBufferPointer(rebasing: temporalUnit[place...])
    let result = MediaBuffer(count: head.count + units.count + rest.count)
    result.bytes.copyBytes(from: head)
    UnsafeMutableRawBufferPointer(rebasing: result.bytes[head.count...]).copyBytes(from: units)
    UnsafeMutableRawBufferPointer(rebasing: result.bytes[(head.count + units.count)...])
      .copyMemory(from: rest)
    return result
  }

  /// Returns the end of the unit at `start`; `nil` if it states no size or exceeds the bytes.
  private static func end(of start: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
    var position = start + (bytes[start] & 4 != 0 ? 2 : 1)
    guard bytes[start] & 2 != 0 else { return nil }
    var size = 0
    for place in 0..<8 {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      size |= Int(byte & 0x7F) << (7 * place)
      if byte & 0x80 == 0 { break }
    }
    return size <= bytes.count - position ? position + size : nil
  }
}
