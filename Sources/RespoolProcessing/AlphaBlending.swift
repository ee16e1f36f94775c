/// Blends a row of pixel components over black by its alpha.
///
/// `black` is the code of black, or for chroma the code of neutral. A chroma component uses the mean alpha of
/// its pixels: `1 << shift` columns of `lines` rows, which are `alphaStride` bytes apart. `row` must have the
/// columns of `columns`. The alpha rows must have all columns of the chroma block.
package func blend(
  _ row: UnsafeMutableRawPointer, over black: Int, alpha: UnsafeRawPointer, columns: Range<Int>,
  shift: Int, lines: Int, alphaStride: Int, elementSize: Int, depth: Int
) {
  switch elementSize {
  case 1 where shift == 0 && lines == 1:
    blendBytes(row, black, alpha, columns)
  case 1:
    blendInteger(
      UInt8.self, row, black, alpha, columns, shift, lines, alphaStride, (1 << depth) - 1)
  case 2:
    blendInteger(
      UInt16.self, row, black, alpha, columns, shift, lines, alphaStride, (1 << depth) - 1)
  default:
    // The floating-point formats are RGB: black is 0, and alpha has the size of the frame.
    let samples = row.assumingMemoryBound(to: Float.self)
    let alpha = alpha.assumingMemoryBound(to: Float.self)
    for x in columns { samples[x] *= alpha[x] }
  }
}

/// Blends pixel by pixel in eight bits, in a form that the compiler vectorizes.
private func blendBytes(
  _ row: UnsafeMutableRawPointer, _ black: Int, _ alpha: UnsafeRawPointer, _ columns: Range<Int>
) {
  let samples = row.assumingMemoryBound(to: UInt8.self)
  let alphas = alpha.assumingMemoryBound(to: UInt8.self)
  let black = Int16(truncatingIfNeeded: black)
  for x in columns {
    let distance = Int16(samples[x]) &- black
    let product = UInt16(bitPattern: distance < 0 ? 0 &- distance : distance) &* UInt16(alphas[x])
    // n / 255 rounded to the nearest, exact for every product of two bytes.
    let biased = product &+ 128
    let size = Int16(bitPattern: (biased &+ (biased &>> 8)) &>> 8)
    samples[x] = UInt8(truncatingIfNeeded: black &+ (distance < 0 ? 0 &- size : size))
  }
}

@inline(__always)
private func blendInteger<T: FixedWidthInteger & UnsignedInteger>(
  _: T.Type, _ row: UnsafeMutableRawPointer, _ black: Int, _ alpha: UnsafeRawPointer,
  _ columns: Range<Int>, _ shift: Int, _ lines: Int, _ alphaStride: Int, _ most: Int
) {
  let samples = row.assumingMemoryBound(to: T.self)
  let whole = most * lines << shift
  for x in columns {
    var sum = 0
    for line in 0..<lines {
      let alphas = (alpha + line * alphaStride).assumingMemoryBound(to: T.self)
      for column in x << shift..<(x + 1) << shift { sum &+= Int(alphas[column]) }
    }
    let distance = Int(truncatingIfNeeded: samples[x]) &- black
    let product = distance &* sum
    // Rounded to the nearest, equally on both sides of black.
    let half = product < 0 ? -whole / 2 : whole / 2
    samples[x] = T(truncatingIfNeeded: black &+ (product &+ half) / whole)
  }
}
