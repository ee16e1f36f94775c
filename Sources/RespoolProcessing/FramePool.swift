package import RespoolMedia
import Synchronization

/// Provides memory for frames and reuses it for later frames.
///
/// New memory costs a page fault for every 4 KiB, which takes longer than scaling a frame. A buffer returns
/// to the pool when its last reference is released, on any thread. The pool may be released before its
/// frames.
// Sendable: the mutex guards the only mutable state.
package final class FramePool: Sendable {
  /// Unused memory blocks by size.
  ///
  /// The pool owns the addresses while they are stored here.
  private struct Idle {
    var blocks: [Int: [UInt]] = [:]
    var bytes = 0
  }

  private let idle = Mutex(Idle())
  private let limit: Int

  /// Creates a pool that keeps at most `limit` unused bytes; memory returned beyond that is freed.
  package init(limit: Int = 256 << 20) { self.limit = limit }

  deinit {
    idle.withLock { idle in
      for address in idle.blocks.values.joined() { Self.free(address) }
    }
  }

  /// Number of bytes currently unused.
  package var idleBytes: Int { idle.withLock { $0.bytes } }

  /// Returns memory for `count` bytes, aligned to 64: zeros, or the contents of an earlier frame.
  package func buffer(count: Int) -> MediaBuffer {
    // Sizes are rounded so that frames whose sizes differ by a few bytes share blocks.
    let size = (max(count, 1) + 64 + 4095) & ~4095
    let reused: UInt? = idle.withLock { idle in
      guard let address = idle.blocks[size]?.popLast() else { return nil }
      idle.bytes -= size
      return address
    }
    let address = reused ?? Self.allocate(size)
    return MediaBuffer(
      borrowing: UnsafeMutableRawBufferPointer(
        start: UnsafeMutableRawPointer(bitPattern: address), count: count)
    ) { self.takeBack(address, size: size) }
  }

  private func takeBack(_ address: UInt, size: Int) {
    let freed: [UInt] = idle.withLock { idle in
      var freed: [UInt] = []
      if idle.bytes + size > limit {
        // The frame size has changed: blocks of other sizes are freed first.
        for (other, blocks) in idle.blocks where other != size {
          freed += blocks
          idle.bytes -= other * blocks.count
          idle.blocks[other] = nil
        }
      }
      if idle.bytes + size > limit {
        freed.append(address)
      } else {
        idle.blocks[size, default: []].append(address)
        idle.bytes += size
      }
      return freed
    }
    for address in freed { Self.free(address) }
  }

  private static func allocate(_ size: Int) -> UInt {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    // A client can read the memory between rows, which is never written.
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    return UInt(bitPattern: memory)
  }

  private static func free(_ address: UInt) {
    UnsafeMutableRawPointer(bitPattern: address)?.deallocate()
  }
}

extension FramePool {
  /// Returns a video frame with memory from the pool: zeros, or the contents of an earlier frame.
  ///
  /// Rows are aligned to 64 bytes. Every plane has spare rows up to a height that is a multiple of 8, so that
  /// a scaler may write whole blocks. Returns `nil` if the format is unknown or a side is not within 1 to
  /// 32,768.
  package func video(pixelFormat: PixelFormat, width: Int, height: Int, pts: Int64? = nil)
    -> Frame?
  {
    Frame(
      pixelFormat: pixelFormat, width: width, height: height, pts: pts, rowMultiple: 8,
      allocate: buffer(count:))
  }

  /// Returns an audio frame with memory from the pool: zeros, or the contents of an earlier frame.
  ///
  /// Returns `nil` if the format is unknown, the number of channels is not within 1 to 64, or there are no
  /// audio samples.
  package func audio(
    sampleFormat: SampleFormat, channelLayout: ChannelLayout, sampleRate: Int, sampleCount: Int,
    pts: Int64? = nil
  ) -> Frame? {
    Frame(
      sampleFormat: sampleFormat, channelLayout: channelLayout, sampleRate: sampleRate,
      sampleCount: sampleCount, pts: pts, allocate: buffer(count:))
  }
}
