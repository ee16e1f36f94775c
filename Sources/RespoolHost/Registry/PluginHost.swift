import CRespool
import Glibc
import RespoolMedia
import Synchronization

/// Severity of a plugin's message.
public enum PluginLogLevel: Int32, Hashable, Sendable, Comparable {
  case error = 0, warning, info, debug
  public static func < (a: PluginLogLevel, b: PluginLogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// A function that receives the severity and the text of a plugin's message, on any thread.
public typealias PluginLogHandler = @Sendable (PluginLogLevel, String) -> Void

/// The services that this process offers to plugins.
enum PluginHost {
  static let logHandler = Mutex<PluginLogHandler?>(nil)

  /// Table of the host's functions.
  ///
  /// Valid until the process ends, as the ABI requires.
  // Sendable: written once, before it is shared.
  nonisolated(unsafe) static let table: UnsafePointer<rsp_host> = {
    let table = UnsafeMutablePointer<rsp_host>.allocate(capacity: 1)
    table.initialize(
      to: rsp_host(
        struct_size: structSize(rsp_host.self), abi_major: UInt32(RSP_ABI_MAJOR),
        abi_minor: UInt32(RSP_ABI_MINOR), reserved: 0, context: nil,
        log: { _, level, message in
          PluginHost.log(
            PluginLogLevel(rawValue: min(max(level, 0), 3)) ?? .debug, String(cString: message))
        },
        extension: { _, _ in nil }))
    return UnsafePointer(table)
  }()

  private static let names = ["error", "warning", "info", "debug"]

  /// Level up to which messages are written to standard error without a handler: the name in `RESPOOL_LOG`.
  private static let threshold: PluginLogLevel? = environment("RESPOOL_LOG").flatMap { name in
    names.firstIndex(of: name).flatMap { PluginLogLevel(rawValue: Int32($0)) }
  }

  static func log(_ level: PluginLogLevel, _ message: String) {
    if let handler = logHandler.withLock({ $0 }) {
      handler(level, message)
    } else if let threshold, level <= threshold {
      let line = Array("respool: plugin \(names[Int(level.rawValue)]): \(message)\n".utf8)
      // One call of write, so that lines of several threads do not mix.
      _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }
}
