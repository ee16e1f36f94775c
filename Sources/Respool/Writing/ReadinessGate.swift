import Dispatch
import Synchronization

/// Lets tasks wait until an input can accept samples, or will accept no more.
final class ReadinessGate: Sendable {
  private let gate = TaskGate()
  private let request = Mutex<MediaDataRequest?>(nil)

  /// Starts to watch an input; returns `false` if the input's media data is already requested.
  func watch(_ input: AssetWriterInput) -> Bool {
    let end = TaskGate.End(gate)
    let fresh = MediaDataRequest(input, on: DispatchQueue(label: "respool.receiver")) {
      [weak self, weak input] in
      withExtendedLifetime(end) {
        if input?.isReadyForMoreMediaData ?? true { self?.open() }
      }
    }
    guard input.take(fresh) else { return false }
    request.withLock { $0 = fresh }
    return true
  }

  /// Waits until the input may have become ready; may return early.
  func wait() async { await gate.wait { request.withLock { $0 }?.wake() } }

  func open() { gate.open() }
}
