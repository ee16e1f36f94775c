import CRespool
import RespoolMedia

/// A C struct with the services of a job, at an address that does not change.
// Sendable: constants; the closures behind them are Sendable.
final class LentJob: @unchecked Sendable {
  let pointer: UnsafePointer<rsp_job>
  private let job: PluginJob

  init(_ job: PluginJob) {
    self.job = job
    let memory = UnsafeMutablePointer<rsp_job>.allocate(capacity: 1)
    pointer = UnsafePointer(memory)
    memory.initialize(
      to: rsp_job(
        struct_size: structSize(rsp_job.self), reserved: 0,
        context: Unmanaged.passUnretained(self).toOpaque(),
        cancelled: { LentJob.of($0).isCancelled ? 1 : 0 },
        warn: { LentJob.of($0).warn(String(cString: $1)) }))
  }

  deinit { UnsafeMutablePointer(mutating: pointer).deallocate() }

  /// Returns the job of a context, which is alive because its encoder or filter is open.
  private static func of(_ context: UnsafeMutableRawPointer?) -> PluginJob {
    guard let context else { return .none }
    return Unmanaged<LentJob>.fromOpaque(context).takeUnretainedValue().job
  }
}
