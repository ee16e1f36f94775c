public import RespoolMedia

/// Contact sheet: images in rows and columns, each with a label.
public struct ImageSheet: Sendable {
  /// Number of columns, at least 1; the last row may be shorter.
  public var columns: Int
  /// Space between and around the images, in pixels.
  public var gap = 4
  /// Gray value of the background, from 0 black to 255 white.
  public var background: UInt8 = 24

  public init(columns: Int) { self.columns = max(1, columns) }

  private static let mostPixels = 1 << 28

  /// Draws the sheet in 24-bit RGB; cells are as large as the largest image, and images are centered in them.
  ///
  /// `images` are 24-bit RGB; labels may be empty. Throws `invalidArgument` if there are no images, if one has
  /// another format, or if the sheet would be too large.
  public func draw(_ images: [(image: PixelBuffer, label: String)]) throws(MediaError)
    -> PixelBuffer
  {
    guard !images.isEmpty, images.allSatisfy({ $0.image.pixelFormat == .rgb24 }) else {
      throw MediaError(.invalidArgument, "a sheet needs images in 24-bit RGB")
    }
    let cell = images.reduce((width: 1, height: 1)) {
      (max($0.width, $1.image.width), max($0.height, $1.image.height))
    }
    let gap = boundedGap
    let columns = min(columns, images.count)
    let (width, height) = try size(
      of: images.count, VideoDimensions(width: cell.width, height: cell.height))
    guard let sheet = Frame(pixelFormat: .rgb24, width: width, height: height) else {
      throw MediaError(.internal, "no memory for a sheet of \(width)x\(height)")
    }
    let plane = sheet.planes[0]
    for row in 0..<height {
      (plane.base + row * plane.stride).initializeMemory(
        as: UInt8.self, repeating: background, count: width * 3)
    }
    for (index, (image, label)) in images.enumerated() {
      let left = gap + index % columns * (cell.width + gap) + (cell.width - image.width) / 2
      let top = gap + index / columns * (cell.height + gap) + (cell.height - image.height) / 2
      copy(image.frame, to: sheet, left, top)
      if !label.isEmpty {
        let size = min(max(9, Double(cell.width) / 20), 28)
        try write(
          label, size, on: sheet, left, bottom: top + image.height, width: image.width,
          height: image.height)
      }
    }
    guard let result = PixelBuffer(sheet) else {
      throw MediaError(.internal, "a sheet has no usable pixel format")
    }
    return result
  }

  private var boundedGap: Int { min(max(0, gap), 1024) }

  /// Returns the size of a sheet of `count` images, the largest of which is as large as `cell`.
  ///
  /// Throws `invalidArgument` if that is too large, or for less than one image.
  public func size(of count: Int, _ cell: VideoDimensions) throws(MediaError) -> (
    width: Int, height: Int
  ) {
    let sides = 1...32768
    // Limits the count so that nothing below overflows.
    guard (1...1 << 40).contains(count), sides.contains(cell.width), sides.contains(cell.height)
    else {
      throw MediaError(
        .invalidArgument, "a sheet cannot have \(count) images of \(cell.width)x\(cell.height)")
    }
    let columns = min(max(1, columns), count)
    let rows = (count - 1) / columns + 1
    let (across, down) = (cell.width + boundedGap, cell.height + boundedGap)
    let size = (width: columns * across + boundedGap, height: rows * down + boundedGap)
    guard size.width <= 32767, size.height <= 32767,
      size.width * size.height <= Self.mostPixels
    else {
      let most = min(32767, Self.mostPixels / min(size.width, 32767))
      let fits =
        size.width > 32767
        ? "at most \((32767 - boundedGap) / across) of \(cell.width)x\(cell.height) fit in a row"
        : "\((most - boundedGap) / down * columns) of \(cell.width)x\(cell.height) fit"
      throw MediaError(
        .invalidArgument,
        "the sheet would have \(size.width)x\(size.height) pixels; sides may be 1 to 32767, with "
          + "\(Self.mostPixels) pixels in all: use fewer or smaller images; \(fits)")
    }
    return size
  }

  private func copy(_ image: Frame, to sheet: Frame, _ left: Int, _ top: Int) {
    let (from, to) = (image.planes[0], sheet.planes[0])
    withExtendedLifetime((image.buffer, sheet.buffer)) {
      for row in 0..<image.height {
        (to.base + (top + row) * to.stride + left * 3).copyMemory(
          from: from.base + row * from.stride, byteCount: image.width * 3)
      }
    }
  }

  /// Draws a label at the lower left of an image, clipped to it.
  private func write(
    _ label: String, _ size: Double, on sheet: Frame, _ left: Int, bottom: Int, width: Int,
    height: Int
  ) throws(MediaError) {
    let margin = size / 3
    let text = OverlayText(
      label, font: "Sans Bold", size: size, outline: .init(width: max(1, size / 10)))
    let drawing = try OverlayDrawing(.text(text), scale: 1, wrapWidth: 0)
    let columns = min(width, Int((drawing.size.width + 2 * margin).rounded(.up)) + 2)
    let rows = min(height, Int((drawing.size.height + 2 * margin).rounded(.up)) + 2)
    guard columns > 0, rows > 0 else { return }
    var pixels = [UInt32](repeating: 0, count: columns * rows)
    try drawing.paint(
      &pixels, width: columns, height: rows, x: margin,
      y: Double(rows) - margin - drawing.size.height, scaleX: 1, scaleY: 1)
    let plane = sheet.planes[0]
    withExtendedLifetime(sheet.buffer) {
      for row in 0..<rows {
        let line =
          (plane.base + (bottom - rows + row) * plane.stride + left * 3)
          .assumingMemoryBound(to: UInt8.self)
        for column in 0..<columns {
          let pixel = pixels[row * columns + column]
          let rest = 255 - (pixel >> 24)
          guard rest < 255 else { continue }
          for (channel, shift) in [UInt32(16), 8, 0].enumerated() {
            // Premultiplied: only the background is weighted.
            let behind = (UInt32(line[column * 3 + channel]) * rest + 127) / 255
            line[column * 3 + channel] = UInt8(min(255, (pixel >> shift & 0xFF) + behind))
          }
        }
      }
    }
  }
}
