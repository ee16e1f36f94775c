import Glibc
import RespoolHost
import RespoolMedia

/// The end of replacements and restorations that a killed process has begun.
///
/// Files are recognized by size and samples, because a process can end between any two steps.
struct ReplacementRecovery {
  private let folder: OutputFolder
  private let replacer: Replacer

  init(_ folder: OutputFolder, _ replacer: Replacer) {
    (self.folder, self.replacer) = (folder, replacer)
  }

  /// Finishes all of them; returns sentences about those that cannot be finished.
  func run() -> [String] {
    var problems: [String] = []
    for entry in folder.unfinishedReplacements() {
      do throws(MediaError) { try finish(entry) } catch {
        problems.append("an interrupted replacement could not be finished: \(error)")
      }
    }
    return problems
  }

  private func finish(_ entry: LedgerEntry) throws(MediaError) {
    guard let paths = ReplacedPaths(entry, in: folder.path), let replaced = entry.replaced else {
      return
    }
    settleExchange(paths)
    switch replaced.state {
    case .replacing: try finishReplacing(entry, paths)
    case .restoring: try Restoration(folder).restore(entry, byForce: false)
    case .replaced, .restored, .superseded: break
    }
  }

  /// Ends an exchange that was made in several steps, see ``exchangeFiles(_:_:)``.
  private func settleExchange(_ paths: ReplacedPaths) {
    let second = paths.temporary + ReplacedFile.exchangeSuffix
    guard fileExists(second) else { return }
    if moveFile(second, to: paths.temporary) { return }
    // The name was not taken over yet; its file has another one.
    if FileIdentity(second) == FileIdentity(paths.source) { removeFile(second) }
  }

  private func finishReplacing(_ entry: LedgerEntry, _ paths: ReplacedPaths) throws(MediaError) {
    var entry = entry
    let content = ReplacedContent(entry: entry)
    let output = content.kind(paths.output)
    switch content.kind(paths.temporary) {
    case .original where output == .output || output == .original:
      try replacer.finish(&entry, paths)
    case .original:
      // The replacement was changed or removed: the original gets its name again, or another visible one.
      let free = fileExists(paths.source) ? freeName(beside: paths.source) : paths.source
      guard moveFile(paths.temporary, to: free) else {
        throw .system("the original is \(paths.temporary)", errno, file: paths.source)
      }
      folder.forget(entry)
    case .output where content.kind(paths.source) == .original:
      try replacer.setAside(paths)
      try replacer.finish(&entry, paths)
    case .output:
      removeFile(paths.temporary)
      folder.forget(entry)
    case .none where output == .output && !paths.isSame && content.kind(paths.source) == .original:
      try replacer.setAside(paths)
      try replacer.finish(&entry, paths)
    case .none where output == .output && (paths.isSame || !fileExists(paths.source)):
      if let kept = entry.replaced?.kept, !fileExists(kept) { entry.replaced?.kept = nil }
      replacer.conclude(&entry, paths)
    case .none where output == .output && !paths.isSame:
      // The source was changed meanwhile: it needs another output.
      removeFile(paths.output)
      folder.forget(entry)
    case .none: folder.forget(entry)
    case .other:
      throw MediaError(
        .io, "\(paths.temporary) is neither the original nor its output", file: paths.source)
    }
  }

  /// Returns a free name for an original whose own is taken.
  private func freeName(beside path: String) -> String {
    OriginalsFolder(PathName.folder(path)).freePath(for: PathName.last(path))
  }
}
