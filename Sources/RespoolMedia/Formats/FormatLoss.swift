extension PixelFormat {
  /// Minimum ``loss(to:)`` of a change between Y'CbCr and RGB, which does not keep the source exactly.
  package static let colorModelLoss = 100

  /// Returns a measure of the loss of a change to another format.
  ///
  /// Lost components count most, then bits and chroma that are added without need.
  package func loss(to target: PixelFormat) -> Int {
    guard let a = layout, let b = target.layout else { return .max }
    // Gray has no chroma to lose; a palette has full-resolution color.
    let (ax, ay) = a.family == .gray ? (2, 2) : (a.log2ChromaWidth, a.log2ChromaHeight)
    let allLost = a.family == .gray ? 2 : 9
    let (bx, by) =
      b.family == .gray ? (allLost, allLost) : (b.log2ChromaWidth, b.log2ChromaHeight)
    let isRGB = { (layout: PixelLayout) in layout.family == .rgb || layout.family == .palette }
    var loss = 0
    loss += max(0, a.depth - b.depth) * 10_000
    loss += (a.hasAlpha && !b.hasAlpha ? 1 : 0) * 5_000
    loss += (max(0, bx - ax) + max(0, by - ay)) * 1_000
    loss += (isRGB(a) != isRGB(b) ? 1 : 0) * Self.colorModelLoss
    loss += max(0, b.depth - a.depth) * 10
    loss += max(0, ax - bx) + max(0, ay - by)
    loss += b.hasAlpha && !a.hasAlpha ? 1 : 0
    return loss
  }

  /// Returns the format to which a change loses least, the first of several; `nil` for an empty list.
  package func nearest(among formats: [PixelFormat]) -> PixelFormat? {
    formats.min { loss(to: $0) < loss(to: $1) }
  }
}

extension SampleFormat {
  /// Returns a measure of the loss of a change to another format.
  package func loss(to target: SampleFormat) -> Int {
    // Bits that are stored exactly: a float has 24 of them, and no clipping.
    func bits(_ format: SampleFormat) -> Int {
      switch format.interleaved {
      case .u8: 8
      case .s16: 16
      case .s32: 32
      case .flt: 24
      default: 53
      }
    }
    func isFloat(_ format: SampleFormat) -> Bool {
      format.interleaved == .flt || format.interleaved == .dbl
    }
    var loss = max(0, bits(self) - bits(target)) * 1000
    loss += isFloat(self) && !isFloat(target) ? 500 : 0
    loss += max(0, bits(target) - bits(self)) * 4
    loss += isFloat(target) && !isFloat(self) ? 2 : 0
    loss += isPlanar != target.isPlanar ? 1 : 0
    return loss
  }

  /// Returns the format to which a change loses least, the first of several; `nil` for an empty list.
  package func nearest(among formats: [SampleFormat]) -> SampleFormat? {
    formats.min { loss(to: $0) < loss(to: $1) }
  }
}
