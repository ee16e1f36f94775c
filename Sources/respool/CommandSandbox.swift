import Glibc
import Respool
import RespoolMedia

/// The sandbox of a command that reads files in its own process.
enum CommandSandbox {
  /// Opens the inputs, starts the process that makes the outputs, and restricts this one, its memory too.
  ///
  /// To be called before an input is read, and while the process has one thread.
  ///
  /// - Parameters:
  ///   - registry: plugins that can still be opened afterwards.
  ///   - files: inputs; opening one that cannot be opened throws its error later.
  ///   - readable: other files that libraries open by their paths, such as images.
  ///   - drawsText: `true` if text is drawn, with the system's fonts.
  ///   - outputs: files that the command makes; `nil` if it makes none.
  ///   - needsScratch: `true` if an encoder may pass statistics from one pass to the next in a file.
  ///   - memory: bytes of memory that the process may take; `nil` for a part of those that are available.
  ///   - report: called before the process ends because it took more.
  static func enter(
    _ registry: PluginRegistry, reading files: [String], opening readable: [String] = [],
    drawsText: Bool = false, writing outputs: OutputBroker.Outputs? = nil,
    needsScratch: Bool = false, memory: Int64? = nil,
    reporting report: @escaping @Sendable (MediaError) -> Void = { CommandError.print($0) }
  ) throws(MediaError) {
    let watch = MemoryWatch(limit: memory)
    try restrict(
      registry, files, readable, drawsText: drawsText, writing: outputs, needsScratch: needsScratch)
    try watch.start(report)
  }

  /// Lets files that this process makes give no access that one of the files they are made from does not give.
  static func keepPrivate(_ files: [String]) {
    var mask = umask(0)
    for file in files {
      var status = stat()
      guard PathName.withSystemPath(file, { stat($0, &status) }) == 0 else { continue }
      mask |= ~status.st_mode & 0o066
    }
    umask(mask)
  }

  private static func restrict(
    _ registry: PluginRegistry, _ files: [String], _ readable: [String], drawsText: Bool,
    writing outputs: OutputBroker.Outputs?, needsScratch: Bool
  ) throws(MediaError) {
    guard Sandbox.isWanted else { return }
    // The process that makes the outputs removes it, which this one cannot.
    let scratch = needsScratch ? try ScratchFolder() : nil
    if let outputs { try OutputBroker.start(for: outputs, removing: scratch) }
    raiseFileLimit(for: files.count)
    ReceivedFiles.open(files)
    StopSignal.prepare()
    let sandbox = Sandbox.enter(
      opening: registry, reading: readable, usesFonts: drawsText, scratch: scratch?.path)
    if !sandbox.isComplete, let reason = sandbox.reason {
      CommandError.note("respool: note: the sandbox is incomplete: \(reason)")
    }
  }

  /// Lets the process keep many files open, as far as the system permits.
  private static func raiseFileLimit(for count: Int) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < UInt(count) + 256
    else { return }
    limit.rlim_cur = min(limit.rlim_max, UInt(count) + 256)
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
