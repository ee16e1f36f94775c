import Glibc
import RespoolMedia

/// A map from a plane of the canvas to the same plane of a frame.
struct SampleMap {
  /// Transform from the canvas's components to the frame's: x' = a x + c y + tx, y' = b x + d y + ty.
  ///
  /// Components lie at whole numbers.
  private let map: Transform
  private let columns: ClosedRange<Int>
  private let rows: ClosedRange<Int>
  private let plane: Int
  /// Offsets from the position of a canvas component at which the frame is sampled.
  ///
  /// In components of the frame, 32.32 fixed point.
  private let places: [(x: Int, y: Int)]
  /// The map in two passes, if the frame is not rotated.
  private let separable: SeparableMap?

  /// Creates the map of a plane.
  ///
  /// `inverse` maps pixels of the canvas to pixels of the frame. `bounds` is the layer's rectangle on the canvas.
  init(
    plane: Int, _ inverse: Transform, frame: Frame, crop: Rectangle, bounds: PixelBounds,
    _ target: CompositionTarget
  ) {
    self.plane = plane
    let shift = target.shifts(ofPlane: plane)
    let origin = target.origin(ofPlane: plane)
    let (unitX, unitY) = (Double(1 << shift.x), Double(1 << shift.y))
    let toPixels = Transform(a: unitX, b: 0, c: 0, d: unitY, tx: origin.x, ty: origin.y)
    let toSamples = Transform(
      a: 1 / unitX, b: 0, c: 0, d: 1 / unitY, tx: -origin.x / unitX, ty: -origin.y / unitY)
    let map = toPixels.concatenating(inverse).concatenating(toSamples)
    self.map = map
    let width = (frame.width + (1 << shift.x) - 1) >> shift.x
    let height = (frame.height + (1 << shift.y) - 1) >> shift.y
    // Components outside the crop must not affect those at its edges.
    let left = min(max(Int((crop.x / unitX).rounded(.down)), 0), width - 1)
    let top = min(max(Int((crop.y / unitY).rounded(.down)), 0), height - 1)
    columns = left...min(max(Int((crop.maxX / unitX).rounded(.up)) - 1, left), width - 1)
    rows = top...min(max(Int((crop.maxY / unitY).rounded(.up)) - 1, top), height - 1)
    func count(_ x: Double, _ y: Double) -> Int {
      Int(min(max((hypot(x, y) - 1e-6).rounded(.up), 1), 8))
    }
    let (across, down) = (count(map.a, map.b), count(map.c, map.d))
    if map.b == 0 && map.c == 0 {
      let samples = bounds.samples(shift)
      separable = SeparableMap(
        across: SampleTaps(
          samples.x, scale: map.a, offset: map.tx, places: across, within: columns),
        down: SampleTaps(samples.y, scale: map.d, offset: map.ty, places: down, within: rows),
        width: width)
    } else {
      separable = nil
    }
    places = (0..<down).flatMap { line in
      (0..<across).map { column in
        let x = (Double(column) + 0.5) / Double(across) - 0.5
        let y = (Double(line) + 0.5) / Double(down) - 0.5
        return (Self.fixed(map.a * x + map.c * y), Self.fixed(map.b * x + map.d * y))
      }
    }
  }

  /// Returns a number as 32.32 fixed point, clamped to 100,000,000, which is far outside any frame.
  private static func fixed(_ value: Double) -> Int {
    Int((min(max(value, -1e8), 1e8) * 0x1p32).rounded())
  }

  private func start(_ column: Int, _ row: Int) -> (x: Int, y: Int) {
    let place = map.apply(Double(column), Double(row))
    return (Self.fixed(place.x), Self.fixed(place.y))
  }

  /// Writes the components of an opaque frame for `columns` of a row of the canvas.
  func sample(
    _ frame: Frame, depth: Int, row: Int, columns: Range<Int>, into: UnsafeMutableRawPointer
  ) {
    let source = frame.planes[plane]
    if depth == 8 {
      sample(UInt8.self, source, row, columns, into.assumingMemoryBound(to: UInt8.self))
    } else {
      sample(UInt16.self, source, row, columns, into.assumingMemoryBound(to: UInt16.self))
    }
  }

