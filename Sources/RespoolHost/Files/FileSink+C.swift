import CRespool
import RespoolMedia

extension FileSink {
  /// Sink in the form of the plugin ABI, for muxers.
  ///
  /// Valid while `self` lives.
  var cSink: rsp_sink {
    rsp_sink(
      struct_size: structSize(rsp_sink.self), seekable: 1,
      context: Unmanaged.passUnretained(self).toOpaque(),
      write: { context, bytes, count in
        call(context) { (sink) throws(MediaError) in
          try sink.write(UnsafeRawBufferPointer(start: bytes, count: count))
        }
      },
      write_payload: { context, packet in
        call(context) { (sink) throws(MediaError) in
          if let data = packet.pointee.buffer.data {
            // Written before the call returns: no reference is needed.
            try sink.write(UnsafeRawBufferPointer(start: data, count: packet.pointee.buffer.size))
          } else {
            try sink.copy(
              rangeAt: packet.pointee.range_offset, length: packet.pointee.range_length)
          }
        }
      },
      write_at: { context, offset, bytes, count in
        call(context) { (sink) throws(MediaError) in
          try sink.write(UnsafeRawBufferPointer(start: bytes, count: count), at: offset)
        }
      },
      insert: { context, offset, bytes, count in
        call(context) { (sink) throws(MediaError) in
          try sink.insert(UnsafeRawBufferPointer(start: bytes, count: count), at: offset)
        }
      },
      size: { context in
        guard let context else { return 0 }
        return Unmanaged<FileSink>.fromOpaque(context).takeUnretainedValue().size
      })
  }
}

private func call(
  _ context: UnsafeMutableRawPointer?, _ body: (FileSink) throws(MediaError) -> Void
) -> rsp_status {
  guard let context else { return rsp_status(RSP_ERROR_ARGUMENT) }
  do throws(MediaError) {
    try body(Unmanaged<FileSink>.fromOpaque(context).takeUnretainedValue())
    return rsp_status(RSP_OK)
  } catch { return error.code.rawValue }
}
