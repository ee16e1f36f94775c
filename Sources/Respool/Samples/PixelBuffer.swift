public import RespoolMedia

/// A picture in memory.
///
/// Read it as long as you hold it. Write only to one that you got from a pool or made yourself, and
/// only before handing it on.
public final class PixelBuffer: Sendable {
  /// The picture with its planes, format and colour.
  public let frame: Frame

  /// Takes a picture over; nil for sound.
  public init?(_ frame: Frame) {
    guard frame.kind == .video else { return nil }
    self.frame = frame
  }

  /// Memory of its own, not initialised; nil for a format that is not known or sides not within
  /// 1 to 32,768.
  public convenience init?(width: Int, height: Int, pixelFormat: PixelFormat) {
    guard let frame = Frame(pixelFormat: pixelFormat, width: width, height: height) else {
      return nil
    }
    self.init(frame)
  }

  public var width: Int { frame.width }
  public var height: Int { frame.height }
  public var pixelFormat: PixelFormat { frame.pixelFormat }
  public var planeCount: Int { frame.planes.count }

  /// Calls `body` with the rows of a plane: its memory and the bytes from one row to the next.
  ///
  /// The memory is valid within `body`. Throws `invalidArgument` for a plane that is not there or is
  /// stored bottom up.
  public func withPlane<R>(
    _ plane: Int, _ body: (UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> R
  ) throws -> R {
    guard frame.planes.indices.contains(plane), let layout = pixelFormat.layout,
      frame.planes[plane].stride > 0
    else { throw MediaError(.invalidArgument, "plane \(plane) of a \(pixelFormat) picture") }
    let rows = layout.height(ofPlane: plane, for: height)
    let stride = frame.planes[plane].stride
    let count = stride * (rows - 1) + layout.rowBytes(ofPlane: plane, for: width)
    return try withExtendedLifetime(frame.buffer) {
      try body(
        UnsafeMutableRawBufferPointer(start: frame.planes[plane].base, count: count), stride)
    }
  }
}