  @inline(__always)
  private func sample<T: FixedWidthInteger & UnsignedInteger>(
    _: T.Type, _ source: Frame.Plane, _ row: Int, _ columns: Range<Int>,
    _ into: UnsafeMutablePointer<T>
  ) {
    if let separable {
      separable.sample(T.self, source, row: row, columns: columns, into: into)
      return
    }
    var (x, y) = start(columns.lowerBound, row)
    let (stepX, stepY) = (Self.fixed(map.a), Self.fixed(map.b))
    if places.count == 1 {
      for index in 0..<columns.count {
        into[index] = T(
          truncatingIfNeeded: (between(T.self, source, x, y) &+ (1 &<< 31)) &>> 32)
        x &+= stepX
        y &+= stepY
      }
      return
    }
    let count = places.count
    for index in 0..<columns.count {
      var sum = 0
      for place in places { sum &+= between(T.self, source, x &+ place.x, y &+ place.y) &>> 8 }
      into[index] = T(truncatingIfNeeded: (sum &+ count &<< 23) / (count &<< 24))
      x &+= stepX
      y &+= stepY
    }
  }

  /// Returns the bilinear interpolation of four components, multiplied by 2 to the power of 32.
  @inline(__always)
  private func between<T: FixedWidthInteger & UnsignedInteger>(
    _: T.Type, _ source: Frame.Plane, _ x: Int, _ y: Int
  ) -> Int {
    let (column, line) = (x &>> 32, y &>> 32)
    let left = min(max(column, columns.lowerBound), columns.upperBound)
    let right = min(max(column &+ 1, columns.lowerBound), columns.upperBound)
    let top = min(max(line, rows.lowerBound), rows.upperBound)
    let bottom = min(max(line &+ 1, rows.lowerBound), rows.upperBound)
    let (partX, partY) = (x &>> 16 & 0xFFFF, y &>> 16 & 0xFFFF)
    let upper = (source.base + top &* source.stride).assumingMemoryBound(to: T.self)
    let lower = (source.base + bottom &* source.stride).assumingMemoryBound(to: T.self)
    let above =
      Int(truncatingIfNeeded: upper[left]) &* (65536 &- partX)
      &+ Int(truncatingIfNeeded: upper[right]) &* partX
    let below =
      Int(truncatingIfNeeded: lower[left]) &* (65536 &- partX)
      &+ Int(truncatingIfNeeded: lower[right]) &* partX
    return above &* (65536 &- partY) &+ below &* partY
  }

  /// Writes the components of a frame with alpha, and multiplies `weights` by its alpha.
  ///
  /// Before the call, `weights` hold the coverage. Components are weighted by their alpha, so that transparent pixels
  /// do not affect the color of their neighbors.
  func sample(
    _ frame: Frame, _ alpha: AlphaPlane, plane: Int, depth: Int, row: Int, columns: Range<Int>,
    into: UnsafeMutableRawPointer, weights: UnsafeMutablePointer<LayerWeight>
  ) {
    let source = frame.planes[self.plane]
    var (x, y) = start(columns.lowerBound, row)
    let (stepX, stepY) = (Self.fixed(map.a), Self.fixed(map.b))
    for index in 0..<columns.count {
      var (color, seen) = (0.0, 0.0)
      for place in places {
        let (x, y) = (x &+ place.x, y &+ place.y)
        let (partX, partY) = (Double(x & 0xFFFF_FFFF) * 0x1p-32, Double(y & 0xFFFF_FFFF) * 0x1p-32)
        for (line, weightY) in [(y &>> 32, 1 - partY), (y &>> 32 &+ 1, partY)] {
          let line = min(max(line, rows.lowerBound), rows.upperBound)
          let alphas = alpha.row(line, ofPlane: plane)
          let samples = source.base + line &* source.stride
          for (column, weightX) in [(x &>> 32, 1 - partX), (x &>> 32 &+ 1, partX)] {
            let column = min(max(column, self.columns.lowerBound), self.columns.upperBound)
            let share = Double(alphas[column]) * weightX * weightY
            let code =
              depth == 8
              ? Double(samples.load(fromByteOffset: column, as: UInt8.self))
              : Double(samples.load(fromByteOffset: column &* 2, as: UInt16.self))
            seen += share
            color += share * code
          }
        }
      }
      let code = seen > 0 ? Int((color / seen).rounded()) : 0
      if depth == 8 {
        into.storeBytes(of: UInt8(truncatingIfNeeded: code), toByteOffset: index, as: UInt8.self)
      } else {
        into.storeBytes(
          of: UInt16(truncatingIfNeeded: code), toByteOffset: index * 2, as: UInt16.self)
      }
      let opacity = seen / (Double(places.count) * 32767)
      weights[index] = LayerWeight(opacity: opacity).scaled(by: weights[index])
      x &+= stepX
      y &+= stepY
    }
  }
}
