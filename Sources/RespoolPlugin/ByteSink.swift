package import CRespool
public import RespoolMedia

/// The output of a muxer.
///
/// Valid while the muxer lives; used by the thread that calls it.
public final class ByteSink {
  private let sink: rsp_sink

  /// Creates a sink; `sink` must stay valid as long as the muxer that receives it.
  package init(_ sink: rsp_sink) { self.sink = sink }

  /// `true` if ``overwrite(at:with:)`` and ``insert(_:at:)`` work; `false` if only writing at the end works.
  public var isSeekable: Bool { sink.seekable != 0 }

  /// Number of bytes written so far, which is the offset of the next write.
  public var size: Int64 { sink.size(sink.context) }

  /// Appends `bytes`.
  public func write(_ bytes: [UInt8]) throws(MediaError) {
    try lend(bytes) { sink.write(sink.context, $0, $1) }
  }

  /// Appends the payload of `packet`.
  ///
  /// The host copies a range of the source itself, without the plugin.
  public func write(payloadOf packet: Packet) throws(MediaError) {
    try check(packet.withLent { sink.write_payload(sink.context, $0) })
  }

  /// Overwrites bytes that were written before.
  public func overwrite(at offset: Int64, with bytes: [UInt8]) throws(MediaError) {
    try lend(bytes) { sink.write_at(sink.context, offset, $0, $1) }
  }

  /// Inserts `bytes` at `offset` and moves everything after it.
  public func insert(_ bytes: [UInt8], at offset: Int64) throws(MediaError) {
    try lend(bytes) { sink.insert(sink.context, offset, $0, $1) }
  }

  /// Calls `function` with the bytes, unless there are none.
  private func lend(_ bytes: [UInt8], to function: (UnsafeRawPointer, Int) -> rsp_status)
    throws(MediaError)
  {
    let status = bytes.withUnsafeBytes { part in part.baseAddress.map { function($0, part.count) } }
    if let status { try check(status) }
  }

  private func check(_ status: rsp_status) throws(MediaError) {
    guard status < 0 else { return }
    throw MediaError(MediaError.Code(rawValue: status), "the output could not be written")
  }
}
