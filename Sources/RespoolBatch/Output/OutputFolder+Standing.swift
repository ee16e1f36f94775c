import Glibc
import Respool
import RespoolMedia

/// What is to be thought of a file at an output's name.
enum OutputStanding: Equatable {
  /// It is the output, and up to date.
  case finished
  /// It is replaced, for the reason given.
  case outdated(String)
  /// It may be somebody's work, for the reason given; nobody may replace it unasked.
  case foreign(String)
  /// Its content has to be looked at: the record does not know it, or knows it with another size.
  case unknown
}

extension OutputFolder {
  /// Path, below the folder, of the output of a file that is finished and up to date; `nil` if there is work.
  func finishedOutput(of file: BatchFile, preset: String, strict: Bool) -> String? {
    guard let entry = record.entry(ofSource: FileName.absolute(file.path)) else { return nil }
    var file = file
    file.outputName = entry.output
    file.output = FileName.join(path, entry.output)
    guard fileExists(file.output) else { return nil }
    return standing(of: file, preset: preset, strict: strict) == .finished ? entry.output : nil
  }

  /// Compares what is at a file's output with the file; there is something.
  func standing(of file: BatchFile, preset: String, strict: Bool) -> OutputStanding {
    var status = stat()
    guard FileName.withSystemPath(file.output, { stat($0, &status) }) == 0 else {
      return .outdated("the output is a link that leads nowhere")
    }
    guard status.st_size > 0 else { return .outdated("the output is empty") }
    let source = FileStamp(size: file.size, modified: file.modified)
    let isOlder = status.modified < file.modified
    guard let entry = record[file.outputName] else {
      return isOlder
        ? .foreign("it is older than its source and not by an earlier batch") : .unknown
    }
    let isSame = entry.sourceStamp.matches(source)
    if let origin = otherOrigin(of: file, entry, isSame: isSame) { return .foreign(origin) }
    let reason = reason(toReplace: entry, isSame: isSame, preset: preset, strict: strict)
    let output = FileStamp(status)
    if entry.outputStamp.matches(output) {
      return reason.map(OutputStanding.outdated) ?? .finished
    }
    // Whoever has changed it may want to keep it.
    if let reason { return .foreign("\(reason), and it has been changed since it was made") }
    // A copy of the folder may have other times, which only looking into the file tells from a change.
    return .unknown
  }

  /// `true` if the output has another size than the record states.
  func isOfAnotherSize(_ file: BatchFile) -> Bool {
    var status = stat()
    guard let entry = record[file.outputName],
      FileName.withSystemPath(file.output, { stat($0, &status) }) == 0
    else { return false }
    return entry.outputStamp.size != FileStamp(status).size
  }

  private func reason(
    toReplace entry: BatchRecord.Entry, isSame: Bool, preset: String, strict: Bool
  ) -> String? {
    if !isSame { return "the source has changed" }
    if entry.preset != preset { return "the output was made with another preset" }
    if entry.isIncomplete { return "the source was not complete before" }
    if strict, entry.losses > 0 { return "the output was made without --strict" }
    return nil
  }

  /// Names the entry's source if it is another file; `nil` if it is this file, perhaps renamed or moved.
  ///
  /// `isSame` is `true` if both have the same size and time.
  private func otherOrigin(of file: BatchFile, _ entry: BatchRecord.Entry, isSame: Bool) -> String?
  {
    let path = FileName.absolute(file.path)
    if PathKey(entry.source) == PathKey(path) { return nil }
    // A container may see the same folder elsewhere.
    if isSame, PathKey(FileName.last(entry.source)) == PathKey(FileName.last(path)) { return nil }
    if fileExists(entry.source) { return "it was made of \(entry.source)" }
    return isSame ? nil : "it was made of \(entry.source), which is gone"
  }
}
