import RespoolPlugin

extension DisplayMatrix {
  /// Number of bytes of a matrix in side data.
  static let ffmpegByteCount = 9 * MemoryLayout<Int32>.size

  /// Reads nine native 32-bit numbers in the order of the ISO box.
  ///
  /// A singular matrix, which would show nothing, becomes the identity.
  init(ffmpeg bytes: UnsafeRawPointer) {
    let m = (0..<9).map { bytes.loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self) }
    self.init(a: m[0], b: m[1], c: m[3], d: m[4], x: m[6], y: m[7], u: m[2], v: m[5], w: m[8])
    if isSingular { self = .identity }
  }
}
