import CRespool
public import RespoolMedia

/// Where a muxer writes. Valid while the muxer lives; used by the thread that calls it.
// Sendable: the host's functions may be called from whichever thread calls the muxer.
public final class ByteSink: @unchecked Sendable {
  private let sink: rsp_sink

  /// `sink` stays valid as long as the muxer it was given to.
  init(_ sink: rsp_sink) { self.sink = sink }

  /// False: only `write` works.
  public var isSeekable: Bool { sink.seekable != 0 }

  /// Bytes written so far: the offset that the next write goes to.
  public var size: Int64 { sink.size(sink.context) }

  /// Appends `bytes`.
  public func write(_ bytes: [UInt8]) throws(MediaError) {
    let status = bytes.withUnsafeBytes { part -> rsp_status in
      guard let base = part.baseAddress else { return rsp_status(RSP_OK) }
      return sink.write(sink.context, base, part.count)
    }
    try check(status)
  }

  /// Appends the payload of `packet`; a range of the source does not pass through the plugin.
  public func write(payloadOf packet: Packet) throws(MediaError) {
    try check(packet.withLent { sink.write_payload(sink.context, $0) })
  }

  /// Overwrites bytes that were written before.
  public func overwrite(at offset: Int64, with bytes: [UInt8]) throws(MediaError) {
    let status = bytes.withUnsafeBytes { part -> rsp_status in
      guard let base = part.baseAddress else { return rsp_status(RSP_OK) }
      return sink.write_at(sink.context, offset, base, part.count)
    }
    try check(status)
  }

  /// Makes room at `offset`, moving everything behind it, and writes `bytes` there.
  public func insert(_ bytes: [UInt8], at offset: Int64) throws(MediaError) {
    let status = bytes.withUnsafeBytes { part -> rsp_status in
      guard let base = part.baseAddress else { return rsp_status(RSP_OK) }
      return sink.insert(sink.context, offset, base, part.count)
    }
    try check(status)
  }

  private func check(_ status: rsp_status) throws(MediaError) {
    guard status < 0 else { return }
    throw MediaError(MediaError.Code(rawValue: status), "the output could not be written")
  }
}
