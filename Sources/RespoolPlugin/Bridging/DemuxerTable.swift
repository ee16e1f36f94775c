import CRespool
import RespoolMedia

/// An open demuxer with the memory that the host may still point to.
private final class DemuxerBox: LendingBox {
  private let demuxer: any Demuxer
  private let arena = CArena(readerMinor: Log.hostMinor)
  /// The description in C, valid as long as the box.
  let media: UnsafePointer<rsp_media>
  private var isSelected: [Bool]

  init(_ demuxer: any Demuxer) {
    self.demuxer = demuxer
    let description = demuxer.media
    isSelected = Array(repeating: true, count: description.tracks.count)
    media = UnsafePointer(arena.box(description.cValue(in: arena)))
  }

  func select(_ flags: UnsafeBufferPointer<UInt8>) throws(MediaError) {
    let flags = flags.map { $0 != 0 }
    try TrackDescription.check(selection: flags, trackCount: isSelected.count)
    try demuxer.select(flags)
    isSelected = flags
  }

  /// Reads the next packet of a selected track; demuxers that do not implement `select` return all packets.
  func read(into packet: UnsafeMutablePointer<rsp_packet>) throws(MediaError) -> rsp_status {
    guard isSelected.contains(true) else { return rsp_status(RSP_END) }
    while let next = try demuxer.read() {
      guard isSelected.indices.contains(next.track) else {
        throw MediaError(
          .internal,
          "a packet belongs to \(TrackNumber(index: next.track)), but there are only "
            + "\(isSelected.count)")
      }
      guard isSelected[next.track] else { continue }
      return store(.value(next), in: packet)
    }
    return store(.end, in: packet)
  }

  func seek(track: UInt32, to time: Int64) throws(MediaError) {
    guard Int(track) < isSelected.count else {
      throw MediaError(
        .invalidArgument, "there is no \(TrackNumber(index: Int(track)))", track: Int(track))
    }
    try demuxer.seek(track: Int(track), to: time)
  }
}

private typealias Context = FactoryContext<any Demuxer.Type>

extension rsp_demuxing {
  /// The table of every type; it needs no state.
  fileprivate static var table: rsp_demuxing {
    rsp_demuxing(
      struct_size: structSize(rsp_demuxing.self), reserved: 0,
      open: { factory, source, settings, options, out, record in
        RespoolPlugin.open(
          factory, source,
          DemuxerSettings(
            timing: PacketTiming(rawValue: rsp_demuxing_settings.copy(settings).timing),
            options: options.pointee.swiftValue), out, record)
      })
  }
}

private func open(
  _ factory: UnsafePointer<rsp_factory>, _ source: UnsafePointer<rsp_source>,
  _ settings: DemuxerSettings, _ out: UnsafeMutablePointer<OpaquePointer?>,
  _ record: UnsafeMutablePointer<rsp_error>
) -> rsp_status {
  reporting(to: record) { () throws(MediaError) in
    let type = try Context.type(of: factory)
    let demuxer = try type.init(source: ByteSource(rsp_source.copy(source)), settings: settings)
    out.pointee = Handle.passing(DemuxerBox(demuxer))
    return rsp_status(RSP_OK)
  }
}

private func box(_ demuxer: OpaquePointer) -> DemuxerBox {
  Handle.object(demuxer, as: DemuxerBox.self)
}

extension rsp_demuxer_factory {
  /// Creates the table of a plugin's type; the memory it points to lives as long as `arena`.
  init(_ type: any Demuxer.Type, in arena: CArena) {
    self.init(
      head: type.description.cValue(
        structSize: structSize(rsp_demuxer_factory.self),
        context: Context.pointer(
          type, table: (RSP_DEMUXING, UnsafeRawPointer(arena.box(rsp_demuxing.table)))),
        in: arena),
      probe: { factory, bytes, count, name in
        guard let type = try? Context.type(of: factory) else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: bytes, count: count)
        return Int32(min(100, max(0, type.probe(bytes, name: String(cString: name)))))
      },
      open: { factory, source, options, out, record in
        RespoolPlugin.open(
          factory, source, DemuxerSettings(options: options.pointee.swiftValue), out, record)
      },
      media: { box($0).media },
      select: { demuxer, wanted, count, record in
        reporting(to: record) { () throws(MediaError) in
          try box(demuxer).select(UnsafeBufferPointer(start: wanted, count: Int(count)))
          return rsp_status(RSP_OK)
        }
      },
      read: { demuxer, packet, record in
        reporting(to: record) { () throws(MediaError) in try box(demuxer).read(into: packet) }
      },
      seek: { demuxer, track, time, record in
        reporting(to: record) { () throws(MediaError) in
          try box(demuxer).seek(track: track, to: time)
          return rsp_status(RSP_OK)
        }
      },
      close: { Handle.release($0) })
    head.extension = { Context.table(of: $0, id: $1) }
  }
}
