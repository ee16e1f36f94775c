import RespoolPlugin

/// The parameter sets of an avcC or hvcC record in the form in which a frame carries them.
///
/// A packet cannot carry a new configuration record. If one arrives in mid-stream (FLV, MOV), its parameter
/// sets are stored in the stream itself, which ISO/IEC 14496-15 calls avc3 and hev1.
enum ParameterSets {
  /// Returns the parameter sets of `record`, each after its length in `lengthSize` bytes.
  ///
  /// `nil` if the record is not one of `codec`.
  static func inBand(codec: String, record: [UInt8], lengthSize: Int) -> [UInt8]? {
    var sets: [ArraySlice<UInt8>] = []
    switch codec {
    case "h264": guard readAVC(record, into: &sets) else { return nil }
    case "hevc": guard readHEVC(record, into: &sets) else { return nil }
    default: return nil
    }
    var result: [UInt8] = []
    for set in sets {
      guard lengthSize == 4 || set.count < 1 << (8 * lengthSize) else { return nil }
      for byte in (0..<lengthSize).reversed() {
        result.append(UInt8(truncatingIfNeeded: set.count >> (8 * byte)))
      }
      result += set
    }
    return result
  }

  /// Returns the number of bytes of a NAL unit's length field.
  ///
  /// `nil` if `record` is not an avcC or hvcC record.
  static func lengthSize(codec: String, record: [UInt8]) -> Int? {
    switch codec {
    case "h264": record.count >= 7 && record[0] == 1 ? Int(record[4] & 3) + 1 : nil
    case "hevc": record.count >= 23 && record[0] == 1 ? Int(record[21] & 3) + 1 : nil
    default: nil
    }
  }

  /// Parses avcC (ISO/IEC 14496-15 5.3.3.1).
  private static func readAVC(_ record: [UInt8], into sets: inout [ArraySlice<UInt8>]) -> Bool {
    guard record.count >= 7, record[0] == 1 else { return false }
    var rest = record[6...]
    return take(Int(record[5] & 31), &rest, &sets)
      && takeByte(&rest).map { take($0, &rest, &sets) } ?? false
  }

  /// Parses hvcC (ISO/IEC 14496-15 8.3.3.1).
  private static func readHEVC(_ record: [UInt8], into sets: inout [ArraySlice<UInt8>]) -> Bool {
    guard record.count >= 23, record[0] == 1 else { return false }
    var rest = record[23...]
    for _ in 0..<record[22] {
      guard takeByte(&rest) != nil, let high = takeByte(&rest), let low = takeByte(&rest),
        take(high << 8 | low, &rest, &sets)
      else { return false }
    }
    return true
  }

  private static func takeByte(_ rest: inout ArraySlice<UInt8>) -> Int? {
    rest.popFirst().map(Int.init)
  }

  private static func take(
    _ count: Int, _ rest: inout ArraySlice<UInt8>, _ sets: inout [ArraySlice<UInt8>]
  ) -> Bool {
    for _ in 0..<count {
      guard let high = takeByte(&rest), let low = takeByte(&rest), rest.count >= high << 8 | low
      else { return false }
      sets.append(rest.prefix(high << 8 | low))
      rest = rest.dropFirst(high << 8 | low)
    }
    return true
  }
}
