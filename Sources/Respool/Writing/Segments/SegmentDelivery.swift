import Dispatch

/// Hands segments to a writer's delegate, in order, from a queue of its own.
// Sendable: what changes is behind the lock.
final class SegmentDelivery: @unchecked Sendable {
  private let queue = DispatchQueue(label: "respool.segments")
  private let lock = Monitor()
  private var pendingBytes = 0

  /// So much may wait for the delegate.
  private static let limit = 32 << 20

  /// Returns at once.
  func deliver(
    _ data: [UInt8], _ report: AssetSegmentReport, of writer: AssetWriter,
    to delegate: any AssetWriterDelegate
  ) {
    lock.locked { pendingBytes += data.count }
    queue.async { [self] in
      // After cancelling nobody wants what is left.
      if writer.status == .writing {
        delegate.assetWriter(
          writer, didOutputSegmentData: data, segmentType: report.segmentType,
          segmentReport: report)
      }
      lock.locked {
        pendingBytes -= data.count
        lock.wakeAll()
      }
    }
  }

  /// Waits while the delegate is far behind.
  func waitForRoom() {
    lock.locked { while pendingBytes > Self.limit { lock.wait() } }
  }

  /// Waits until the delegate has got everything.
  func waitForAll() {
    lock.locked { while pendingBytes > 0 { lock.wait() } }
  }
}
