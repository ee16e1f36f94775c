import CRespool
import RespoolMedia

/// An open filter with its results, to which the host may still point.
private final class FilterBox: LendingBox {
  let filter: any Filter
  /// Holds the results that were returned last.
  private var measured: CArena?

  init(_ filter: any Filter) { self.filter = filter }

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
      track: { box($0).pointer(to: box($0).filter.track) },
      send: { handle, frame, record in
        reporting(to: record) { () throws(MediaError) in
          try box(handle).filter.send(Frame.sent(frame)).status
        }
      },
      receive: { handle, frame, record in
        reporting(to: record) { () throws(MediaError) in
          try box(handle).store(box(handle).filter.receive(), in: frame)
        }
      },
      results: { box($0).results($1) },
      close: { Handle.release($0) })
  }
}
