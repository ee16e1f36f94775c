import CRespool
import RespoolMedia

/// An open muxer.
private final class MuxerBox {
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

private func box(_ muxer: OpaquePointer) -> MuxerBox { Handle.object(muxer, as: MuxerBox.self) }

extension rsp_muxer_factory {
  /// Creates the table of a plugin's type; the memory it points to lives as long as `arena`.
  init(_ type: any Muxer.Type, in arena: CArena) {
    self.init(
      head: type.description.cValue(
        structSize: structSize(rsp_muxer_factory.self), context: Context.pointer(type), in: arena),
      supports: { factory, track, record in
        reporting(to: record) { () throws(MediaError) in
          guard let type = Context.type(of: factory) else {
            throw .factoryWithoutContext
          }
          try type.check(TrackDescription(track))
          return rsp_status(RSP_OK)
        }
      },
      open: { factory, media, sink, options, out, record in
        reporting(to: record) { () throws(MediaError) in
          guard let type = Context.type(of: factory) else {
            throw .factoryWithoutContext
          }
          let description = MediaDescription(media)
          let muxer = try type.init(
            media: description, sink: ByteSink(sink.pointee), options: options.pointee.swiftValue)
          out.pointee = Handle.passing(MuxerBox(muxer, trackCount: description.tracks.count))
          return rsp_status(RSP_OK)
        }
      },
      time_base: { muxer, track in
        let box = box(muxer)
        guard Int(track) < box.trackCount else { return Rational.unknown.cValue }
        return box.muxer.timeBase(ofTrack: Int(track)).cValue
      },
      write: { muxer, packet, record in
        reporting(to: record) { () throws(MediaError) in
          try box(muxer).write(packet)
          return rsp_status(RSP_OK)
        }
      },
      finish: { muxer, media, record in
        reporting(to: record) { () throws(MediaError) in
          try box(muxer).muxer.finish(MediaDescription(media))
          return rsp_status(RSP_OK)
        }
      },
      close: { Handle.release($0) })
  }
}
