public import RespoolMedia
import Synchronization

/// A picture in memory.
///
/// Read it as long as you hold it. Write to one that you got from a pool or made yourself, and only
/// before handing it on; `withMutablePlane` copies what others see, so that it is right for any.
public final class PixelBuffer: Sendable {
  struct State: Sendable {
    var frame: Frame
    var cleanAperture: CleanAperture?
    var custom: [String: String] = [:]
    /// Whether nobody but this library's own references can see the memory.
    var isOwn = false
  }

  let state: Mutex<State>

  /// The picture with its planes, format and colour.
  public var frame: Frame { state.withLock { $0.frame } }

  /// Takes a picture over; nil for sound.
  public convenience init?(_ frame: Frame) { self.init(frame, cleanAperture: nil) }

  init?(_ frame: Frame, cleanAperture: CleanAperture?, isOwn: Bool = false) {
    guard frame.kind == .video else { return nil }
    state = Mutex(State(frame: frame, cleanAperture: cleanAperture, isOwn: isOwn))
  }

  /// A picture of zeros in memory of its own; `nil` if the format is unknown or a side is not within 1 to 32,768.
  public convenience init?(width: Int, height: Int, pixelFormat: PixelFormat) {
    guard let frame = Frame(pixelFormat: pixelFormat, width: width, height: height) else {
      return nil
    }
    frame.buffer.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    self.init(frame, cleanAperture: nil, isOwn: true)
  }

  public var width: Int { frame.width }
  public var height: Int { frame.height }
  public var pixelFormat: PixelFormat { frame.pixelFormat }
  public var planeCount: Int { frame.planes.count }

  /// Samples in a row of a plane; 0 for a plane that is not there.
  public func width(ofPlane plane: Int) -> Int {
    guard let layout = pixelFormat.layout, (0..<layout.planeCount).contains(plane) else { return 0 }
    return layout.width(ofPlane: plane, for: width)
  }

  /// Rows of a plane; 0 for a plane that is not there.
  public func height(ofPlane plane: Int) -> Int {
    guard let layout = pixelFormat.layout, (0..<layout.planeCount).contains(plane) else { return 0 }
    return layout.height(ofPlane: plane, for: height)
  }

  /// Bytes from one row of a plane to the next; 0 for a plane that is not there.
  public func bytesPerRow(ofPlane plane: Int) -> Int {
    let frame = frame
    return frame.planes.indices.contains(plane) ? frame.planes[plane].stride : 0
  }

  /// Calls `body` with the rows of a plane: its memory and the bytes from one row to the next.
  ///
  /// The memory is valid within `body`. Throws `invalidArgument` for a plane that is not there or is
  /// stored bottom up.
  public func withPlane<R>(
    _ plane: Int, _ body: (UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> R
  ) throws -> R {
    let frame = frame
    guard frame.planes.indices.contains(plane), let layout = frame.pixelFormat.layout,
      plane < layout.planeCount, frame.planes[plane].stride > 0
    else { throw MediaError(.invalidArgument, "plane \(plane) of a \(frame.pixelFormat) picture") }
    let rows = layout.height(ofPlane: plane, for: frame.height)
    let stride = frame.planes[plane].stride
    let count = stride * (rows - 1) + layout.rowBytes(ofPlane: plane, for: frame.width)
    return try withExtendedLifetime(frame.buffer) {
      try body(
        UnsafeMutableRawBufferPointer(start: frame.planes[plane].base, count: count), stride)
    }
  }

  /// The same for writing: where others see the memory too, a copy is made first and kept.
  ///
  /// One thread at a time. Throws as `withPlane` does.
  public func withMutablePlane<R>(
    _ plane: Int, _ body: (UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> R
  ) throws -> R {
    let isCopied = state.withLock { state in
      // A decoder may go on reading memory of which we hold the only reference.
      if state.isOwn, isKnownUniquelyReferenced(&state.frame.buffer) { return true }
      guard let copy = state.frame.copied() else { return false }
      state.frame = copy
      state.isOwn = true
      return true
    }
    guard isCopied else {
      throw MediaError(.invalidArgument, "a \(pixelFormat) picture cannot be copied")
    }
    return try withPlane(plane, body)
  }
}
