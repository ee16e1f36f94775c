import RespoolHost
import RespoolMedia

/// The knowledge of a batch about its files from the ledger of the output folder, and the results that it adds.
final class BatchResults {
  let folder: OutputFolder
  /// Identity of the preset's content.
  let preset: String
  /// Versions of the plugins that are present, by name.
  let versions: [String: String]
  /// All of them as text.
  let plugins: String
  private let options: BatchOptions
  /// Entries of files without an output, which are stored together.
  private var unstored: [LedgerEntry] = []

  /// Number of entries that are stored together: each change of the ledger costs much more than an entry.
  private static let mostUnstored = 256

  /// `preset` is the identity of the preset's content, and `plugins` the text of all plugins; `nil` for that of `versions`.
  init(
    _ folder: OutputFolder, _ options: BatchOptions, preset: String, versions: [String: String],
    plugins: String? = nil
  ) {
    (self.folder, self.options, self.preset) = (folder, options, preset)
    self.versions = versions
    self.plugins = plugins ?? PluginVersions.text(of: Array(versions.keys), in: versions)
  }

  /// Seconds that a byte of a source took in earlier conversions with the preset; `nil` if there are none.
  private lazy var pace = folder.pace(preset: preset)

  /// Returns the seconds that the conversion of a file will probably take.
  ///
  /// `nil` if it is not to be converted, or there were no conversions with the preset.
  func predictedSeconds(of file: BatchFile) -> Double? {
    file.isToConvert ? pace.map { $0 * Double(file.size) } : nil
  }

  /// Returns what is known of a file before it is planned; `nil` if there is work.
  func finding(for file: BatchFile) -> LedgerFinding? {
    if let rules = options.replacement {
      return folder.replacementFinding(
        for: file, rules, preset: preset, plugins: plugins, retriesFailed: options.retriesFailed,
        convertsChanged: options.onExists == .replace)
    }
    return folder.finding(
      for: file, preset: preset, versions: versions, plugins: plugins, strict: options.strict,
      retriesFailed: options.retriesFailed)
  }

  /// Compares the existing file at a file's output path with the ledger.
  func standing(of file: BatchFile) -> OutputStanding {
    folder.standing(
      of: file, preset: preset, versions: versions, strict: options.strict,
      retriesFailed: options.retriesFailed)
  }

  /// Returns an entry for a file that was tried once more.
  ///
  /// `source` is the open file if one was converted, which may have another path since.
  func newEntry(
    of file: BatchFile, _ result: LedgerEntry.Result, from source: FileSource? = nil
  ) -> LedgerEntry {
    let mark =
      if let source {
        ContentMark(of: source, changed: file.changed)
      } else {
        ContentMark(path: file.path, changed: file.changed)
      }
    return newEntry(of: file, result, mark: mark, after: entry(of: file))
  }

  private func entry(of file: BatchFile) -> LedgerEntry? {
    folder.entry(ofSource: PathName.absolute(file.path), preset: preset)
  }

  private func newEntry(
    of file: BatchFile, _ result: LedgerEntry.Result, mark: ContentMark?, after before: LedgerEntry?
  ) -> LedgerEntry {
    var entry = LedgerEntry(
      source: PathName.absolute(file.path),
      sourceStamp: FileStamp(size: file.size, modified: file.modified), inode: file.inode,
      sourceMark: mark, preset: preset,
      plugins: PluginVersions.text(of: file.plan.plugins, in: versions), result: result)
    if let before, before.sourceStamp == entry.sourceStamp { entry.attempts += before.attempts }
    return entry
  }

  /// Keeps the result of a file whose plan leaves it out, unless the ledger has it already.
  func keepLeftOut(_ file: BatchFile) {
    guard !file.isRemembered, !file.isDoneAlready, !file.isExcluded else { return }
    let isFailed = file.plan.action == .fail
    if file.plan.isLasting {
      keepLasting(file, isFailed: isFailed, file.plan.reason)
    } else if isFailed || options.replacement == nil {
      // Files that a batch has put in place of their sources are skipped in each batch.
      keepPassing(file, isFailed: isFailed, file.plan.reason)
    }
  }

  /// Keeps a result without output that will be the same as long as file, preset and plugins are.
  ///
  /// `rejectedSize` is the size of an output that did not replace its source.
  func keepLasting(
    _ file: BatchFile, isFailed: Bool, _ reason: String?, rejectedSize: Int64? = nil
  ) {
    let before = entry(of: file)
    var new = newEntry(
      of: file, isFailed ? .failed : .skipped,
      mark: ContentMark(path: file.path, changed: file.changed), after: before)
    (new.reason, new.plugins, new.rejectedSize) = (reason, plugins, rejectedSize)
    keep(new, after: before)
  }

  /// Keeps a result without output that another batch may not have.
  ///
  /// Batches that share the work now do not try the file again.
  func keepPassing(_ file: BatchFile, isFailed: Bool, _ reason: String?) {
    let before = entry(of: file)
    var new = newEntry(of: file, isFailed ? .failed : .skipped, mark: nil, after: before)
    (new.reason, new.plugins) = (reason, folder.session)
    keep(new, after: before)
  }

  private func keep(_ entry: LedgerEntry, after before: LedgerEntry?) {
    guard let entry = folder.successor(entry, of: before) else { return }
    unstored.append(entry)
    if unstored.count >= Self.mostUnstored || folder.isShared { store() }
  }

  /// Stores the entries that have been kept.
  func store() {
    guard !unstored.isEmpty else { return }
    folder.together { for entry in unstored { folder.put(entry) } }
    unstored = []
  }
}
