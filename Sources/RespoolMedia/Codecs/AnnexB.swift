/// The byte stream form of H.264 and HEVC, in which NAL units follow start codes (Annex B of ITU-T H.264 and
/// H.265), and its conversion to the form of containers, in which NAL units follow their lengths.
public enum AnnexB {
  /// Returns `true` if `bytes` begin with a start code of three or four bytes.
  public static func isByteStream(_ bytes: some Collection<UInt8>) -> Bool {
    let head = Array(bytes.prefix(4))
    return head.starts(with: [0, 0, 1]) || head.elementsEqual([0, 0, 0, 1])
  }

  /// Returns the ranges of the NAL units, without start codes and without the zero bytes after a unit.
  ///
  /// Empty units are left out.
  public static func units(in bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var start: Int?
    var index = 0
    func close(at end: Int) {
      guard let start else { return }
      var end = end
      // trailing_zero_8bits and the first byte of a four-byte start code; a NAL unit never ends in 0.
      while end > start, bytes[end - 1] == 0 { end -= 1 }
      if end > start { result.append(start..<end) }
    }
    while index + 2 < bytes.count {
      // A start code has its 1 at index + 2: what is above 1 there rules out three places at once.
      if bytes[index + 2] > 1 {
        index += 3
      } else if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
        close(at: index)
        start = index + 3
        index += 3
      } else {
        index += 1
      }
    }
    close(at: bytes.count)
    return result
  }

  /// Returns the NAL units, each after its length as four bytes.
  ///
  /// `select` returns the ranges of the units that are kept, from the ranges of all.
  public static func lengthPrefixed(
    _ bytes: UnsafeRawBufferPointer, select: ([Range<Int>]) -> [Range<Int>] = { $0 }
  ) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + 16)
    for unit in select(units(in: bytes)) {
      guard let length = UInt32(exactly: unit.count) else { continue }
      for shift in [24, 16, 8, 0] { result.append(UInt8(truncatingIfNeeded: length >> shift)) }
      result.append(contentsOf: bytes[unit])
    }
    return result
  }

  /// Returns the payload of a NAL unit without its emulation prevention bytes (7.4.1: 00 00 03).
  public static func rawPayload(_ unit: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(unit.count)
    var zeros = 0
    for byte in unit {
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      result.append(byte)
    }
    return result
  }
}
