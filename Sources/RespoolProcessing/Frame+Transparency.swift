import RespoolMedia

extension Frame {
  /// `true` if the frame has an alpha channel in which a pixel is not opaque.
  ///
  /// `false` for floating point, which is not examined.
  package var isTransparent: Bool {
    guard kind == .video, let layout = pixelFormat.layout, layout.hasAlpha, !layout.isFloat else {
      return false
    }
    if layout.family == .palette { return hasTransparentPaletteEntry }
    guard layout.bytesPerPixel.count == 4 else { return isPackedTransparent(layout) }
    // Planar formats are little-endian.
    let plane = planes[3]
    let isByte = layout.bytesPerPixel[3] == 1
    let opaque = UInt16(truncatingIfNeeded: (1 << layout.depth) - 1)
    for row in 0..<height {
      let base = plane.base + row * plane.stride
      for x in 0..<width {
        let value =
          isByte
          ? UInt16(base.load(fromByteOffset: x, as: UInt8.self))
          : UInt16(littleEndian: base.load(fromByteOffset: 2 * x, as: UInt16.self))
        if value < opaque { return true }
      }
    }
    return false
  }

  /// `true` if some pixel uses a palette entry that is not opaque.
  private var hasTransparentPaletteEntry: Bool {
    guard planes.count == 2 else { return false }
    var isOpaque = [Bool](repeating: true, count: 256)
    for entry in 0..<256 {
      let color = planes[1].base.load(fromByteOffset: 4 * entry, as: UInt32.self)
      isOpaque[entry] = color >> 24 == 0xFF
    }
    guard isOpaque.contains(false) else { return false }
    for row in 0..<height {
      let base = planes[0].base + row * planes[0].stride
      for x in 0..<width where !isOpaque[Int(base.load(fromByteOffset: x, as: UInt8.self))] {
        return true
      }
    }
    return false
  }

  private func isPackedTransparent(_ layout: PixelLayout) -> Bool {
    guard layout.depth == 8 || layout.depth == 16, layout.bytesPerPixel.count == 1,
      let plane = planes.first
    else { return false }
    let step = layout.bytesPerPixel[0]
    // An opaque component has all bits set in every byte.
    let size = layout.depth / 8
    let place = layout.name.hasPrefix("a") ? 0 : step - size
    for row in 0..<height {
      let base = plane.base + row * plane.stride + place
      for x in 0..<width {
        for byte in 0..<size
        where base.load(fromByteOffset: x * step + byte, as: UInt8.self) < 0xFF { return true }
      }
    }
    return false
  }
}
