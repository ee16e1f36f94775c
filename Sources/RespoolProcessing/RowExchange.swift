import CConversion
import RespoolMedia

/// Rows that one run of a scaling graph reads and writes.
///
/// The scaler accesses planes directly if it can use them unchanged. All others go through ring buffers of a
/// few rows, which are filled and emptied on the scaler's request. These are packed formats, unaligned
/// planes, and frames that must be padded.
///
/// All unsafe memory access of video frame conversion is in this type and the row functions it calls. It is
/// safe for these reasons. Rows are clamped to those of the planes, and columns to their width.
/// `FrameConverter` has checked that each frame has the planes, strides and alignment of its format. Ring
/// buffers are as wide as the padded frame.
final class RowExchange {
  /// Source or target of the run.
  struct Side {
    var arrangement: SampleArrangement
    var planes: [Frame.Plane]
    /// Width of the whole frame.
    var width: Int
    /// Height of the whole frame.
    var height: Int
    /// Width that the graph uses.
    var paddedWidth: Int
    /// Height that the graph uses.
    var paddedHeight: Int
    /// First row and distance of rows: 0 and 1 for a frame, 0 or 1 and 2 for a field.
    var firstRow = 0
    var rowStep = 1
  }

  /// Treatment of the source's alpha.
  enum Alpha { case none, kept, blended }

  let source: Side
  let target: Side
  let alpha: Alpha
  let isSourceFullRange: Bool
  private(set) var sourcePlanes: [respool_plane]
  private(set) var targetPlanes: [respool_plane]
  let needsUnpacking: Bool
  let needsPacking: Bool
  private let sourceRing: RowRing?
  private let targetRing: RowRing?
  private let alphaRow: RowRing?
  private let palette: Palette?

  init(
    source: Side, target: Side, alpha: Alpha, isSourceFullRange: Bool, rings: RowRings
  ) {
    self.source = source
    self.target = target
    self.alpha = alpha
    self.isSourceFullRange = isSourceFullRange
    let empty = respool_plane(data: nil, stride: 0, mask: 0)
    let padded =
      source.paddedWidth != source.width || source.paddedHeight * source.rowStep != source.height
    needsUnpacking =
      padded || alpha == .blended || !source.arrangement.isPlanar
      || !source.planes.allSatisfy(Self.isAligned)
    needsPacking = !target.arrangement.isPlanar
    sourcePlanes = [empty, empty, empty, empty]
    targetPlanes = [empty, empty, empty, empty]
    palette =
      source.arrangement.packing == .palette
      ? Palette(source.planes[1], blended: alpha == .blended) : nil
    sourceRing = needsUnpacking ? rings.source : nil
    targetRing = needsPacking ? rings.target : nil
    alphaRow = alpha == .blended ? rings.alpha : nil

    for component in source.arrangement.components {
      if component.target == 3 && alpha != .kept { continue }
      sourcePlanes[component.target] =
        sourceRing?.plane(component.target) ?? Self.direct(source, component)
    }
    for component in target.arrangement.components {
      if component.target == 3 && alpha != .kept { continue }
      targetPlanes[component.target] =
        targetRing?.plane(component.target) ?? Self.direct(target, component)
    }
  }

  /// Returns `true` if address and stride are multiples of 32, as zimg requires.
  private static func isAligned(_ plane: Frame.Plane) -> Bool {
    (Int(bitPattern: plane.base) | plane.stride) & 31 == 0
  }

  private static func direct(_ side: Side, _ component: SampleArrangement.Component)
    -> respool_plane
  {
    let plane = side.planes[component.plane]
    return respool_plane(
      data: plane.base + side.firstRow * plane.stride, stride: plane.stride * side.rowStep,
      mask: .max)
  }

  // MARK: Source to ring

  /// Fills the rows of the ring that begin at `row`: one, or as many as share a chroma row.
  func unpack(row: Int, left: Int, right: Int) {
    guard let ring = sourceRing else { return }
    let layout = source.arrangement.layout
    let right = min(right, source.paddedWidth)
    for line in row..<(row + 1 << layout.log2ChromaHeight) {
      if let alphaRow, palette == nil, let component = source.arrangement.components.last {
        let first = left & ~((1 << layout.log2ChromaWidth) - 1)
        let last = min(source.paddedWidth, (right | ((1 << layout.log2ChromaWidth) - 1)) + 1)
        fill(component, line: line, columns: first..<last, into: alphaRow.row(0, line))
      }
      for component in source.arrangement.components where !component.isChroma {
        if component.target == 3 && alpha != .kept { continue }
        let into = ring.row(component.target, line)
        fill(component, line: line, columns: left..<right, into: into)
        if let alphaRow, palette == nil {
          blendLuma(into, alphaRow.row(0, line), columns: left..<right)
        }
      }
    }
    let first = left >> layout.log2ChromaWidth
    let last = (right + (1 << layout.log2ChromaWidth) - 1) >> layout.log2ChromaWidth
    for component in source.arrangement.components where component.isChroma {
      let line = row >> layout.log2ChromaHeight
      let into = ring.row(component.target, line)
      fill(component, line: line, columns: first..<last, into: into)
      if let alphaRow { blendChroma(into, alphaRow, firstLine: row, columns: first..<last) }
    }
  }

