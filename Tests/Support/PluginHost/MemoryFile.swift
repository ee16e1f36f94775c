public import CRespool
public import RespoolPlugin

/// A file in memory that demuxers read and muxers write.
public final class MemoryFile {
  public var bytes: [UInt8]
  let name: UnsafePointer<CChar>
  private let arena = CArena()
  /// `true` if the file cannot seek and its source reports no size.
  public var isStream = false
  /// The file that contains payloads given as ranges, when this file is written.
  ///
  /// `nil` for this file.
  public var origin: MemoryFile?
  /// The status of failing reads and writes.
  ///
  /// `nil` if they succeed.
  public var failure: rsp_status?
  public var isCancelled = false
  /// The number of read calls.
  public private(set) var reads = 0

  public init(_ bytes: [UInt8] = [], name: String = "test.bin") {
    self.bytes = bytes
    self.name = arena.string(name)
  }

  /// Returns the bytes of a packet's payload, read from the file if it is a range.
  public func payload(of packet: Packet) -> [UInt8] {
    switch packet.payload {
    case .bytes(let buffer): return Array(buffer.readOnly)
    case .range(let offset, let length): return slice(offset, Int(length))
    }
  }

  private func slice(_ offset: Int64, _ count: Int) -> [UInt8] {
    guard offset >= 0, offset < bytes.count else { return [] }
    return Array(bytes[Int(offset)...].prefix(count))
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> MemoryFile? {
    context.map { Unmanaged<MemoryFile>.fromOpaque($0).takeUnretainedValue() }
  }

  private var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// Valid as long as the file.
  public var source: rsp_source {
    rsp_source(
      struct_size: UInt32(MemoryLayout<rsp_source>.size), seekable: isStream ? 0 : 1,
      context: context, size: isStream ? -1 : Int64(bytes.count), name: name,
      read_at: { context, offset, target, count in
        guard let file = MemoryFile.of(context) else { return -8 }
        file.reads += 1
        if let failure = file.failure { return Int64(failure) }
        guard offset >= 0, offset < file.bytes.count else { return 0 }
        let part = file.bytes[Int(offset)...].prefix(count)
        UnsafeMutableRawBufferPointer(start: target, count: count).copyBytes(from: part)
        return Int64(part.count)
      },
      cancelled: { MemoryFile.of($0)?.isCancelled == false ? 0 : 1 })
  }

  /// The file as a source of a demuxer that is linked instead of loaded.
  public var byteSource: ByteSource { ByteSource(source) }

  /// The file as a sink of a muxer that is linked instead of loaded.
  public var byteSink: ByteSink { ByteSink(sink) }

  /// Valid as long as the file.
  public var sink: rsp_sink {
    rsp_sink(
      struct_size: UInt32(MemoryLayout<rsp_sink>.size), seekable: isStream ? 0 : 1,
      context: context,
      write: { context, source, count in
        guard let file = MemoryFile.of(context) else { return -8 }
        if let failure = file.failure { return failure }
        file.bytes += UnsafeRawBufferPointer(start: source, count: count)
        return 0
      },
      write_payload: { context, packet in
        guard let file = MemoryFile.of(context) else { return -8 }
        if let failure = file.failure { return failure }
        let packet = Packet(retaining: packet)
        file.bytes += (file.origin ?? file).payload(of: packet)
        return 0
      },
      write_at: { context, offset, source, count in
        guard let file = MemoryFile.of(context), offset >= 0,
          Int(offset) + count <= file.bytes.count
        else { return -5 }
        let part = Array(UnsafeRawBufferPointer(start: source, count: count))
        file.bytes.replaceSubrange(Int(offset)..<Int(offset) + count, with: part)
        return 0
      },
      insert: { context, offset, source, count in
        guard let file = MemoryFile.of(context), offset >= 0, Int(offset) <= file.bytes.count
        else { return -5 }
        file.bytes.insert(
          contentsOf: UnsafeRawBufferPointer(start: source, count: count), at: Int(offset))
        return 0
      },
      size: { context in Int64(MemoryFile.of(context)?.bytes.count ?? 0) })
  }
}
