import RespoolMedia

// These functions copy one row of one component from its place in a frame to a plane of native values. The
// callers in RowExchange guarantee that `from` has the row's bytes and `into` has room up to
// `columns.upperBound`.

/// Copies `columns` of `component` out of the row at `from` to the same columns of `into`.
func unpackRow(
  _ arrangement: SampleArrangement, _ component: SampleArrangement.Component, _ palette: Palette?,
  from: UnsafeRawPointer, columns: Range<Int>, into: UnsafeMutableRawPointer
) {
  switch arrangement.packing {
  case .strided:
    switch arrangement.elementSize {
    case 1: gather(UInt8.self, component, from, columns, into)
    case 2 where arrangement.isBigEndian:
      gatherWords(component, from, columns, into) { $0.byteSwapped }
    case 2 where arrangement.shift > 0:
      let shift = UInt16(arrangement.shift)
      gatherWords(component, from, columns, into) { $0 &>> shift }
    case 2: gather(UInt16.self, component, from, columns, into)
    default: gather(Float.self, component, from, columns, into)
    }
  case .rgb565:
    unpackBits(component, from, columns, into, bits: (5, 6, 5))
  case .rgb555:
    unpackBits(component, from, columns, into, bits: (5, 5, 5))
  case .bits(let zeroIsWhite):
    let source = from.assumingMemoryBound(to: UInt8.self)
    let target = into.assumingMemoryBound(to: UInt8.self)
    let flip: UInt8 = zeroIsWhite ? 0xFF : 0
    for x in columns {
      target[x] = (source[x >> 3] ^ flip) &>> UInt8(7 - x & 7) & 1 == 1 ? 255 : 0
    }
  case .palette:
    guard let palette else { return }
    let source = from.assumingMemoryBound(to: UInt8.self)
    let target = into.assumingMemoryBound(to: UInt8.self)
    palette.tables[component.target].withUnsafeBufferPointer { table in
      guard let table = table.baseAddress else { return }
      for x in columns { target[x] = table[Int(source[x])] }
    }
  }
}

/// Fills the columns after `column`, up to `end`, with the value at `column`.
func repeatSample(_ row: UnsafeMutableRawPointer, at column: Int, through end: Int, size: Int) {
  for x in column + 1..<max(end, column + 1) {
    (row + x * size).copyMemory(from: row + column * size, byteCount: size)
  }
}

private func gather<T>(
  _: T.Type, _ component: SampleArrangement.Component, _ from: UnsafeRawPointer,
  _ columns: Range<Int>, _ into: UnsafeMutableRawPointer
) {
  let (first, count) = (columns.lowerBound, columns.count)
  let source = from.assumingMemoryBound(to: T.self) + component.offset + first * component.step
  let target = into.assumingMemoryBound(to: T.self) + first
  // A step known at compile time lets the compiler use its interleaved loads.
  switch component.step {
  case 1: target.update(from: source, count: count)
  case 2: for x in 0..<count { target[x] = source[x &* 2] }
  case 3: for x in 0..<count { target[x] = source[x &* 3] }
  case 4: for x in 0..<count { target[x] = source[x &* 4] }
  default: for x in 0..<count { target[x] = source[x &* component.step] }
  }
}

@inline(__always)
private func gatherWords(
  _ component: SampleArrangement.Component, _ from: UnsafeRawPointer, _ columns: Range<Int>,
  _ into: UnsafeMutableRawPointer, _ change: (UInt16) -> UInt16
) {
  let source =
    from.assumingMemoryBound(to: UInt16.self) + component.offset
    + columns.lowerBound * component.step
  let target = into.assumingMemoryBound(to: UInt16.self) + columns.lowerBound
  switch component.step {
  case 1: for x in 0..<columns.count { target[x] = change(source[x]) }
  case 2: for x in 0..<columns.count { target[x] = change(source[x &* 2]) }
  default: for x in 0..<columns.count { target[x] = change(source[x &* component.step]) }
  }
}

/// Widens a bit field of a 16-bit word to eight bits by repeating its highest bits below.
private func unpackBits(
  _ component: SampleArrangement.Component, _ from: UnsafeRawPointer, _ columns: Range<Int>,
  _ into: UnsafeMutableRawPointer, bits: (red: UInt16, green: UInt16, blue: UInt16)
) {
  let (width, shift) = component.field(bits)
  let mask: UInt16 = (1 << width) - 1
  let source = from.assumingMemoryBound(to: UInt16.self)
  let target = into.assumingMemoryBound(to: UInt8.self)
  for x in columns {
    let value = UInt16(littleEndian: source[x]) &>> shift & mask
    target[x] = UInt8(truncatingIfNeeded: value << (8 - width) | value >> (2 * width - 8))
  }
}
