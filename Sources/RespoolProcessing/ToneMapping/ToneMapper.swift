import CConversion
import Glibc
import RespoolMedia

/// Maps the tones of frames, by tables computed from a ``ToneMapping``.
///
/// The error is less than a tenth of an 8-bit code.
final class ToneMapper {
  private var tones = respool_tones()
  private let tables: [UnsafeMutableBufferPointer<Float>]

  init(_ mapping: ToneMapping) {
    let isScene = mapping.transfer == .hybridLogGamma
    let codes = 1 << RESPOOL_LIGHT_BITS
    let light = Self.table(codes + 1) { index in
      let code = min(Double(index << (16 - RESPOOL_LIGHT_BITS)) / 65535, 1)
      return isScene
        ? HybridLogGamma.decode(code) : PerceptualQuantizer.decode(code) / ToneMapping.white
    }
    let system = Self.curve(from: -24, to: 0) {
      HybridLogGamma.peak / ToneMapping.white * pow($0, HybridLogGamma.systemGamma - 1)
    }
    let scale = Self.curve(from: -2, to: 7) {
      mapping.mapped($0 * ToneMapping.white) / ($0 * ToneMapping.white)
    }
    let code = Self.curve(from: -24, to: 0) { pow($0, 1 / 2.4) }
    tables = [light, system, scale, code]

    func floats(_ vector: SIMD3<Double>) -> (Float, Float, Float) {
      (Float(vector.x), Float(vector.y), Float(vector.z))
    }
    tones.light = UnsafePointer(light.baseAddress)
    tones.system = isScene ? UnsafePointer(system.baseAddress) : nil
    tones.scale = UnsafePointer(scale.baseAddress)
    tones.code = UnsafePointer(code.baseAddress)
    tones.scene_luminance = floats(mapping.sourceLuminance)
    tones.luminance = floats(mapping.targetLuminance)
    let rows = mapping.matrix.rows.map(floats)
    tones.matrix = (
      rows[0].0, rows[0].1, rows[0].2, rows[1].0, rows[1].1, rows[1].2, rows[2].0, rows[2].1,
      rows[2].2
    )
    tones.knee = Float(mapping.kneeLight / ToneMapping.white)
  }

  deinit { for table in tables { table.deallocate() } }

  private static func table(_ count: Int, _ value: (Int) -> Double)
    -> UnsafeMutableBufferPointer<Float>
  {
    let table = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
    for index in 0..<count { table.initializeElement(at: index, to: Float(value(index))) }
    return table
  }

  /// Returns a table of a curve from one power of two to another, with one more entry after its end.
  private static func curve(from first: Int, to end: Int, _ value: (Double) -> Double)
    -> UnsafeMutableBufferPointer<Float>
  {
    let steps = 1 << RESPOOL_CURVE_BITS
    return table((end - first) * steps + 2) { index in
      value(scalbn(1 + Double(index % steps) / Double(steps), first + index / steps))
    }
  }

  /// Writes the tone-mapped `source` to `target`: frames in gbrp16le or gbrap16le, both of one size.
  ///
  /// Alpha is copied unchanged.
  func convert(_ source: Frame, into target: Frame) {
    // Planes are in the order green, blue, red and alpha, with rows of at least `width` 16-bit values. Both
    // frames are from a pool or have been checked by `FrameConverter`.
    let order = [2, 0, 1]
    for row in 0..<source.height {
      func start(_ frame: Frame, _ plane: Int) -> UnsafeMutableRawPointer {
        frame.planes[plane].base + row * frame.planes[plane].stride
      }
      let from = order.map {
        Optional(UnsafePointer(start(source, $0).assumingMemoryBound(to: UInt16.self)))
      }
      let to = order.map { Optional(start(target, $0).assumingMemoryBound(to: UInt16.self)) }
      withUnsafePointer(to: tones) { respool_map_tones($0, from, to, source.width) }
      if source.planes.count > 3, target.planes.count > 3 {
        start(target, 3).copyMemory(from: start(source, 3), byteCount: 2 * source.width)
      }
    }
  }
}
