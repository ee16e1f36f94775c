public import CRespool
import Glibc
public import RespoolMedia
import Synchronization

/// A built plugin, loaded through its C table as in any host.
// Sendable: the table is immutable and lives until the process ends (plugin.h).
public struct LoadedPlugin: @unchecked Sendable {
  public let entry: rsp_plugin
  public let info: rsp_plugin_info

  /// Loads `librespool-<name>.so` from the folder of the running executable.
  public init(_ name: String) throws(MediaError) {
    let path = "\(Self.folder)/librespool-\(name).so"
    guard let image = dlopen(path, RTLD_NOW | RTLD_LOCAL),
      let symbol = dlsym(image, "respool_plugin")
    else {
      throw MediaError(.io, dlerror().map { String(cString: $0) } ?? "no symbol", file: path)
    }
    entry = symbol.assumingMemoryBound(to: rsp_plugin.self).pointee
    guard let info = entry.describe(TestHost.shared.pointer) else {
      throw MediaError(.unsupported, "the plugin refuses the host", file: path)
    }
    self.info = info.pointee
  }

  /// The heads of all factories, in the order of the table.
  public var factories: [UnsafePointer<rsp_factory>] {
    (0..<Int(info.factory_count)).compactMap { info.factories?[$0] }
  }

  public var descriptions: [FactoryDescription] {
    factories.compactMap { FactoryDescription($0) }
  }

  /// Returns the factory with a kind and a name, as the struct that starts with its head.
  public func factory<T>(_ kind: FactoryDescription.Kind, _ name: String, as _: T.Type)
    throws(MediaError) -> UnsafePointer<T>
  {
    for factory in factories
    where factory.pointee.kind == kind.rawValue && String(cString: factory.pointee.name) == name {
      return UnsafeRawPointer(factory).assumingMemoryBound(to: T.self)
    }
    throw MediaError(.unsupported, "no \(kind) \(name)")
  }

  private static var folder: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(
      decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
  }
}

/// The host's services, which record the log messages of plugins.
// Sendable: the struct that the pointer refers to is immutable after its initialization.
public final class TestHost: @unchecked Sendable {
  public static let shared = TestHost(major: UInt32(RSP_ABI_MAJOR))
  private static let lines = Mutex<[String]>([])

  public let pointer: UnsafePointer<rsp_host>

  public init(major: UInt32) {
    let host = UnsafeMutablePointer<rsp_host>.allocate(capacity: 1)
    host.initialize(
      to: rsp_host(
        struct_size: UInt32(MemoryLayout<rsp_host>.size), abi_major: major,
        abi_minor: UInt32(RSP_ABI_MINOR), reserved: 0, context: nil,
        log: { _, level, message in
          let line = "\(level) \(String(cString: message))"
          TestHost.lines.withLock { $0.append(line) }
        },
        extension: { _, _ in nil }))
    pointer = UnsafePointer(host)
  }

  /// The messages so far, each with its level in front.
  public var logged: [String] { Self.lines.withLock { $0 } }
}
