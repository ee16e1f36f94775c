import CRespool
import RespoolMedia

/// An open filter with the memory that the host may still point to.
private final class FilterBox {
  let filter: any Filter
  /// The description returned to the host, with its memory.
  private var described: (track: TrackDescription, value: UnsafePointer<rsp_track>, CArena)?
  /// Holds the results that were returned last.
  private var measured: CArena?
  /// Holds the side data of the last frame, which is lent until the next call.
  private var lent: CArena?

  init(_ filter: any Filter) { self.filter = filter }

  var track: UnsafePointer<rsp_track> {
    let track = filter.track
    if let described, described.track == track { return described.value }
    let arena = CArena(readerMinor: Log.hostMinor)
    let value = UnsafePointer(arena.box(track.cValue(in: arena)))
    described = (track, value, arena)
    return value
  }

  func send(_ frame: UnsafePointer<rsp_frame>?) throws(MediaError) -> Feeding {
    guard let frame else { return try filter.send(nil) }
    guard let frame = Frame(retaining: frame) else {
      throw MediaError(
        .invalidArgument, "the frame has no memory of its own or too few planes for its format")
    }
    return try filter.send(frame)
  }

  func receive(into frame: UnsafeMutablePointer<rsp_frame>) throws(MediaError) -> rsp_status {
    lent = nil
    switch try filter.receive() {
    case .value(let value):
      value.exported(in: lend).fill(frame)
      return rsp_status(RSP_OK)
    case .needsInput: return rsp_status(RSP_AGAIN)
    case .end: return rsp_status(RSP_END)
    }
  }

  func results(_ count: UnsafeMutablePointer<UInt32>) -> UnsafePointer<rsp_result>? {
    let arena = CArena(readerMinor: Log.hostMinor)
    let results = filter.results.map {
      rsp_result(
        struct_size: structSize(rsp_result.self), reserved: 0, name: arena.string($0.name),
        value: arena.string($0.value), unit: arena.string($0.unit))
    }
    measured = arena
    count.pointee = UInt32(clamping: results.count)
    return arena.list(results).start
  }

  private func lend() -> CArena {
    let arena = lent ?? CArena()
    lent = arena
    return arena
  }
}

private typealias Context = FactoryContext<any Filter.Type>

private func box(_ filter: OpaquePointer) -> FilterBox {
  Handle.object(filter, as: FilterBox.self)
}

extension FilterSettings {
  fileprivate init(_ settings: UnsafePointer<rsp_filter_settings>) {
    let value = rsp_filter_settings.copy(settings)
    self.init(
      track: TrackDescription(value.track), threads: max(1, Int(value.threads)),
      options: value.options.swiftValue)
    if let job = value.job { self.job = PluginJob(job) }
  }
}

extension rsp_filter_factory {
  /// Creates the table of a plugin's type; the memory it points to lives as long as `arena`.
  init(_ type: any Filter.Type, in arena: CArena) {
    let description = type.description
    self.init(
      head: description.cValue(
        structSize: structSize(rsp_filter_factory.self), context: Context.pointer(type), in: arena),
      media: UInt32(description.filteredMedia == .audio ? RSP_KIND_AUDIO : RSP_KIND_VIDEO),
      reserved: 0,
      open: { factory, settings, out, record in
        reporting(to: record) { () throws(MediaError) in
          let type = try Context.type(of: factory)
          let filter = try type.init(settings: FilterSettings(settings))
          out.pointee = Handle.passing(FilterBox(filter))
          return rsp_status(RSP_OK)
        }
      },
      track: { box($0).track },
      send: { handle, frame, record in
        reporting(to: record) { () throws(MediaError) in try box(handle).send(frame).status }
      },
      receive: { handle, frame, record in
        reporting(to: record) { () throws(MediaError) in try box(handle).receive(into: frame) }
      },
      results: { box($0).results($1) },
      close: { Handle.release($0) })
  }
}
