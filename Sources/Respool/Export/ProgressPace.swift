import RespoolMedia
import Synchronization

/// Reports the progress of an export, never falling and in steps of a thousandth or more.
final class ProgressPace: Sendable {
  /// Duration of the media, in seconds.
  private let total: Double
  private let progress: @Sendable (Double) -> Void
  private let last = Mutex(0.0)

  /// Returns `nil` if there is no progress handler or the duration is unknown.
  init?(of media: MediaDescription, _ progress: (@Sendable (Double) -> Void)?) {
    guard let progress, let duration = media.duration, duration > 0 else { return nil }
    total = Double(duration) / 1e9
    self.progress = progress
  }

  @Sendable func report(_ seconds: Double) {
    let done = min(seconds / total, 0.999)
    last.withLock { last in
      guard done - last >= 0.001 else { return }
      last = done
      progress(done)
    }
  }
}
