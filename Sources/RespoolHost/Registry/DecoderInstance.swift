import CRespool
package import RespoolMedia

/// A decoder of a plugin, open for one track.
///
/// One thread at a time, which the plugin allows to be any (decoder.h).
package final class DecoderInstance {
  package let factory: PluginFactory
  package let track: TrackDescription
  /// Reason for choosing this decoder, one sentence for `-v`.
  package let reason: String

  private let functions: UnsafePointer<rsp_decoder_factory>
  private let handle: OpaquePointer

  package init(_ factory: PluginFactory, _ settings: DecoderSettings, reason: String)
    throws(MediaError)
  {
    let chosen = try factory.completed(settings.options)
    let head = try factory.opened()
    let functions = RespoolHost.factory(head, as: rsp_decoder_factory.self)
    let arena = factory.arena()
    let track = arena.box(settings.track.cValue(in: arena))
    var lent = rsp_decoder_settings(
      struct_size: structSize(rsp_decoder_settings.self),
      threads: UInt32(clamping: max(1, settings.threads)), track: track,
      options: rsp_options(chosen, in: arena))
    var record = LentStruct<rsp_error>()
    var handle: OpaquePointer?
    let status = try factory.call(&record) { functions.pointee.open(head, &lent, &handle, $0) }
    guard status == RSP_OK, let handle else {
      throw factory.error(
        status, record.value, refusal: chosen.isEmpty ? .pluginFailure : .invalidArgument)
    }
    self.factory = factory
    self.track = settings.track
    self.reason = reason
    self.functions = functions
    self.handle = handle
  }

  deinit { functions.pointee.close(handle) }

  /// Returns `true` if the factory accepts a track.
  ///
  /// A factory that lists the codec and has no further check accepts it.
  package static func supports(_ factory: PluginFactory, _ track: TrackDescription)
    throws(MediaError)
    -> Bool
  {
    let isListed = factory.description.codecs.contains(track.codec)
    guard factory.description.flags.contains(.anyCodec) else { return isListed }
    let head = try factory.opened()
    guard let ask = RespoolHost.factory(head, as: rsp_decoder_factory.self).pointee.supports else {
      return isListed
    }
    let arena = factory.arena()
    return ask(head, arena.box(track.cValue(in: arena))) != 0
  }

  /// Sends a packet whose payload is bytes, or `nil` to drain.
  ///
  /// After an error the packet is lost, and the decoder continues with the next one.
  package func send(_ packet: Packet?) throws(MediaError) -> Feeding {
    var record = LentStruct<rsp_error>()
    let status: rsp_status
    if let packet {
      guard packet.buffer != nil else {
        throw MediaError(
          .internal, "a decoder received a packet whose bytes have not been read")
      }
      status = try factory.call(&record) { record in
        packet.withLent { functions.pointee.send(handle, $0, record) }
      }
    } else {
      status = try factory.call(&record) { functions.pointee.send(handle, nil, $0) }
    }
    switch Int(status) {
    case Int(RSP_OK): return .accepted
    case Int(RSP_AGAIN): return .full
    default: throw factory.error(status, record.value)
    }
  }

  /// Returns the next frame, whose values have been checked against its format.
  package func receive() throws(MediaError) -> Output<Frame> {
    var room = LentStruct<rsp_frame>()
    var record = LentStruct<rsp_error>()
    let status = try factory.call(filling: &room, &record) {
      functions.pointee.receive(handle, $0, $1)
    }
    switch Int(status) {
    case Int(RSP_OK): return .value(try checked(room.value))
    case Int(RSP_AGAIN): return .needsInput
    case Int(RSP_END): return .end
    default: throw factory.error(status, record.value)
    }
  }

  /// Discards all packets sent.
  ///
  /// A drained decoder can be used again.
  package func flush() { functions.pointee.flush(handle) }

  /// Returns the frame and takes over its reference.
  ///
  /// Throws `pluginFailure` if its values do not fit its format.
  private func checked(_ value: borrowing rsp_frame) throws(MediaError) -> Frame {
    guard var frame = Frame(adopting: value) else {
      throw MediaError(
        .pluginFailure,
        "\(factory.label) returned a frame of the format \(value.format) without "
          + "enough memory")
    }
    let rate = frame.sampleRate
    if frame.kind == .audio, rate == track.sampleRate, !Frame.sampleRates.contains(rate) {
      // The plugin only repeats what the file says.
      throw MediaError(
        .unsupported,
        "the file states an audio sample rate of \(rate) Hz; expected "
          + "\(Frame.sampleRates.lowerBound) to \(Frame.sampleRates.upperBound)")
    }
    if let problem = frame.problem {
      throw MediaError(
        .pluginFailure, "\(factory.label) returned an invalid frame: \(problem)")
    }
    frame.forgetImpossibleTimes(in: track.timeBase)
    return frame
  }
}