  /// Unpacks one row of one component; outside the frame the last row and value are repeated.
  private func fill(
    _ component: SampleArrangement.Component, line: Int, columns: Range<Int>,
    into: UnsafeMutableRawPointer
  ) {
    let layout = source.arrangement.layout
    let (width, height) =
      component.isChroma
      ? (
        (source.width + (1 << layout.log2ChromaWidth) - 1) >> layout.log2ChromaWidth,
        (source.height + (1 << layout.log2ChromaHeight) - 1) >> layout.log2ChromaHeight
      ) : (source.width, source.height)
    let rowsOfField = max(1, (height - source.firstRow + source.rowStep - 1) / source.rowStep)
    let row = min(
      min(line, rowsOfField - 1) * source.rowStep + source.firstRow, height - 1)
    let plane = source.planes[component.plane]
    let from = UnsafeRawPointer(plane.base + row * plane.stride)
    let lower = min(columns.lowerBound, width - 1)
    let upper = min(columns.upperBound, width)
    if lower < upper {
      unpackRow(
        source.arrangement, component, palette, from: from, columns: lower..<upper, into: into)
    }
    if columns.upperBound > width {
      repeatSample(
        into, at: width - 1, through: columns.upperBound, size: source.arrangement.elementSize)
    }
  }

  // MARK: Alpha

  private func blendLuma(
    _ row: UnsafeMutableRawPointer, _ alpha: UnsafeMutableRawPointer, columns: Range<Int>
  ) {
    let depth = source.arrangement.depth
    let isRGB = source.arrangement.layout.family == .rgb
    let black = isRGB || isSourceFullRange ? 0 : 16 << max(0, depth - 8)
    blend(
      row, over: black, alpha: alpha, columns: columns, shift: 0, lines: 1, alphaStride: 0,
      elementSize: source.arrangement.elementSize, depth: depth)
  }

  private func blendChroma(
    _ row: UnsafeMutableRawPointer, _ alpha: RowRing, firstLine: Int, columns: Range<Int>
  ) {
    let layout = source.arrangement.layout
    let depth = source.arrangement.depth
    blend(
      row, over: 1 << (depth - 1), alpha: alpha.row(0, firstLine), columns: columns,
      shift: layout.log2ChromaWidth, lines: 1 << layout.log2ChromaHeight, alphaStride: alpha.stride,
      elementSize: source.arrangement.elementSize, depth: depth)
  }

  // MARK: Ring to target

  /// Writes the finished rows of the ring to the target.
  func pack(row: Int, left: Int, right: Int) {
    guard let ring = targetRing else { return }
    let layout = target.arrangement.layout
    for component in target.arrangement.components {
      if component.target == 3 && alpha != .kept { continue }
      let (shiftX, shiftY) =
        component.isChroma ? (layout.log2ChromaWidth, layout.log2ChromaHeight) : (0, 0)
      // Packed 4:2:2 has pairs of pixels: frames of odd width also store the second pixel of the last pair.
      let isPaired = layout.family == .yuv && layout.bytesPerPixel.count == 1
      let pixels = isPaired ? (target.width + 1) & ~1 : target.width
      let width = (pixels + (1 << shiftX) - 1) >> shiftX
      let height = (target.height + (1 << shiftY) - 1) >> shiftY
      let columns = (left >> shiftX)..<min(width, (right + (1 << shiftX) - 1) >> shiftX)
      guard !columns.isEmpty else { continue }
      let lines =
        component.isChroma
        ? row >> shiftY..<(row >> shiftY) + 1 : row..<(row + 1 << layout.log2ChromaHeight)
      for line in lines {
        let place = line * target.rowStep + target.firstRow
        guard place < height else { break }
        let plane = target.planes[component.plane]
        packRow(
          target.arrangement, component, from: ring.row(component.target, line),
          columns: columns, into: plane.base + place * plane.stride)
      }
    }
  }
}
