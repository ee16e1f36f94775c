import Glibc
import Respool
import RespoolHost
import RespoolMedia

/// The sign of life of a batch: a file below the state folder of its outputs, which says what it is doing.
///
/// Pages that show the work while it goes on read it. Nothing depends on it.
final class BatchSign {
  private let path: String
  private var state = FleetRunState()
  private var lastSign: Double
  private var isWritten = false

  /// Seconds between two signs, and before the first: short batches leave none.
  private static let interval = 2.0

  /// Prepares the sign of this process in an output folder, and removes those of processes that are gone.
  init(in folder: String) {
    let signs = Self.folder(in: folder)
    for (name, state, _) in Self.all(in: folder) where state.process.isGone(for: .current) {
      removeFile(PathName.join(signs, name))
    }
    let random = String(UInt32.random(in: 0 ... .max), radix: 36)
    path = PathName.join(signs, "\(getpid())-\(random)")
    lastSign = monotonicSeconds()
  }

  private static func folder(in output: String) -> String {
    PathName.join(PathName.join(output, OutputFolder.stateName), "working")
  }

  private static func all(in folder: String) -> [(name: String, state: FleetRunState, time: Int64)]
  {
    let signs = Self.folder(in: folder)
    return ((try? HeldFolder(signs))?.names() ?? []).compactMap { name in
      FleetRunState.read(PathName.join(signs, name)).map { (name, $0.state, $0.time) }
    }
  }

  /// Returns what the batches are doing that work on an output folder, and the number of files that each knows to be left.
  static func running(in folder: String) -> [(run: FleetStatus.Run, left: Int)] {
    all(in: folder).map { (FleetStatus.Run($0.state, writtenAt: $0.time), $0.state.left) }
      .filter(\.0.isRunning)
  }

  /// Gives a sign if the last one is some seconds old; `update` changes the state.
  ///
  /// One that cannot be written is left out.
  func show(_ update: (inout FleetRunState) -> Void) {
    guard monotonicSeconds() - lastSign >= Self.interval else { return }
    update(&state)
    isWritten = true
    try? TextFile.write(String(decoding: state.line, as: UTF8.self), to: path)
    lastSign = monotonicSeconds()
  }

  /// Removes the sign.
  func end() {
    guard isWritten else { return }
    removeFile(path)
    _ = PathName.withSystemPath(PathName.folder(path)) { rmdir($0) }
  }
}
