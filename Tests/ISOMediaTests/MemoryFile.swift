import CRespool
import RespoolMedia

@testable import RespoolPlugin

/// A file in memory that a muxer writes and a demuxer reads.
// Sendable: each test uses its own file from one thread.
final class MemoryFile: @unchecked Sendable {
  var bytes: [UInt8]

  init(_ bytes: [UInt8] = []) { self.bytes = bytes }

  /// The file as a source; it must outlive the source.
  var source: ByteSource {
    ByteSource(
      rsp_source(
        struct_size: UInt32(MemoryLayout<rsp_source>.size), seekable: 1,
        context: Unmanaged.passUnretained(self).toOpaque(), size: Int64(bytes.count),
        name: Self.name,
        read_at: { context, offset, target, count in
          guard let file = MemoryFile.at(context), offset >= 0 else { return -1 }
          let start = Int(min(offset, Int64(file.bytes.count)))
          let part = min(count, file.bytes.count - start)
          file.bytes[start..<start + part].withUnsafeBytes {
            if let base = $0.baseAddress { target.copyMemory(from: base, byteCount: part) }
          }
          return Int64(part)
        }, cancelled: { _ in 0 }))
  }

  /// The file as a sink; packets must carry bytes.
  var sink: ByteSink {
    ByteSink(
      rsp_sink(
        struct_size: UInt32(MemoryLayout<rsp_sink>.size), seekable: 1,
        context: Unmanaged.passUnretained(self).toOpaque(),
        write: { context, data, count in
          MemoryFile.at(context)?.bytes += UnsafeRawBufferPointer(start: data, count: count)
          return 0
        },
        write_payload: { context, packet in
          let buffer = packet.pointee.buffer
          guard let data = buffer.data else { return -1 }
          MemoryFile.at(context)?.bytes += UnsafeBufferPointer(start: data, count: buffer.size)
          return 0
        },
        write_at: { context, offset, data, count in
          MemoryFile.at(context)?.bytes.replaceSubrange(
            Int(offset)..<Int(offset) + count,
            with: UnsafeRawBufferPointer(start: data, count: count))
          return 0
        },
        insert: { context, offset, data, count in
          MemoryFile.at(context)?.bytes.insert(
            contentsOf: UnsafeRawBufferPointer(start: data, count: count), at: Int(offset))
          return 0
        },
        size: { Int64(MemoryFile.at($0)?.bytes.count ?? 0) }))
  }

  private static func at(_ context: UnsafeMutableRawPointer?) -> MemoryFile? {
    context.map { Unmanaged<MemoryFile>.fromOpaque($0).takeUnretainedValue() }
  }

  // Lives as long as the process and is immutable after its initialization.
  private nonisolated(unsafe) static let name: UnsafePointer<CChar> = {
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
    text.initialize(to: 0)
    return UnsafePointer(text)
  }()
}
