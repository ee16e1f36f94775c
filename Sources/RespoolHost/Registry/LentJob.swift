import CRespool
import Glibc
import RespoolMedia
import Synchronization

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
        cancelled: { LentJob.of($0)?.job.isCancelled ?? false ? 1 : 0 },
        warn: { LentJob.of($0)?.job.warn(String(cString: $1)) },
        scratch: { LentJob.of($0)?.scratchPath() }))
  }

  deinit {
    UnsafeMutablePointer(mutating: pointer).deallocate()
    scratch.withLock { free($0.path) }
  }

  /// Text that is lent until the encoder is closed.
  private struct Scratch: @unchecked Sendable { var path: UnsafeMutablePointer<CChar>? }
  private let scratch = Mutex(Scratch())

  private func scratchPath() -> UnsafePointer<CChar>? {
    scratch.withLock { scratch in
      if scratch.path == nil, let path = job.scratchPath {
        scratch.path = PathName.withSystemPath(path) { strdup($0) }
      }
      return UnsafePointer(scratch.path)
    }
  }

  /// Returns the job of a context, which is alive because its encoder or filter is open.
  private static func of(_ context: UnsafeMutableRawPointer?) -> LentJob? {
    context.map { Unmanaged<LentJob>.fromOpaque($0).takeUnretainedValue() }
  }
}
