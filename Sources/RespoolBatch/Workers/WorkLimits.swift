import Glibc
import Respool
import RespoolMedia

/// Limits of the work on one file; a process that exceeds one is killed, and the file fails.
public struct WorkLimits: Sendable {
  /// Bytes of memory that are resident; `nil` for four fifths of the memory that is available at the start.
  public var memory: Int64?
  /// Seconds of processor time of all threads; `nil` for no limit.
  public var processorTime: Double?
  /// Bytes of the output; `nil` for no limit.
  public var outputSize: Int64?

  public init() {}

  /// Returns the limit that the size of an output exceeds, as part of a sentence; `nil` if it does not.
  func excess(ofOutput output: OpenFile) -> String? {
    var status = stat()
    guard let limit = outputSize, fstat(output.descriptor, &status) == 0, status.st_size > limit
    else { return nil }
    return "wrote more than \(ByteCount.text(limit))"
  }

  /// These limits for planning, which reads headers: at most 10 seconds of processor time.
  var ofPlanning: WorkLimits {
    var limits = self
    limits.processorTime = min(processorTime ?? .infinity, Self.planningTime)
    return limits
  }

  private static let planningTime = 10.0

  /// Returns the limits with that of the memory.
  func resolved() -> WorkLimits {
    var limits = self
    limits.memory = memory ?? AvailableMemory.share()
    return limits
  }
}

/// Memory, processor time and output of the work on one file so far.
struct WorkUsage {
  private let process: pid_t
  /// The output, if the work makes one.
  private let output: OpenFile?
  /// Seconds of processor time before the work.
  private let before: Double

  init(of process: pid_t, making output: OpenFile?) {
    (self.process, self.output) = (process, output)
    before = ProcessActivity.processorTime(of: process)
  }

  /// Returns which limit is exceeded, as the end of a sentence; `nil` if none is.
  func excess(over limits: WorkLimits) -> String? {
    if let limit = limits.memory, case let used = ProcessActivity.residentBytes(of: process),
      used > limit
    {
      return "used \(ByteCount.text(used)) of memory, more than \(ByteCount.text(limit)), "
        + "and was killed"
    }
    if let limit = limits.processorTime,
      case let used = ProcessActivity.processorTime(of: process) - before, used > limit
    {
      return "used the processor for more than \(ReportLine.duration(limit)) and was killed"
    }
    guard let output, let excess = limits.excess(ofOutput: output) else { return nil }
    return excess + " and was killed"
  }
}
