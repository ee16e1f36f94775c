import Glibc
import RespoolHost

/// A watch over a process that should give signs of its progress.
struct HangWatch {
  /// Time of the last sign, in seconds of the monotonic clock.
  private var lastSign = monotonicSeconds()
  /// Activity of the process at some time of its silence.
  private var sample: (time: Double, activity: ProcessActivity)?
  /// The first sample of its silence.
  private var first: ProcessActivity?

  /// Multiple of the patience after which a process that computes without progress counts as hanging.
  private static let busyFactor = 30.0

  init() {}

  /// Takes a sign of progress.
  mutating func sign() { self = HangWatch() }

  /// Moves the last sign by a time in which the process could give none.
  mutating func extend(by seconds: Double) { lastSign += seconds }

  /// Returns the reason why a process counts as hanging, as part of a sentence; `nil` if it does not.
  ///
  /// It hangs if it gives no sign for `patience` seconds and neither computes nor waits for a processor: a slow codec
  /// is no hang. An endless loop ends after 30 times as long, without the time in which other processes had the
  /// processors. A process with `reportsProgress: false` gives no signs, and may compute for any time.
  mutating func reason(of process: pid_t, patience: Double, reportsProgress: Bool = true) -> String?
  {
    let now = monotonicSeconds()
    let silence = now - lastSign
    guard silence > patience / 2 else { return nil }
    let activity = ProcessActivity(of: process)
    guard let sample, let first else {
      sample = (now, activity)
      first = activity
      return nil
    }
    if reportsProgress, silence - (activity.waited - first.waited) > patience * Self.busyFactor {
      return "made no progress for \(Int(silence)) seconds and was killed"
    }
    guard silence > patience, now - sample.time >= patience / 2 else { return nil }
    guard activity.total - sample.activity.total >= (now - sample.time) / 10 else {
      return "did not respond for \(Int(patience)) seconds and was killed"
    }
    self.sample = (now, activity)
    return nil
  }
}
