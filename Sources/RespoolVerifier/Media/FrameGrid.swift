import CVerifier
import RespoolMedia

/// The planes of a pixel format as grids of components, which are filled and compared.
struct FrameGrid {
  let planes: [measure_plane]
  /// Bytes of a row of each plane, without padding.
  let rowBytes: [Int]
  /// Planes whose values survive a codec without loss of meaning.
  ///
  /// A palette may be sorted, and components that a format leaves undefined may have any value.
  let comparable: [Int]

  /// Greatest mean squared difference of a decoded plane, in 8-bit levels.
  ///
  /// 20 dB: a codec at a low bit rate is far better, and another content is worse.
  static let tolerance = 650.0

  init?(_ format: PixelFormat, width: Int, height: Int) {
    guard let layout = format.layout else { return nil }
    let isPalette = layout.family == .palette
    var planes: [measure_plane] = []
    var rowBytes: [Int] = []
    for index in 0..<layout.planeCount {
      let bytes = layout.rowBytes(ofPlane: index, for: width)
      let step = isPalette ? 1 : layout.bytesPerPixel[index]
      let isPacked = layout.bytesPerPixel.count == 1 && layout.family == .yuv
      let component = layout.depth == 32 ? 4 : layout.depth > 8 ? 2 : 1
      let hasParts = layout.depth >= 8 && !isPacked && !isPalette && step > 0
      planes.append(
        measure_plane(
          columns: Int32(bytes / component),
          rows: Int32(layout.height(ofPlane: index, for: height)),
          interleave: Int32(hasParts ? step / component : 1), first: Int32(index),
          bytes: Int32(component), shift: Int32(layout.bitsBelowEight),
          big_endian: layout.isBigEndian ? 1 : 0))
      rowBytes.append(bytes)
    }
    self.planes = planes
    self.rowBytes = rowBytes
    let hasUnused =
      layout.family == .rgb && layout.bytesPerPixel == [4] && layout.componentCount == 3
    comparable = isPalette || hasUnused ? [] : Array(planes.indices)
  }

  /// Fills a plane with the moment `time`.
  func fill(_ plane: Int, at base: UnsafeMutablePointer<UInt8>, stride: Int, time: Int) {
    withUnsafePointer(to: planes[plane]) { measure_fill($0, base, stride, Int64(time)) }
  }

  /// Returns the mean squared difference of a frame's plane from the moment `time`, in 8-bit levels.
  ///
  /// `pattern` is the plane whose content is expected, `isFlipped` expects the last row first.
  func difference(
    _ frame: Frame, plane: Int, time: Int, pattern: Int? = nil, isFlipped: Bool = false,
    columns: Range<Int32>? = nil, rows: Range<Int32>? = nil
  ) -> Double {
    var expected = planes[plane]
    if let pattern { expected.first = planes[pattern].first }
    var base = UnsafeRawPointer(frame.planes[plane].base)
    var stride = frame.planes[plane].stride
    if isFlipped {
      base += (Int(expected.rows) - 1) * stride
      stride = -stride
    }
    let columns = columns ?? 0..<expected.columns
    let rows = rows ?? 0..<expected.rows
    return withUnsafePointer(to: expected) {
      measure_difference(
        $0, base.assumingMemoryBound(to: UInt8.self), stride, Int64(time), columns.lowerBound,
        columns.upperBound, rows.lowerBound, rows.upperBound)
    }
  }

  /// Returns the greatest difference of a frame's planes from the moment `time`, and its plane.
  func difference(_ frame: Frame, time: Int) -> (value: Double, plane: Int) {
    var worst = (value: 0.0, plane: 0)
    for plane in comparable {
      let value = difference(frame, plane: plane, time: time)
      if value > worst.value { worst = (value, plane) }
    }
    return worst
  }
}
