import CRespool
import RespoolMedia

/// An open encoder.
private final class EncoderBox: LendingBox {
  let encoder: any Encoder

  init(_ encoder: any Encoder) { self.encoder = encoder }
}

private typealias Context = FactoryContext<any Encoder.Type>

private func box(_ encoder: OpaquePointer) -> EncoderBox {
  Handle.object(encoder, as: EncoderBox.self)
}

extension EncoderSettings {
  /// Copies the C form, in which a bit rate of 0 and a negative quality mean `nil`.
  fileprivate init(_ settings: UnsafePointer<rsp_encoder_settings>) {
    let value = rsp_encoder_settings.copy(settings)
    self.init(
      track: TrackDescription(value.track), threads: max(1, Int(value.threads)),
      bitRate: value.bit_rate > 0 ? value.bit_rate : nil,
      quality: value.quality >= 0 ? value.quality : nil, options: value.options.swiftValue)
    if value.key_frame_interval > 0 { keyFrameInterval = Int(value.key_frame_interval) }
    if let job = value.job { self.job = PluginJob(job) }
    isLowDelay = Int(value.flags) & RSP_ENCODING_LOW_DELAY != 0
    if Int(value.flags) & RSP_ENCODING_FIRST_PASS != 0 {
      pass = .first
    } else if let statistics = value.statistics, value.statistics_size > 0 {
      pass = .last(
        statistics: Array(UnsafeBufferPointer(start: statistics, count: value.statistics_size)))
    }
  }
}

extension Encoder {
  /// Copies settings; throws `invalidArgument` for a quality or a bit rate that the description excludes, which a host
  /// before 1.5 does not know.
  fileprivate static func settings(_ settings: UnsafePointer<rsp_encoder_settings>)
    throws(MediaError) -> EncoderSettings
  {
    let settings = EncoderSettings(settings)
    if let problem = description.problem(quality: settings.quality, bitRate: settings.bitRate) {
      throw MediaError(.invalidArgument, problem)
    }
    return settings
  }
}

extension RateControl {
  /// The extension of an encoder's factory.
  fileprivate var table: rsp_encoding {
    var table = cValue
    table.check = { factory, settings, record in
      reporting(to: record) { () throws(MediaError) in
        let type = try Context.type(of: factory)
        try type.check(type.settings(settings))
        return rsp_status(RSP_OK)
      }
    }
    table.memory = { factory, settings in
      (try? Context.type(of: factory))?.memory(for: EncoderSettings(settings)) ?? Int64(RSP_UNKNOWN)
    }
    return table
  }
}

extension rsp_encoder_factory {
  /// Creates the table of a plugin's type; the memory it points to lives as long as `arena`.
  init(_ type: any Encoder.Type, in arena: CArena) {
    let table = type.description.rateControl.map {
      (RSP_ENCODING, UnsafeRawPointer(arena.box($0.table)))
    }
    self.init(
      head: type.description.cValue(
        structSize: structSize(rsp_encoder_factory.self),
        context: Context.pointer(type, table: table), in: arena),
      open: { factory, settings, out, record in
        reporting(to: record) { () throws(MediaError) in
          let type = try Context.type(of: factory)
          let encoder = try type.init(settings: type.settings(settings))
          out.pointee = Handle.passing(EncoderBox(encoder))
          return rsp_status(RSP_OK)
        }
      },
      track: { box($0).pointer(to: box($0).encoder.track) },
      send: { handle, frame, record in
        reporting(to: record) { () throws(MediaError) in
          try box(handle).encoder.send(Frame.sent(frame)).status
        }
      },
      receive: { handle, packet, record in
        reporting(to: record) { () throws(MediaError) in
          try box(handle).store(box(handle).encoder.receive(), in: packet)
        }
      },
      close: { Handle.release($0) })
    head.extension = { Context.table(of: $0, id: $1) }
  }
}
