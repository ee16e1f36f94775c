/// Services of the host for one job, for plugins that work for a long time.
///
/// Any thread may call them.
public struct PluginJob: Sendable {
  private let cancelled: @Sendable () -> Bool
  private let warning: @Sendable (String) -> Void
  /// `true` for the services of no job.
  package private(set) var isNone = false

  /// Creates services from two closures, which any thread may call.
  public init(
    isCancelled: @escaping @Sendable () -> Bool, warn: @escaping @Sendable (String) -> Void
  ) {
    (cancelled, warning) = (isCancelled, warn)
  }

  /// Services of no job: never canceled, and warnings are dropped.
  public static let none = {
    var job = PluginJob(isCancelled: { false }, warn: { _ in })
    job.isNone = true
    return job
  }()

  /// `true` if the job was canceled: a call that takes long then throws `cancelled`.
  public var isCancelled: Bool { cancelled() }

  /// Reports something that users should know about the output, in one sentence.
  public func warn(_ message: String) { warning(message) }
}
