import Dispatch

/// Delivers segments to a writer's delegate, in order, from a queue of its own.
// Sendable: the lock protects the count; everything else is immutable.
final class SegmentDelivery: @unchecked Sendable {
  private weak let writer: AssetWriter?
  private let queue = DispatchQueue(label: "respool.segments")
  private let lock = Monitor()
  private var pendingBytes = 0

  /// Number of bytes that may wait for the delegate.
  private static let limit = 32 << 20

  init(of writer: AssetWriter) { self.writer = writer }

  /// Schedules the delivery of a segment; returns at once.
  func deliver(_ data: [UInt8], _ report: AssetSegmentReport) {
    guard let writer, let delegate = writer.delegate else { return }
    lock.locked { pendingBytes += data.count }
    queue.async { [self] in
      // After cancellation the remaining segments are dropped.
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

  /// Waits while more bytes than the limit wait for the delegate.
  func waitForRoom() {
    lock.locked { while pendingBytes > Self.limit { lock.wait() } }
  }

  /// Waits until the delegate has received everything.
  func waitForAll() {
    lock.locked { while pendingBytes > 0 { lock.wait() } }
  }
}
