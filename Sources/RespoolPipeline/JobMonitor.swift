package import RespoolHost
package import RespoolMedia
import Synchronization

/// State of one run that its encoders see and change: its cancellation, and their warnings.
package final class JobMonitor: Sendable {
  private struct State {
    var isCancelled = false
    var warnings: [String] = []
  }

  private let state = Mutex(State())

  /// Number of warnings that are kept; an encoder may warn about every frame.
  private static let limit = 16

  private let scratch: ScratchFiles?

  /// `scratch` has the files of encoders; without it, they can create none.
  package init(scratch: ScratchFiles? = nil) { self.scratch = scratch }

  /// Asks the encoders of the run to stop.
  package func cancel() { state.withLock { $0.isCancelled = true } }

  /// Warnings of the encoders, each once, in the order of their arrival.
  package var warnings: [String] { state.withLock { $0.warnings } }

  /// Returns the services for a plugin, whose warnings begin with `name`.
  package func job(for name: String) -> PluginJob {
    PluginJob(
      isCancelled: { self.state.withLock { $0.isCancelled } },
      warn: { message in
        let text = "\(name): \(message)"
        self.state.withLock { state in
          guard state.warnings.count < Self.limit, !state.warnings.contains(text) else { return }
          state.warnings.append(text)
        }
      }, scratch: { [scratch] in scratch?.path })
  }
}
