import CRespool
import Synchronization

/// The host that called the plugin's entry function.
// Sendable: it lives until the process ends, and its functions may be called from any thread (host.h).
struct SharedHost: @unchecked Sendable {
  let pointer: Host
}

/// Messages for the host's log, from any thread.
///
/// Information for the user about one file belongs in `MediaDescription.warning` or a `MediaError`; the log is for
/// everything else. Messages sent before the host has called the entry function are dropped.
public enum Log {
  static let host = Mutex<SharedHost?>(nil)

  /// Minor version of the host's ABI; 0 before the host has called the entry function.
  static var hostMinor: UInt32 { host.withLock { $0?.pointer.pointee.abi_minor ?? 0 } }

  public static func error(_ message: String) { write(message, level: RSP_LOG_ERROR) }
  public static func warning(_ message: String) { write(message, level: RSP_LOG_WARNING) }
  public static func info(_ message: String) { write(message, level: RSP_LOG_INFO) }
  public static func debug(_ message: String) { write(message, level: RSP_LOG_DEBUG) }

  private static func write(_ message: String, level: some BinaryInteger) {
    // The lock is not held during the call: the host may call back into the plugin.
    guard let host = host.withLock({ $0 }) else { return }
    host.pointer.pointee.log(host.pointer.pointee.context, Int32(clamping: level), message)
  }
}
