import CConversion
import RespoolMedia

/// Ring buffer for rows of up to four planes: row r is in slot `r & mask`.
final class RowRing {
  /// Bytes from one row to the next.
  let stride: Int
  private let mask: Int
  private let planeBytes: Int
  private let memory: UnsafeMutableRawPointer

  /// Creates a ring; `mask` is a power of two minus one, or `UInt32.max` for all `height` rows.
  init(width: Int, height: Int, elementSize: Int, planes: Int, mask: UInt32) {
    // One more row at the end, because vector code writes whole registers.
    stride = (width * elementSize + 127) & ~63
    // A height that is not a power of two has no mask; all its rows are kept then.
    let rows = mask == .max ? height : min(Int(mask) + 1, 1 << 16)
    self.mask = mask == .max ? Int(UInt32.max) : Int(mask)
    planeBytes = stride * (rows + 1)
    memory = .allocate(byteCount: planeBytes * planes, alignment: 64)
  }

  deinit { memory.deallocate() }

  func row(_ plane: Int, _ row: Int) -> UnsafeMutableRawPointer {
    memory + plane * planeBytes + (row & mask) * stride
  }

  func plane(_ plane: Int) -> respool_plane {
    respool_plane(
      data: memory + plane * planeBytes, stride: stride, mask: UInt32(truncatingIfNeeded: mask))
  }
}

/// Ring buffers of one pass, reused for every frame.
struct RowRings {
  var source: RowRing
  var target: RowRing?
  /// Alpha of the rows that are being blended.
  var alpha: RowRing?
}

/// Palette split into tables for R, G, B and A.
struct Palette {
  private(set) var tables: [[UInt8]]

  /// Reads 256 native words 0xAARRGGBB; if `blended`, the colors are blended over black.
  init(_ plane: Frame.Plane, blended: Bool) {
    tables = [[UInt8]](repeating: [UInt8](repeating: 0, count: 256), count: 4)
    for index in 0..<256 {
      let word = plane.base.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)
      let alpha = word >> 24
      for (target, shift) in [UInt32(16), 8, 0].enumerated() {
        let value = word >> shift & 0xFF
        tables[target][index] = UInt8(
          truncatingIfNeeded: blended ? (value * alpha + 127) / 255 : value)
      }
      tables[3][index] = UInt8(truncatingIfNeeded: alpha)
    }
  }
}
