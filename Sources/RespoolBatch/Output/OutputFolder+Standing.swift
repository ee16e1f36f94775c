import Glibc
import Respool
import RespoolMedia

/// State of an existing file at an output's path.
enum OutputStanding: Equatable {
  /// The file is the output, and up to date.
  case finished
  /// The file is to be replaced, with the reason.
  case outdated(String)
  /// The file may be the user's own work, with the reason.
  ///
  /// It is not replaced unless the user requests it.
  case foreign(String)
  /// The file has to be examined: it is not in the record, or the record states another size or content.
  case unknown
}

extension OutputFolder {
  /// Returns the path, below the folder, of a file's finished and current output; `nil` if there is work.
  func finishedOutput(of file: BatchFile, preset: String, strict: Bool) -> String? {
    guard let entry = record.entry(ofSource: PathName.absolute(file.path)) else { return nil }
    var file = file
    file.outputName = entry.output
    file.output = PathName.join(path, entry.output)
    guard fileExists(file.output) else { return nil }
    return standing(of: file, preset: preset, strict: strict) == .finished ? entry.output : nil
  }

  /// Compares the existing file at a file's output path with the record.
  func standing(of file: BatchFile, preset: String, strict: Bool) -> OutputStanding {
    var status = stat()
    guard PathName.withSystemPath(file.output, { stat($0, &status) }) == 0 else {
      return .outdated("the output is a broken link")
    }
    guard status.st_size > 0 else { return .outdated("the output is empty") }
    let source = FileStamp(size: file.size, modified: file.modified)
    let isOlder = status.modified < file.modified
    guard let entry = record[file.outputName] else {
      return isOlder
        ? .foreign("it is older than its source and not in the record") : .unknown
    }
    let isSame =
      entry.sourceStamp.matches(source)
      && entry.sourceMark?.matches(file.path, changed: file.changed) ?? true
    if let origin = otherOrigin(of: file, entry, isSame: isSame) { return .foreign(origin) }
    let reason = reason(toReplace: entry, isSame: isSame, preset: preset, strict: strict)
    let hasTime = entry.outputStamp.matches(FileStamp(status))
    let isUntouched = !hasOtherContent(file, status, entry)
    if hasTime, isUntouched {
      guard reason == nil else { return reason.map(OutputStanding.outdated) ?? .finished }
      keepTimes(of: file, status, in: entry)
      return .finished
    }
    // A user who has changed the output may want to keep it.
    if let reason { return .foreign("\(reason), and the output has been changed since") }
    // A copy of the folder may have other times. Without samples, only an examination distinguishes it from a change.
    return isUntouched && entry.outputMark != nil ? .finished : .unknown
  }

  /// Returns `true` if the output has another size than the record states, or other samples.
  func hasOtherContent(_ file: BatchFile) -> Bool {
    var status = stat()
    guard let entry = record[file.outputName],
      PathName.withSystemPath(file.output, { stat($0, &status) }) == 0
    else { return false }
    return hasOtherContent(file, status, entry)
  }

  private func hasOtherContent(_ file: BatchFile, _ status: stat, _ entry: BatchRecord.Entry)
    -> Bool
  {
    let stamp = FileStamp(status)
    guard entry.outputStamp.size == stamp.size else { return true }
    guard let mark = entry.outputMark else { return false }
    return !mark.matches(file.output, changed: status.changed)
  }

  /// Records new times of change of a finished file, so that a later batch need not read samples again.
  private func keepTimes(of file: BatchFile, _ status: stat, in entry: BatchRecord.Entry) {
    var new = entry
    new.sourceMark?.changed = file.changed
    new.outputMark?.changed = status.changed
    if new != entry { put(new) }
  }

  private func reason(
    toReplace entry: BatchRecord.Entry, isSame: Bool, preset: String, strict: Bool
  ) -> String? {
    if !isSame { return "the source has changed" }
    if entry.preset != preset { return "the output was made with another preset" }
    if entry.isIncomplete { return "the source was incomplete before" }
    if strict, entry.losses > 0 { return "the output was made without --strict" }
    return nil
  }

  /// Returns a sentence with the entry's source if that is another file.
  ///
  /// `nil` if it is this file, possibly renamed or moved. `isSame` is `true` if both have the same size and
  /// time.
  private func otherOrigin(of file: BatchFile, _ entry: BatchRecord.Entry, isSame: Bool) -> String?
  {
    let path = PathName.absolute(file.path)
    if PathKey(entry.source) == PathKey(path) { return nil }
    // In a container, the same folder may have another path.
    if isSame, PathKey(PathName.last(entry.source)) == PathKey(PathName.last(path)) { return nil }
    if fileExists(entry.source) { return "it was made from \(entry.source)" }
    return isSame ? nil : "it was made from \(entry.source), which no longer exists"
  }
}
