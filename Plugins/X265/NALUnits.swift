import RespoolPlugin

/// The NAL units in memory, each after its length in four bytes.
struct NALUnits: Sequence, IteratorProtocol {
  struct Unit {
    /// `nal_unit_type` (ITU-T H.265 table 7-1).
    var type: UInt8
    /// Bytes of the unit, without its length.
    var range: Range<Int>

    var isSlice: Bool { type < 32 }
    /// `true` for IDR, BLA and CRA pictures.
    var isRandomAccessPoint: Bool { (16...23).contains(type) }
  }

  static let lengthSize = 4
  static let prefixInformation: UInt8 = 39

  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func next() -> Unit? {
    guard bytes.count - position > Self.lengthSize else { return nil }
    let length = Int(
      UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)))
    let start = position + Self.lengthSize
    guard length > 0, length <= bytes.count - start else { return nil }
    position = start + length
    return Unit(type: bytes[start] >> 1 & 0x3F, range: start..<position)
  }
}
