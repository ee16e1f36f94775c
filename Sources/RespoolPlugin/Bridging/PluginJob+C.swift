import CRespool
import RespoolMedia

extension PluginJob {
  /// Creates the services of a job of the host, which live until the encoder or filter is closed.
  init(_ job: UnsafePointer<rsp_job>) {
    let value = rsp_job.copy(job)
    // Sendable: the host takes these calls on any thread (host.h).
    nonisolated(unsafe) let context = value.context
    let (cancelled, warn, scratch) = (value.cancelled, value.warn, value.scratch)
    self.init(isCancelled: { cancelled(context) != 0 }, warn: { warn(context, $0) }) {
      scratch.flatMap { $0(context) }.map { String(cString: $0) }
    }
  }
}
