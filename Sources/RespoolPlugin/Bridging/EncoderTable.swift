import CRespool
import RespoolMedia

/// An open encoder with the memory that the host may still point to.
private final class EncoderBox {
  let encoder: any Encoder
  /// The last description returned to the host, and its memory.
  private var described: (track: TrackDescription, value: UnsafePointer<rsp_track>, CArena)?
  /// Holds the side data of the last packet, which is lent until the next call.
  private var lent: CArena?

  init(_ encoder: any Encoder) { self.encoder = encoder }

  var track: UnsafePointer<rsp_track> {
    let track = encoder.track
    if let described, described.track == track { return described.value }
    let arena = CArena(readerMinor: Log.hostMinor)
    let value = UnsafePointer(arena.box(track.cValue(in: arena)))
    described = (track, value, arena)
    return value
  }

  func receive(into packet: UnsafeMutablePointer<rsp_packet>) throws(MediaError) -> rsp_status {
    lent = nil
    switch try encoder.receive() {
    case .value(let value):
      value.exported(in: lend).fill(packet)
      return rsp_status(RSP_OK)
    case .needsInput: return rsp_status(RSP_AGAIN)
    case .end: return rsp_status(RSP_END)
    }
  }

  /// Returns the memory for the side data of a packet, which stays valid until the next call.
  private func lend() -> CArena {
    let arena = lent ?? CArena()
    lent = arena
    return arena
  }

  func send(_ frame: UnsafePointer<rsp_frame>?) throws(MediaError) -> Feeding {
    guard let frame else { return try encoder.send(nil) }
    guard let frame = Frame(retaining: frame) else {
      throw MediaError(
        .invalidArgument, "the frame has no memory of its own or too few planes for its format")
    }
    return try encoder.send(frame)
  }
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

extension PluginJob {
  /// Creates the services of a job of the host, which live until the encoder or filter is closed.
  init(_ job: UnsafePointer<rsp_job>) {
    let value = rsp_job.copy(job)
    // Sendable: the host takes these calls on any thread (host.h).
    nonisolated(unsafe) let context = value.context
    let (cancelled, warn) = (value.cancelled, value.warn)
    self.init(isCancelled: { cancelled(context) != 0 }, warn: { warn(context, $0) })
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
      track: { box($0).track },
      send: { handle, frame, record in
        reporting(to: record) { () throws(MediaError) in try box(handle).send(frame).status }
      },
      receive: { handle, packet, record in
        reporting(to: record) { () throws(MediaError) in try box(handle).receive(into: packet) }
      },
      close: { Handle.release($0) })
    head.extension = { Context.table(of: $0, id: $1) }
  }
}
