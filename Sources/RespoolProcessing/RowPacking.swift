import RespoolMedia

// These functions copy one row of one component from a plane of native values to its place in a frame. The
// callers in RowExchange guarantee that `columns` are within both rows.

/// Copies `columns` of the plane row at `from` into the row at `into`.
func packRow(
  _ arrangement: SampleArrangement, _ component: SampleArrangement.Component,
  from: UnsafeRawPointer, columns: Range<Int>, into: UnsafeMutableRawPointer
) {
  switch arrangement.packing {
  case .strided:
    switch arrangement.elementSize {
    case 1: scatter(component, from, columns, into) { (value: UInt8) in value }
    // Big-endian formats have 16 bits and no shift.
    case 2 where arrangement.isBigEndian:
      scatter(component, from, columns, into) { (value: UInt16) in value.byteSwapped }
    case 2 where arrangement.shift > 0:
      let shift = UInt16(arrangement.shift)
      scatter(component, from, columns, into) { (value: UInt16) in value &<< shift }
    case 2: scatter(component, from, columns, into) { (value: UInt16) in value }
    default: scatter(component, from, columns, into) { (value: Float) in value }
    }
  case .rgb565: packBits(component, from, columns, into, bits: (5, 6, 5))
  case .rgb555: packBits(component, from, columns, into, bits: (5, 5, 5))
  case .bits, .palette: break
  }
}

@inline(__always)
private func scatter<T>(
  _ component: SampleArrangement.Component, _ from: UnsafeRawPointer, _ columns: Range<Int>,
  _ into: UnsafeMutableRawPointer, _ change: (T) -> T
) {
  let first = columns.lowerBound
  let source = from.assumingMemoryBound(to: T.self) + first
  let target = into.assumingMemoryBound(to: T.self) + component.offset + first * component.step
  // A step known at compile time lets the compiler use its interleaved stores.
  switch component.step {
  case 1: for x in 0..<columns.count { target[x] = change(source[x]) }
  case 2: for x in 0..<columns.count { target[x &* 2] = change(source[x]) }
  case 3: for x in 0..<columns.count { target[x &* 3] = change(source[x]) }
  case 4: for x in 0..<columns.count { target[x &* 4] = change(source[x]) }
  default: for x in 0..<columns.count { target[x &* component.step] = change(source[x]) }
  }
}

/// Stores the high bits of eight-bit values in their bit field; red comes first and clears the word.
private func packBits(
  _ component: SampleArrangement.Component, _ from: UnsafeRawPointer, _ columns: Range<Int>,
  _ into: UnsafeMutableRawPointer, bits: (red: UInt16, green: UInt16, blue: UInt16)
) {
  let (width, shift) = component.field(bits)
  let source = from.assumingMemoryBound(to: UInt8.self)
  let target = into.assumingMemoryBound(to: UInt16.self)
  for x in columns {
    let others = component.target == 0 ? 0 : UInt16(littleEndian: target[x])
    let field = (UInt16(source[x]) >> (8 - width)) << shift
    target[x] = (others | field).littleEndian
  }
}

/// Makes the whole alpha channel opaque, before the other components are packed.
func fillOpaque(_ frame: Frame, _ arrangement: SampleArrangement) {
  let layout = arrangement.layout
  let isPacked = layout.bytesPerPixel.count == 1 && layout.family != .yuv
  guard layout.hasAlpha || (isPacked && layout.family == .rgb) else { return }
  let plane = layout.bytesPerPixel.count - 1
  let bytes = layout.rowBytes(ofPlane: plane, for: frame.width)
  for y in 0..<frame.height {
    let row = frame.planes[plane].base + y * frame.planes[plane].stride
    switch arrangement.depth {
    case 32:
      row.assumingMemoryBound(to: Float.self).update(repeating: 1, count: bytes / 4)
    // Formats of these depths are little-endian; 16 bits are all ones in either byte order.
    case 9...15:
      let most = UInt16(1) << UInt16(arrangement.depth) - 1
      row.assumingMemoryBound(to: UInt16.self).update(repeating: most, count: bytes / 2)
    default:
      row.assumingMemoryBound(to: UInt8.self).update(repeating: 0xFF, count: bytes)
    }
  }
}
