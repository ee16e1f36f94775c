import RespoolMedia
import TestFixtures
import Testing

@testable import RespoolPipeline
@testable import RespoolHost
@testable import RespoolProcessing

@Suite struct HashTests {
  @Test(arguments: [
    // RFC 1321 appendix A.5.
    ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
    ("abc", "900150983cd24fb0d6963f7d28e17f72"),
    ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    (
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
      "d174ab98d277d9f5a5611c2c9f419d9f"
    ),
    (
      "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "57edf4a22be3c955ac49da2e2107b67a"
    ),
  ])
  func `hashes are the known ones`(text: String, hash: String) {
    #expect(MD5.hex(text.utf8) == hash)
  }

  @Test func `hashes of parts are the hash of the whole`() {
    let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = MD5.hex(bytes)
    for size in [1, 3, 63, 64, 65, 127, 500] {
      var hash = MD5()
      for first in stride(from: 0, to: bytes.count, by: size) {
        Array(bytes[first..<min(first + size, bytes.count)]).withUnsafeBytes { hash.update($0) }
      }
      #expect(hash.finalizeHex() == whole)
    }
  }

  @Test(arguments: PixelFormat.allCases)
  func `frames are packed without padding`(format: PixelFormat) throws {
    let frame = try FrameFixture.counting(format, 33, 7)
    var bytes: [UInt8] = []
    try HashPacking.pack(frame) { bytes.append(contentsOf: $0) }
    #expect(bytes == FrameFixture.allBytes(frame))
    #expect(bytes.count == frame.byteCount)
    #expect(try HashPacking.md5(frame) == MD5.hex(bytes))
  }

  @Test func `planar audio is interleaved`() throws {
    let frame = try #require(
      Frame(sampleFormat: .s16p, channelLayout: .stereo, sampleRate: 8000, sampleCount: 3000))
    for index in 0..<3000 {
      for channel in 0..<2 {
        frame.planes[channel].base.storeBytes(
          of: Int16(channel * 10000 + index), toByteOffset: index * 2, as: Int16.self)
      }
    }
    var bytes: [UInt8] = []
    try HashPacking.pack(frame) { bytes.append(contentsOf: $0) }
    let expected = (0..<3000).flatMap { index in
      [index, index + 10000].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    }
    #expect(bytes == expected)
    #expect(frame.byteCount == bytes.count)
  }

  @Test func `memory returns to the pool`() throws {
    let pool = FramePool(limit: 1 << 20)
    var frame = pool.video(pixelFormat: .yuv420p, width: 100, height: 100)
    let address = frame?.planes[0].base
    #expect(pool.idleBytes == 0)
    frame = nil
    #expect(pool.idleBytes > 0)
    frame = pool.video(pixelFormat: .yuv420p, width: 100, height: 100)
    #expect(frame?.planes[0].base == address)
    #expect(pool.idleBytes == 0)
  }

  @Test func `the pool keeps no more than its limit`() throws {
    let pool = FramePool(limit: 100_000)
    var buffers = (0..<10).map { _ in pool.buffer(count: 30_000) }
    buffers.removeAll()
    #expect(pool.idleBytes <= 100_000)
    _ = pool.buffer(count: 90_000)
    #expect(pool.idleBytes <= 100_000)
    _ = pool.buffer(count: 200_000)
    #expect(pool.idleBytes <= 100_000)
  }

  @Test func `frames may outlive the pool`() throws {
    var pool: FramePool? = FramePool()
    let buffer = try #require(pool?.buffer(count: 10))
    pool = nil
    buffer.bytes.storeBytes(of: 7, as: UInt8.self)
    #expect(buffer.bytes[0] == 7)
  }
}
