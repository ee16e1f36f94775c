import CRespool
import RespoolMedia

/// An open muxer.
private final class OpenMuxer {
  let muxer: any Muxer
  let trackCount: Int

  init(_ muxer: any Muxer, trackCount: Int) {
    self.muxer = muxer
    self.trackCount = trackCount
  }

  func write(_ packet: UnsafePointer<rsp_packet>) throws(MediaError) {
    let track = packet.pointee.track
    guard Int(track) < trackCount else {
      throw MediaError(
        .invalidArgument,
        "a packet belongs to \(TrackNumber(index: Int(track))), but there are only \(trackCount)")
    }
    try muxer.write(Packet(retaining: packet))
  }
}

private typealias Context = FactoryContext<any Muxer.Type>

extension rsp_muxing {
  /// The table of every type; it needs no state.
  fileprivate static var table: rsp_muxing {
    rsp_muxing(
      struct_size: structSize(rsp_muxing.self), reserved: 0,
      open: { factory, media, sink, settings, options, out, record in
        RespoolPlugin.open(factory, media, sink, out, record) {
          (trackCount) throws(MediaError) in
          try MuxerSettings(
            settings, options: options.pointee.swiftValue, trackCount: trackCount)
        }
      })
  }
}

private func open(
  _ factory: UnsafePointer<rsp_factory>, _ media: UnsafePointer<rsp_media>,
  _ sink: UnsafePointer<rsp_sink>, _ out: UnsafeMutablePointer<OpaquePointer?>,
  _ record: UnsafeMutablePointer<rsp_error>,
  settings: (_ trackCount: Int) throws(MediaError) -> MuxerSettings
) -> rsp_status {
  reporting(to: record) { () throws(MediaError) in
    let type = try Context.type(of: factory)
    let description = MediaDescription(media)
    let muxer = try type.init(
      media: description, sink: ByteSink(rsp_sink.copy(sink)),
      settings: settings(description.tracks.count))
    out.pointee = Handle.passing(OpenMuxer(muxer, trackCount: description.tracks.count))
    return rsp_status(RSP_OK)
  }
}

private func openMuxer(from handle: OpaquePointer) -> OpenMuxer {
  Handle.object(handle, as: OpenMuxer.self)
}

extension rsp_muxer_factory {
  /// Creates the table of a plugin's type; the memory it points to lives as long as `arena`.
  init(_ type: any Muxer.Type, in arena: CArena) {
    self.init(
      head: type.description.cValue(
        structSize: structSize(rsp_muxer_factory.self),
        context: Context.pointer(
          type, table: (RSP_MUXING, UnsafeRawPointer(arena.box(rsp_muxing.table)))),
        in: arena),
      supports: { factory, track, record in
        reporting(to: record) { () throws(MediaError) in
          let type = try Context.type(of: factory)
          try type.check(TrackDescription(track))
          return rsp_status(RSP_OK)
        }
      },
      open: { factory, media, sink, options, out, record in
        RespoolPlugin.open(factory, media, sink, out, record) { (_) throws(MediaError) in
          MuxerSettings(options: options.pointee.swiftValue)
        }
      },
      time_base: { muxer, track in
        let open = openMuxer(from: muxer)
        guard Int(track) < open.trackCount else { return Rational.unknown.cValue }
        return open.muxer.timeBase(ofTrack: Int(track)).cValue
      },
      write: { muxer, packet, record in
        reporting(to: record) { () throws(MediaError) in
          try openMuxer(from: muxer).write(packet)
          return rsp_status(RSP_OK)
        }
      },
      finish: { muxer, media, record in
        reporting(to: record) { () throws(MediaError) in
          try openMuxer(from: muxer).muxer.finish(MediaDescription(media))
          return rsp_status(RSP_OK)
        }
      },
      close: { Handle.release($0) })
    head.extension = { Context.table(of: $0, id: $1) }
  }
}
