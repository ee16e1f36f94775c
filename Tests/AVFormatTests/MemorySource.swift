import CRespool

@testable import RespoolPlugin

/// A file in memory as a byte source.
final class MemorySource {
  private let bytes: [UInt8]
  private let name: UnsafeMutablePointer<CChar>
  /// The number of read calls.
  private(set) var reads = 0
  var isCancelled = false

  init(_ bytes: [UInt8], name: String) {
    self.bytes = bytes
    let characters = name.utf8CString
    self.name = .allocate(capacity: characters.count)
    self.name.initialize(from: Array(characters), count: characters.count)
  }

  deinit { name.deallocate() }

  /// Valid while `self` lives.
  var source: ByteSource {
    ByteSource(
      rsp_source(
        struct_size: UInt32(MemoryLayout<rsp_source>.size), seekable: 1,
        context: Unmanaged.passUnretained(self).toOpaque(), size: Int64(bytes.count), name: name,
        read_at: { context, offset, target, count in
          guard let context else { return Int64(RSP_ERROR_IO) }
          let memory = Unmanaged<MemorySource>.fromOpaque(context).takeUnretainedValue()
          memory.reads += 1
          guard offset < memory.bytes.count else { return 0 }
          let part = memory.bytes[Int(offset)...].prefix(count)
          UnsafeMutableRawBufferPointer(start: target, count: count).copyBytes(from: part)
          return Int64(part.count)
        },
        cancelled: { context in
          guard let context else { return 1 }
          let memory = Unmanaged<MemorySource>.fromOpaque(context).takeUnretainedValue()
          return memory.isCancelled ? 1 : 0
        }))
  }
}
