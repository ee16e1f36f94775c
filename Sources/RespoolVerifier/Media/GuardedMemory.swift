import CVerifier
import RespoolMedia

/// Memory that is lent to a plugin: it ends at an inaccessible page, is read-only, and is inaccessible after its last
/// reference is dropped.
///
/// A wrong access ends the process with the reason.
struct GuardedMemory {
  /// The only reference of the host.
  let buffer: MediaBuffer
  private let lease: Lease

  // Sendable: written by the thread that calls the plugin. The thread that drops the last reference reads it: if the
  // host still holds its own, that is the same thread during the call.
  private final class Lease: @unchecked Sendable {
    var isHeld = true
  }

  /// Allocates regions of these sizes, which `fill` fills in.
  ///
  /// `what` names the memory in reasons, such as "a lent frame". `nil` if there is no memory.
  init?(_ sizes: [Int], _ what: StaticString, fill: ([UnsafeMutablePointer<UInt8>]) -> Void) {
    let name = UnsafeRawPointer(what.utf8Start).assumingMemoryBound(to: CChar.self)
    var regions: [UnsafeMutablePointer<UInt8>] = []
    for size in sizes {
      guard let region = guard_allocate(size, name) else { return nil }
      regions.append(region)
    }
    guard let first = regions.first, let size = sizes.first else { return nil }
    fill(regions)
    for region in regions { guard_lend(region) }
    let lease = Lease()
    // Regions may be released on any thread (guard.h).
    nonisolated(unsafe) let released = regions
    buffer = MediaBuffer(borrowing: UnsafeMutableRawBufferPointer(start: first, count: size)) {
      if lease.isHeld {
        guard_fail("the plugin released a reference that it had not taken, to memory that was lent")
      }
      for region in released { guard_release(region) }
    }
    self.lease = lease
  }

  /// Ends the loan; `buffer` may be released from now on.
  func end() { lease.isHeld = false }
}
