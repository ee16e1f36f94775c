import CRespool
import RespoolMedia

/// An open decoder.
private final class DecoderBox: LendingBox {
  let decoder: any Decoder

  init(_ decoder: any Decoder) { self.decoder = decoder }
}

private typealias Context = FactoryContext<any Decoder.Type>

private func box(_ decoder: OpaquePointer) -> DecoderBox {
  Handle.object(decoder, as: DecoderBox.self)
}

extension rsp_decoder_factory {
  /// Creates the table of a plugin's type; the memory it points to lives as long as `arena`.
  init(_ type: any Decoder.Type, in arena: CArena) {
    self.init(
      head: type.description.cValue(
        structSize: structSize(rsp_decoder_factory.self), context: Context.pointer(type),
        in: arena),
      supports: { factory, track in
        guard let type = try? Context.type(of: factory) else { return 0 }
        return type.supports(TrackDescription(track)) ? 1 : 0
      },
      open: { factory, settings, out, record in
        reporting(to: record) { () throws(MediaError) in
          let type = try Context.type(of: factory)
          let settings = rsp_decoder_settings.copy(settings)
          let decoder = try type.init(
            settings: DecoderSettings(
              track: TrackDescription(settings.track),
              threads: max(1, Int(settings.threads)), options: settings.options.swiftValue))
          out.pointee = Handle.passing(DecoderBox(decoder))
          return rsp_status(RSP_OK)
        }
      },
      send: { handle, packet, record in
        reporting(to: record) { () throws(MediaError) in
          try box(handle).decoder.send(packet.map { Packet(retaining: $0) }).status
        }
      },
      receive: { handle, frame, record in
        reporting(to: record) { () throws(MediaError) in
          try box(handle).store(box(handle).decoder.receive(), in: frame)
        }
      },
      flush: { box($0).decoder.flush() },
      close: { Handle.release($0) })
  }
}
