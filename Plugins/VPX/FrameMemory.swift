import CVPX
import RespoolPlugin
import Synchronization

/// Memory into which libvpx decodes and which frames then retain.
///
/// It is reused after both have released it.
// Sendable: the free list is guarded by the mutex.
final class FrameMemory: Sendable {
  /// The memory of one frame, retained once by libvpx and by each frame made from it.
  // Sendable: only the decoder writes, before it returns the frame.
  final class Block: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer
    private let home: FrameMemory

    fileprivate init(_ bytes: UnsafeMutableRawBufferPointer, home: FrameMemory) {
      self.bytes = bytes
      self.home = home
    }

    deinit { home.take(back: bytes) }
  }

  private struct Free: @unchecked Sendable {
    var blocks: [UnsafeMutableRawBufferPointer] = []
  }

  /// Maximum size of a frame in bytes.
  ///
  /// 16384x16384 at 12 bits with 4:4:4 exceeds it.
  private static let limit = 1 << 30

  private let free = Mutex(Free())

  deinit { free.withLock { $0.blocks.forEach { $0.deallocate() } } }

  /// Returns a block of at least `count` bytes.
  ///
  /// `nil` if that exceeds the maximum.
  func block(_ count: Int) -> Block? {
    guard count > 0, count <= Self.limit else { return nil }
    let used = free.withLock { free -> UnsafeMutableRawBufferPointer? in
      while let last = free.blocks.popLast() {
        if last.count >= count, last.count <= count * 2 { return last }
        last.deallocate()
      }
      return nil
    }
    if let used { return Block(used, home: self) }
    let fresh = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 64)
    // libvpx reads the border before writing it (vpx_frame_buffer.h requires zeros).
    fresh.initializeMemory(as: UInt8.self, repeating: 0)
    return Block(fresh, home: self)
  }

  private func take(back bytes: UnsafeMutableRawBufferPointer) {
    nonisolated(unsafe) let bytes = bytes
    let isKept = free.withLock { free in
      guard free.blocks.count < 8 else { return false }
      free.blocks.append(bytes)
      return true
    }
    if !isKept { bytes.deallocate() }
  }
}

extension FrameMemory {
  /// Makes the decoder use this memory, which must outlive the decoder.
  func serve(_ context: UnsafeMutablePointer<vpx_codec_ctx_t>) -> vpx_codec_err_t {
    vpx_codec_set_frame_buffer_functions(
      context,
      { owner, count, buffer in
        guard let owner, let buffer else { return -1 }
        let memory = Unmanaged<FrameMemory>.fromOpaque(owner).takeUnretainedValue()
        guard let block = memory.block(count) else { return -1 }
        buffer.pointee.data = block.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        buffer.pointee.size = block.bytes.count
        buffer.pointee.priv = Unmanaged.passRetained(block).toOpaque()
        return 0
      },
      { _, buffer in
        guard let buffer, let priv = buffer.pointee.priv else { return 0 }
        Unmanaged<Block>.fromOpaque(priv).release()
        buffer.pointee.priv = nil
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }
}
