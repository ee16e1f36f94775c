public import CRespool
import RespoolMedia
import Synchronization

/// The host's services, as the entry function receives them.
public typealias Host = UnsafePointer<rsp_host>
/// The result of the entry function.
public typealias PluginTable = UnsafePointer<rsp_plugin_info>

/// A table with the memory that it points to.
// Sendable: immutable; `build` adds nothing to the arena after it has made this value.
private struct Described: @unchecked Sendable {
  let table: PluginTable
  let arena: CArena
}

/// Tables by plugin name.
///
/// They live until the process ends and stay reachable, so that no leak checker reports them. A shared library
/// has one plugin; the dictionary is for test bundles that link several.
private let described = Mutex<[String: Described]>([:])

extension Plugin {
  /// Returns the table for the entry function.
  ///
  /// The first call builds it; it lives until the process ends.
  ///
  /// `nil` if the host has another major version of the ABI.
  public func table(for host: Host) -> PluginTable? {
    guard host.pointee.abi_major == RSP_ABI_MAJOR else { return nil }
    Log.host.withLock { $0 = SharedHost(pointer: host) }
    return described.withLock { known in
      if let known = known[name] { return known.table }
      let made = build()
      known[name] = made
      return made.table
    }
  }

  private func build() -> Described {
    let arena = CArena(readerMinor: Log.hostMinor)
    var factories: [UnsafePointer<rsp_factory>?] = []
    // A factory struct starts with its head, so a pointer to it is one to the head.
    func add<T>(_ table: T) {
      let place = UnsafeRawPointer(arena.box(table))
      factories.append(place.assumingMemoryBound(to: rsp_factory.self))
    }
    for type in demuxers { add(rsp_demuxer_factory(type, in: arena)) }
    for type in decoders { add(rsp_decoder_factory(type, in: arena)) }
    for type in encoders { add(rsp_encoder_factory(type, in: arena)) }
    for type in muxers { add(rsp_muxer_factory(type, in: arena)) }
    for type in filters { add(rsp_filter_factory(type, in: arena)) }
    let info = rsp_plugin_info(
      struct_size: structSize(rsp_plugin_info.self), factory_count: UInt32(factories.count),
      name: arena.string(name), version: arena.string(version), license: arena.string(license),
      factories: arena.array(factories))
    return Described(table: UnsafePointer(arena.box(info)), arena: arena)
  }
}
