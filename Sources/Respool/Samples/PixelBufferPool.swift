public import RespoolMedia
import Synchronization

/// Pool of frames of one pixel format and size, whose memory is used again.
///
/// Memory returns to the pool, from any thread, when the last reference to a frame is gone. The pool may be released
/// before its frames.
public final class PixelBufferPool: Sendable {
  public let attributes: PixelBufferAttributes
  /// Number of buffers that are allocated at creation and kept by `flush`.
  public let minimumBufferCount: Int

  private struct Memory {
    var idle: [MediaBuffer] = []
    /// Number of buffers, idle or in use.
    var count = 0
  }

  private let memory = Mutex(Memory())
  private let places: [(offset: Int, stride: Int)]
  private let size: Int

  /// Creates a pool.
  ///
  /// Throws `invalidArgument` for an unknown pixel format, sides not within 1 to 32,768, or a minimum not within 0 to
  /// 1024.
  public init(attributes: PixelBufferAttributes, minimumBufferCount: Int = 0) throws(MediaError) {
    guard (0...1024).contains(minimumBufferCount),
      let template = Frame(
        pixelFormat: attributes.pixelFormat, width: attributes.width, height: attributes.height)
    else {
      throw MediaError(
        .invalidArgument,
        "a pool cannot have \(minimumBufferCount.counting("frame")) of \(attributes.pixelFormat), "
          + "\(attributes.width)x\(attributes.height)")
    }
    self.attributes = attributes
    self.minimumBufferCount = minimumBufferCount
    let base = template.planes[0].base
    places = template.planes.map { ($0.base - base, $0.stride) }
    let size = template.buffer.count
    self.size = size
    memory.withLock { memory in
      memory.idle = (0..<minimumBufferCount).map { _ in MediaBuffer(zeros: size) }
      memory.count = minimumBufferCount
    }
  }

  /// Number of buffers, idle or in use.
  public var bufferCount: Int { memory.withLock { $0.count } }

  /// Returns a frame of zeros, or one with the content that the last user of its memory left.
  ///
  /// Throws `limitExceeded` if no buffer is idle and there are `allocationThreshold` or more buffers. The caller
  /// should then wait until some have returned.
  public func makePixelBuffer(allocationThreshold: Int = .max) throws(MediaError) -> PixelBuffer {
    enum Answer {
      case reused(MediaBuffer)
      case fresh
      case full(Int)
    }
    let answer: Answer = memory.withLock { memory in
      if let buffer = memory.idle.popLast() { return .reused(buffer) }
      guard memory.count < allocationThreshold else { return .full(memory.count) }
      memory.count += 1
      return .fresh
    }
    let buffer: MediaBuffer
    switch answer {
    case .reused(let idle): buffer = idle
    case .fresh: buffer = MediaBuffer(zeros: size)
    case .full(let count):
      throw MediaError(
        .limitExceeded,
        "\(count.counting("frame", "is", "are")) in use; the threshold is \(allocationThreshold)")
    }
    let lent = MediaBuffer(borrowing: buffer.bytes) { self.takeBack(buffer) }
    guard let base = buffer.bytes.baseAddress else {
      throw MediaError(.internal, "a frame of the pool has no memory")
    }
    var frame = Frame(
      kind: .video, pts: nil,
      planes: places.map { Frame.Plane(base: base + $0.offset, stride: $0.stride) }, buffer: lent)
    frame.pixelFormat = attributes.pixelFormat
    (frame.width, frame.height) = (attributes.width, attributes.height)
    guard let picture = PixelBuffer(frame, cleanAperture: nil, isOwn: true) else {
      throw MediaError(.internal, "the pool returned audio")
    }
    return picture
  }

  private func takeBack(_ buffer: MediaBuffer) {
    memory.withLock { $0.idle.append(buffer) }
  }

  /// Frees idle buffers down to the minimum.
  public func flush() {
    let freed = memory.withLock { memory in
      let excess = min(memory.idle.count, max(0, memory.count - minimumBufferCount))
      let freed = Array(memory.idle.suffix(excess))
      memory.idle.removeLast(excess)
      memory.count -= excess
      return freed
    }
    withExtendedLifetime(freed) {}
  }
}
