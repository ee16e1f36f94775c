import CVPX
import RespoolPlugin
import Synchronization

/// Memory into which libvpx decodes and which frames then retain.
///
/// It is reused after both have released it.
final class FrameMemory: Sendable {
  /// The use of memory for one frame, retained once by libvpx and by each frame made from it.
  final class Block: Sendable {
    private let memory: Memory
    private let home: FrameMemory

    fileprivate init(_ memory: Memory, home: FrameMemory) {
      self.memory = memory
      self.home = home
    }

    deinit { home.take(back: memory) }

    var bytes: UnsafeMutableRawBufferPointer { memory.bytes }
  }

  // Sendable: the pointer is constant. The bytes belong to one block at a time; only the decoder that requested the
  // block writes to them, before it returns the frame.
  fileprivate final class Memory: @unchecked Sendable {
    let bytes: UnsafeMutableRawBufferPointer

    init(count: Int) {
      bytes = .allocate(byteCount: count, alignment: 64)
      // libvpx reads the border before writing it (vpx_frame_buffer.h requires zeros).
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { bytes.deallocate() }
  }

  /// Maximum size of a frame in bytes.
  ///
  /// 16384x16384 at 12 bits with 4:4:4 exceeds it.
  private static let limit = 1 << 30

  private let free = Mutex<[Memory]>([])

  /// Returns a block of at least `count` bytes.
  ///
  /// `nil` if that exceeds the maximum.
  func block(_ count: Int) -> Block? {
    guard count > 0, count <= Self.limit else { return nil }
    let used = free.withLock { free -> Memory? in
      while let last = free.popLast() {
        if last.bytes.count >= count, last.bytes.count <= count * 2 { return last }
      }
      return nil
    }
    return Block(used ?? Memory(count: count), home: self)
  }

  private func take(back memory: Memory) {
    free.withLock { if $0.count < 8 { $0.append(memory) } }
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
