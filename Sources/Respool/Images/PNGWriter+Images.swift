public import RespoolMedia

extension PNGWriter {
  /// Returns the bytes of a PNG file with a 24-bit RGB image.
  ///
  /// Throws `invalidArgument` for another pixel format, `pluginFailure` if zlib cannot be used.
  public static func bytes(_ image: PixelBuffer) throws(MediaError) -> [UInt8] {
    let frame = image.frame
    guard frame.pixelFormat == .rgb24, frame.width > 0, frame.height > 0 else {
      throw MediaError(
        .invalidArgument, "PNG needs 24-bit RGB, not \(frame.pixelFormat)")
    }
    // Eight bits, color type 2 (truecolor).
    return try file(
      width: frame.width, height: frame.height, colorType: 2, chunks: [],
      rows: filtered(frame))
  }

  /// Filters each row by the method with the least sum (ISO/IEC 15948 12.8): sub, up or Paeth.
  private static func filtered(_ frame: Frame) -> [UInt8] {
    let (count, height) = (frame.width * 3, frame.height)
    let plane = frame.planes[0]
    var rows = [UInt8](repeating: 0, count: (count + 1) * height)
    var tries = [[UInt8]](repeating: [UInt8](repeating: 0, count: count), count: 3)
    let nothing = [UInt8](repeating: 0, count: count)
    withExtendedLifetime(frame.buffer) {
      nothing.withUnsafeBufferPointer { nothing in
        for row in 0..<height {
          func line(_ row: Int) -> UnsafeBufferPointer<UInt8> {
            UnsafeBufferPointer(
              start: (plane.base + row * plane.stride).assumingMemoryBound(to: UInt8.self),
              count: count)
          }
          let best = filter(line(row), above: row == 0 ? nothing : line(row - 1), into: &tries)
          rows[row * (count + 1)] = [1, 2, 4][best]
          rows.replaceSubrange(
            row * (count + 1) + 1..<(row + 1) * (count + 1), with: tries[best])
        }
      }
    }
    return rows
  }

  /// Fills the three attempts; returns the index of the one with the least sum of magnitudes.
  private static func filter(
    _ line: UnsafeBufferPointer<UInt8>, above: UnsafeBufferPointer<UInt8>,
    into tries: inout [[UInt8]]
  ) -> Int {
    var sums = (0, 0, 0)
    func size(_ byte: UInt8) -> Int { Int(byte < 128 ? byte : 0 &- byte) }
    for index in line.indices {
      let left = index >= 3 ? line[index - 3] : 0
      let corner = index >= 3 ? above[index - 3] : 0
      let (value, up) = (line[index], above[index])
      let estimate = Int(left) + Int(up) - Int(corner)
      let (a, b, c) = (
        abs(estimate - Int(left)), abs(estimate - Int(up)), abs(estimate - Int(corner))
      )
      let nearest = a <= b && a <= c ? left : b <= c ? up : corner
      let (sub, upper, paeth) = (value &- left, value &- up, value &- nearest)
      (tries[0][index], tries[1][index], tries[2][index]) = (sub, upper, paeth)
      sums.0 += size(sub)
      sums.1 += size(upper)
      sums.2 += size(paeth)
    }
    return sums.2 <= sums.0 && sums.2 <= sums.1 ? 2 : sums.1 <= sums.0 ? 1 : 0
  }
}
