import Glibc
import Respool
import RespoolMedia

/// Search for the files that earlier batches have finished and that have not changed since.
///
/// It compares whole folders with the ledger, in which the sources of a folder have the order of their names. No path
/// is made and no content is read, so that a batch without work takes little longer than listing the folders. A file
/// that differs in any way, such as another change time, is left to a closer comparison.
final class FinishedFiles {
  private typealias Column = Ledger.SourceColumn

  private let folder: OutputFolder
  /// Identity of the preset's content.
  private let preset: String
  /// Versions of the plugins that are present, by name.
  private let versions: [String: String]
  /// `true` if only outputs count that are known to have lost nothing.
  private let isStrict: Bool
  /// `true` if the names of the outputs are needed.
  let wantsNames: Bool
  private let subtitles: FilmSubtitles
  /// `true` for texts with plugins that are present in the same versions, by the number of the text.
  private var unchanged: [Int64: Bool] = [:]
  /// Files of subtitles by the number of the text.
  private var subtitleFiles: [Int64: SubtitleMark?] = [:]
  /// The folder of the latest output: number of its text, path below the output folder, and descriptor.
  private var target: (number: Int64, name: String, descriptor: Int32)?

  init(
    in folder: OutputFolder, preset: String, versions: [String: String], isStrict: Bool,
    wantsNames: Bool, subtitles: FilmSubtitles
  ) {
    self.subtitles = subtitles
    (self.folder, self.preset, self.versions) = (folder, preset, versions)
    (self.isStrict, self.wantsNames) = (isStrict, wantsNames)
  }

  deinit { closeTarget() }

  /// Finished files of one folder by the index of their name.
  struct Found {
    fileprivate var isFinished: [Bool] = []
    /// Paths of the outputs below the output folder, if they are wanted.
    fileprivate(set) var outputs: [Int: String] = [:]

    func contains(_ index: Int) -> Bool { !isFinished.isEmpty && isFinished[index] }
  }

  /// Returns the finished files in a folder.
  ///
  /// `isWanted` is called with the index and the status of a file, and returns `false` for a file that is left out.
  func find(in path: String, _ listing: FolderListing, isWanted: (Int, stat) -> Bool) -> Found {
    var found = Found()
    var index = 0
    folder.eachOutput(ofSourcesIn: PathName.absolute(path), preset: preset) { row in
      let isListed = row.withBytes(Column.name) { name in
        while index < listing.count, listing.compare(index, name) < 0 { index += 1 }
        return index < listing.count && listing.compare(index, name) == 0
      }
      guard isListed, !listing.isHidden(index), isUnchanged(row),
        let source = listing.status(index),
        source.st_mode & S_IFMT == S_IFREG,
        source.isThat(of: row, Column.size, Column.modified, Column.changed),
        isWanted(index, source), hasOutput(row),
        !subtitles.isWanted
          || subtitles.isUnchanged(
            of: PathName.join(path, listing.text(index)), subtitleFiles(row),
            at: row.integer(Column.outputChanged))
      else { return }
      if found.isFinished.isEmpty {
        found.isFinished = Array(repeating: false, count: listing.count)
      }
      found.isFinished[index] = true
      if wantsNames { found.outputs[index] = outputName(row) }
    }
    closeTarget()
    return found
  }

  /// Returns `true` if neither plugins nor `--strict` are a reason to make the output again.
  private func isUnchanged(_ row: borrowing SQLRow) -> Bool {
    if isStrict, row.integer(Column.isLossless) == 0 { return false }
    let plugins = row.integer(Column.plugins)
    if let known = unchanged[plugins] { return known }
    let isUnchanged = folder.text(plugins).map {
      PluginVersions.change(of: $0, to: versions) == nil
    }
    unchanged[plugins] = isUnchanged ?? false
    return isUnchanged ?? false
  }

  /// Returns the files of subtitles of which the output was made; `nil` if they are unknown.
  private func subtitleFiles(_ row: borrowing SQLRow) -> SubtitleMark? {
    let plugins = row.integer(Column.plugins)
    if let known = subtitleFiles[plugins] { return known }
    let mark = folder.text(plugins).flatMap { PluginVersions.subtitles(in: $0) }
    // Films with subtitles have texts of their own.
    if mark?.count ?? 0 == 0 { subtitleFiles[plugins] = .some(mark) }
    return mark
  }

  /// Returns `true` if the output has the size and both times of the row.
  private func hasOutput(_ row: borrowing SQLRow) -> Bool {
    let number = row.integer(Column.outputFolder)
    if target?.number != number {
      closeTarget()
      let name = folder.text(number) ?? "."
      let path = PathName.join(folder.path, name)
      target = (
        number, name, PathName.withSystemPath(path) { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
      )
    }
    guard let target, target.descriptor >= 0 else { return false }
    var status = stat()
    let result = row.withBytes(Column.outputName) { name in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: name.count + 1) { path -> Int32 in
        UnsafeMutableRawBufferPointer(path).copyMemory(from: name)
        path[name.count] = 0
        guard let base = path.baseAddress else { return -1 }
        return fstatat(target.descriptor, base, &status, 0)
      }
    }
    return result == 0
      && status.isThat(of: row, Column.outputSize, Column.outputModified, Column.outputChanged)
  }

  private func outputName(_ row: borrowing SQLRow) -> String {
    PathName.join(target?.name ?? ".", row.text(Column.outputName))
  }

  private func closeTarget() {
    if let descriptor = target?.descriptor, descriptor >= 0 { close(descriptor) }
    target = nil
  }
}

extension stat {
  /// Returns `true` if the file is not empty and has the size, the modification time and the change time in columns.
  fileprivate func isThat(
    of row: borrowing SQLRow, _ size: Int32, _ modified: Int32, _ changed: Int32
  ) -> Bool {
    st_size > 0 && Int64(st_size) == row.integer(size) && self.modified == row.integer(modified)
      // NULL, for a file that could not be read, is the number 0.
      && self.changed == row.integer(changed)
  }
}
