/// Services of the host for one job, for plugins that work for a long time.
///
/// Any thread may call them.
public struct PluginJob: Sendable {
  private let cancelled: @Sendable () -> Bool
  private let warning: @Sendable (String) -> Void
  private let scratch: @Sendable () -> String?
  /// `true` for the services of no job.
  package private(set) var isNone = false

  /// Creates services from closures, which any thread may call.
  public init(
    isCancelled: @escaping @Sendable () -> Bool, warn: @escaping @Sendable (String) -> Void,
    scratch: @escaping @Sendable () -> String? = { nil }
  ) {
    (cancelled, warning, self.scratch) = (isCancelled, warn, scratch)
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

  /// Beginning of the paths of files that an encoder may create, read and rename while it works, to which it adds names of
  /// its own; `nil` if it can create none.
  ///
  /// They are for libraries that pass the statistics of a first pass to the last in a file. The host removes them after
  /// both passes.
  public var scratchPath: String? { scratch() }
}
