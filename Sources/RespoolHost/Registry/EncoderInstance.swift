import CRespool
package import RespoolMedia

/// An encoder of a plugin, open for one track.
///
/// One thread at a time, which the plugin allows to be any (encoder.h).
package final class EncoderInstance {
  package let factory: PluginFactory
  /// Reason for choosing this encoder, one sentence for `-v`.
  package let reason: String

  private let functions: UnsafePointer<rsp_encoder_factory>
  private let handle: OpaquePointer

  package init(_ factory: PluginFactory, _ settings: EncoderSettings, reason: String)
    throws(MediaError)
  {
    let codecs = factory.description.codecs
    guard codecs.contains(settings.track.codec) || factory.description.flags.contains(.anyCodec)
    else {
      throw MediaError(
        .unsupported,
        "\(factory.label) does not encode \(settings.track.codec); it encodes "
          + codecs.joined(separator: ", "))
    }
    try factory.check(settings.options)
    let head = try factory.opened()
    let functions = RespoolHost.factory(head, as: rsp_encoder_factory.self)
    let arena = factory.arena()
    let track = arena.box(settings.track.cValue(in: arena))
    var lent = rsp_encoder_settings(
      struct_size: structSize(rsp_encoder_settings.self),
      threads: UInt32(clamping: max(1, settings.threads)), track: track,
      bit_rate: settings.bitRate ?? 0, quality: settings.quality ?? -1,
      options: rsp_options(settings.options, in: arena), flags: 0, reserved: 0, statistics: nil,
      statistics_size: 0)
    let abilities = factory.description.flags
    if settings.isLowDelay, abilities.contains(.lowDelay) {
      lent.flags |= UInt32(RSP_ENCODING_LOW_DELAY)
    }
    if settings.pass != .only, !abilities.contains(.twoPasses) {
      throw MediaError(.unsupported, "\(factory.label) does not encode in two passes")
    }
    switch settings.pass {
    case .only: break
    case .first: lent.flags |= UInt32(RSP_ENCODING_FIRST_PASS)
    case .last(let statistics):
      (lent.statistics, lent.statistics_size) = (arena.bytes(statistics), statistics.count)
    }
    var record = LentStruct<rsp_error>()
    var handle: OpaquePointer?
    let status = try factory.call(&record) { functions.pointee.open(head, &lent, &handle, $0) }
    withExtendedLifetime(arena) {}
    guard status == RSP_OK, let handle else { throw factory.error(status, record.value) }
    self.factory = factory
    self.reason = reason
    self.functions = functions
    self.handle = handle
  }

  deinit { functions.pointee.close(handle) }

  /// Description of the encoded track: complete from the start, final after `receive` returned `end`.
  package var track: TrackDescription { TrackDescription(functions.pointee.track(handle)) }

  /// Sends a frame, or `nil` to drain.
  package func send(_ frame: Frame?) throws(MediaError) -> Feeding {
    var record = LentStruct<rsp_error>()
    let status = try factory.call(&record) { record in
      frame?.withLent { functions.pointee.send(handle, $0, record) }
        ?? functions.pointee.send(handle, nil, record)
    }
    switch Int(status) {
    case Int(RSP_OK): return .accepted
    case Int(RSP_AGAIN): return .full
    default: throw factory.error(status, record.value)
    }
  }

  package func receive() throws(MediaError) -> Output<Packet> {
    var room = LentStruct<rsp_packet>()
    var record = LentStruct<rsp_error>()
    let status = try factory.call(filling: &room, &record) {
      functions.pointee.receive(handle, $0, $1)
    }
    switch Int(status) {
    case Int(RSP_OK):
      let packet = Packet(adopting: room.value)
      guard packet.buffer != nil else {
        throw MediaError(
          .pluginFailure, "\(factory.label) returned a packet that is a range of a file")
      }
      return .value(packet)
    case Int(RSP_AGAIN): return .needsInput
    case Int(RSP_END): return .end
    default: throw factory.error(status, record.value)
    }
  }
}

extension EncoderInstance {
  /// Sends a frame, or `nil` at the end, and passes every packet that is ready to `take`.
  package func encode(_ frame: Frame?, _ take: (Packet) throws(MediaError) -> Void)
    throws(MediaError)
  {
    while try send(frame) == .full {
      guard try !drain(take) else { continue }
      if frame == nil { return }
      throw MediaError(.pluginFailure, "the encoder neither accepts a frame nor returns a packet")
    }
    _ = try drain(take)
  }

  /// Passes the packets that are ready to `take`.
  ///
  /// Returns `true` if there were any.
  private func drain(_ take: (Packet) throws(MediaError) -> Void) throws(MediaError) -> Bool {
    var any = false
    while case .value(let packet) = try receive() {
      any = true
      try take(packet)
    }
    return any
  }
}
