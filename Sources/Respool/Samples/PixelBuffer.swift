public import RespoolMedia
import Synchronization

/// A frame in memory.
///
/// It can be read as long as it is referenced. Write only to a buffer that came from a pool or that you created, and
/// only before passing it on. `withMutablePlane` copies memory that others can read, so it is safe for any buffer.
public final class PixelBuffer: Sendable {
  struct State: Sendable {
    var frame: Frame
    var cleanAperture: CleanAperture?
    var custom: [String: String] = [:]
    /// `true` if only this library's own references can reach the memory.
    var isOwn = false
  }

  let state: Mutex<State>

  /// The frame with its planes, pixel format and color.
  public var frame: Frame { state.withLock { $0.frame } }

  /// Creates a buffer of a decoded frame without copying it; `nil` for audio.
  public convenience init?(_ frame: Frame) { self.init(frame, cleanAperture: nil) }

  init?(_ frame: Frame, cleanAperture: CleanAperture?, isOwn: Bool = false) {
    guard frame.kind == .video else { return nil }
    state = Mutex(State(frame: frame, cleanAperture: cleanAperture, isOwn: isOwn))
  }

  /// Creates a frame of zeros; `nil` if the format is unknown or a side is not within 1 to 32,768.
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

  /// Returns the number of samples in a row of a plane; 0 if the plane does not exist.
  public func width(ofPlane plane: Int) -> Int {
    guard let layout = pixelFormat.layout, (0..<layout.planeCount).contains(plane) else { return 0 }
    return layout.width(ofPlane: plane, for: width)
  }

  /// Returns the number of rows of a plane; 0 if the plane does not exist.
  public func height(ofPlane plane: Int) -> Int {
    guard let layout = pixelFormat.layout, (0..<layout.planeCount).contains(plane) else { return 0 }
    return layout.height(ofPlane: plane, for: height)
  }

  /// Returns the bytes from one row of a plane to the next; 0 if the plane does not exist.
  public func bytesPerRow(ofPlane plane: Int) -> Int {
    let frame = frame
    return frame.planes.indices.contains(plane) ? frame.planes[plane].stride : 0
  }

  /// Calls `body` with the rows of a plane: its memory and the bytes from one row to the next.
  ///
  /// The memory is valid within `body`. Throws `invalidArgument` for a plane that does not exist or is stored bottom
  /// up.
  public func withPlane<R>(
    _ plane: Int, _ body: (UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> R
  ) throws -> R {
    let frame = frame
    guard frame.planes.indices.contains(plane), let layout = frame.pixelFormat.layout,
      plane < layout.planeCount, frame.planes[plane].stride > 0
    else {
      throw MediaError(.invalidArgument, "a \(frame.pixelFormat) frame has no plane \(plane)")
    }
    let rows = layout.height(ofPlane: plane, for: frame.height)
    let stride = frame.planes[plane].stride
    let count = stride * (rows - 1) + layout.rowBytes(ofPlane: plane, for: frame.width)
    return try withExtendedLifetime(frame.buffer) {
      try body(
        UnsafeMutableRawBufferPointer(start: frame.planes[plane].base, count: count), stride)
    }
  }

  /// Calls `body` with the rows of a plane for writing; copies the frame first if others can see its memory.
  ///
  /// The copy replaces the frame. For one thread at a time. Throws as `withPlane` does.
  public func withMutablePlane<R>(
    _ plane: Int, _ body: (UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> R
  ) throws -> R {
    let isCopied = state.withLock { state in
      // A decoder may go on reading memory to which this is the only reference.
      if state.isOwn, isKnownUniquelyReferenced(&state.frame.buffer) { return true }
      guard let copy = state.frame.copied() else { return false }
      state.frame = copy
      state.isOwn = true
      return true
    }
    guard isCopied else {
      throw MediaError(.invalidArgument, "a \(pixelFormat) frame cannot be copied")
    }
    return try withPlane(plane, body)
  }
}
